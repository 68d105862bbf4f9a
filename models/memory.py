"""The common shape of every memory: store associations, score candidates, recall the best one.

Tensors carry the replicas first: inputs (replicas, N, d_in), outputs (replicas, M, d_out), targets (N,) or (replicas, N)
with values in 0..M-1, the same answer for input i being output targets[i]. A memory works in the dtype and on the device
of what it stores. N inputs against M outputs would be N M scores: `recall` goes through the queries in chunks, and an
experiment on a large memory asks it about a random sample of its items only (`sampled_items`).
"""

from abc import ABC, abstractmethod
from typing import Self

import torch
from torch import Tensor, nn

# Scores held at one moment, over all replicas: 2^24 float64 numbers are 128 MB.
SCORES_AT_ONCE = 2**24


class Memory(nn.Module, ABC):
    """Associations between inputs and outputs, batched over replicas: `store`, then `score` or `recall`.

    A family defines `store`, which keeps the outputs as the candidates (`keep`), and `score`. Weights that may be trained
    are nn.Parameters; the loops that train them are not here.
    """

    outputs: Tensor

    @abstractmethod
    def store(self, inputs: Tensor, outputs: Tensor, targets: Tensor) -> Self:
        """Hold the associations inputs[:, i] -> outputs[:, targets[i]]; whatever was held before is forgotten.

        Args:
            inputs: the embeddings of the inputs, (replicas, N, d_in).
            outputs: the embeddings of the outputs, (replicas, M, d_out); later recalls choose among them.
            targets: for each input the number of its output, 0..M-1, (N,) or (replicas, N).
        """

    @abstractmethod
    def score(self, queries: Tensor) -> Tensor:
        """The scores of all stored outputs, (replicas, number, M); the `queries` are (replicas, number, d_in)."""

    @torch.no_grad()
    def recall(self, queries: Tensor) -> Tensor:
        """The number of the output with the largest score, one for each of the `queries`.

        A tie goes to the lowest number. With embeddings that have a density ties have probability zero, but for a
        memory that holds nothing: all its scores are 0, and it answers 0.
        """
        replicas, count = queries.shape[0], queries.shape[1]
        chunk = max(1, SCORES_AT_ONCE // max(1, replicas * self.outputs.shape[-2]))
        best = [self.score(queries[:, i : i + chunk]).argmax(-1) for i in range(0, count, chunk)]
        return torch.cat(best, 1) if len(best) != 1 else best[0]

    def keep(self, outputs: Tensor) -> None:
        """Take the outputs as the candidates of later recalls."""
        self.register_buffer("outputs", outputs)


class TrainedMemory(Memory):
    """A memory whose weights a training loop finds: it keeps the associations, and knows its loss and gradient."""

    inputs: Tensor
    targets: Tensor

    def learn(self, inputs: Tensor, outputs: Tensor, targets: Tensor) -> Self:
        """Keep the associations that are to be learnt, as `Memory.store` takes them; `targets` are (replicas, N)."""
        self.keep(outputs)
        self.register_buffer("inputs", inputs)
        self.register_buffer("targets", targets)
        return self

    def cross_entropy(self, scale: float = 1.0) -> Tensor:
        """Mean cross-entropy over the stored items, one number a replica; the logits are `scale` times the scores."""
        logits = scale * self.score(self.inputs)
        own = logits.gather(-1, self.targets[..., None])[..., 0]
        return (torch.logsumexp(logits, -1) - own).mean(-1)

    @abstractmethod
    def slopes(self, scale: float = 1.0) -> dict[str, Tensor]:
        """The gradient of each replica's `cross_entropy(scale)`, by the name of the parameter; scores are multiplied by `scale`.

        Written out: automatic differentiation of small memories takes longer.
        """


def excess(logits: Tensor, targets: Tensor) -> Tensor:
    """The gradient of the mean cross-entropy over the queries in their logits: (softmax - 1 at the answer)/queries."""
    less = logits.new_full((1, 1, 1), -1.0).expand(*targets.shape, 1)
    return logits.softmax(-1).scatter_add_(-1, targets[..., None], less).div_(targets.shape[-1])


def check_integer(name: str, value: object, low: int, *, what: str = "") -> None:
    """Raise ValueError unless `value` is an integer >= `low`.

    `name`, `what`: how the error calls the value, and what it stands for.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < low:
        raise ValueError(f"{name} must be an integer >= {low}{what}; got {value!r}")


def check_associations(inputs: Tensor, outputs: Tensor, targets: Tensor) -> Tensor:
    """The targets as (replicas, N) integers; ValueError if one of the three is not as `Memory.store` takes them."""
    for name, value in (("inputs", inputs), ("outputs", outputs)):
        if value.dim() != 3 or min(value.shape) < 1:
            raise ValueError(f"{name} must have the shape (replicas, number, dimension); got {tuple(value.shape)}")
        if not value.is_floating_point():
            raise ValueError(f"{name} must be floating-point numbers; got {value.dtype}")
    if inputs.shape[0] != outputs.shape[0]:
        raise ValueError(f"inputs and outputs must have equally many replicas; got {len(inputs)} and {len(outputs)}")
    replicas, count = inputs.shape[:2]
    if targets.is_floating_point() or tuple(targets.shape) not in {(count,), (replicas, count)}:
        raise ValueError(
            f"targets must be integers of shape ({count},) or ({replicas}, {count}); got {targets.dtype}, {tuple(targets.shape)}"
        )
    targets = targets.to(inputs.device).expand(replicas, count)
    # One look at the numbers, which waits for the device: a non-finite weight would otherwise pass as a wrong answer.
    _check_values(inputs, outputs, targets)
    return targets


def check_weights(name: str, weights: Tensor, sizes: str, *, like: tuple[int | None, ...] = ()) -> Tensor:
    """The `weights` themselves; raises ValueError unless they are finite numbers of three dimensions.

    `name`, `sizes`: how the error calls them and their dimensions. `like`: the wanted length of each, None for any.
    """
    shape = tuple(weights.shape)
    wrong = len(shape) != 3 or min(shape) < 1 or any(n not in (None, own) for own, n in zip(shape, like, strict=False))
    if wrong:
        wanted = f", here {tuple('any' if n is None else n for n in like)}" if like else ""
        raise ValueError(f"{name} must have the shape ({sizes}), none of them 0{wanted}; got {shape}")
    if not weights.is_floating_point():
        raise ValueError(f"{name} must be floating-point numbers; got {weights.dtype}")
    if not _finite(weights):
        raise ValueError(f"{name} must be finite numbers; got NaN or infinity")
    return weights


def _finite(*tensors: Tensor) -> bool:
    """Whether all numbers are finite; a fake device has shapes only."""
    from torch._subclasses.fake_tensor import FakeTensor

    return all(isinstance(t, FakeTensor) or bool(torch.isfinite(t).all()) for t in tensors)


def _check_values(inputs: Tensor, outputs: Tensor, targets: Tensor) -> None:
    from torch._subclasses.fake_tensor import FakeTensor

    if isinstance(inputs, FakeTensor):
        return
    if not _finite(inputs, outputs):
        raise ValueError("inputs and outputs must be finite numbers")
    if int(targets.min()) < 0 or int(targets.max()) >= outputs.shape[1]:
        raise ValueError(
            f"targets must lie in 0..{outputs.shape[1] - 1}, the numbers of the outputs; got {int(targets.min())} to "
            f"{int(targets.max())}"
        )


def sampled_items(count: int, items: int, *, replicas: int, generator: torch.Generator, device: torch.device) -> Tensor:
    """Which of the stored items to ask about: numbers from 0 of shape (replicas, items).

    `count`: how many are stored. `items`: how many are drawn, uniformly with replacement; all are taken, each once, if this
    is `count` or more. `replicas`: of how many memories. `generator`, `device`: as in torch.
    """
    if items >= count:
        return torch.arange(count, device=device).expand(replicas, count)
    return torch.randint(count, (replicas, items), generator=generator, device=device)


def share_recalled(memory: Memory, queries: Tensor, answers: Tensor) -> Tensor:
    """The share of queries that the memory answers right, one number a replica, float64.

    `queries`: what `memory` is asked, of shape (replicas, number, dimension). `answers`: the numbers of the right outputs.
    """
    return (memory.recall(queries) == answers).to(torch.float64).mean(-1)
