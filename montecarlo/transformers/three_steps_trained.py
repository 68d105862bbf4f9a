"""Three gradient steps taken for real, at finite or infinite width, with the theorem's simplifications or without.

Sequences and model are those of `three_steps`. A step is one of the gradient in the d x d matrix; what the matrix then says
between two embeddings is (Gram matrix of the embeddings that ask) (gradient in the scores) (Gram matrix of those that
answer), so that the cost does not depend on d, and infinite width (one-hot blocks) is a Gram matrix of 1. `free` lifts
simplifications: 'scores' lets layer 1 score tokens besides positions, 'keys' lets the keys of layer 2 be the whole residual
stream and not only the tokens that layer 1 carried, 'everything' lifts all of them, those of queries and values too.
"""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.recall.checks import check_choice, check_whole
from asymp.montecarlo.scores.embeddings import draw_embeddings
from asymp.montecarlo.transformers.three_steps import _logits, _sequences

__all__ = [
    "sample_simplified_gain",
    "sample_stepped_accuracy",
    "sample_width_gain",
    "simplified_gain_experiment",
    "stepped_accuracy_experiment",
    "width_gain_experiment",
]

FREE = ("nothing", "scores", "keys", "everything")
CHUNK = 4096
# Steps that others are taken after are small (first order); at the end they are amplified until attention is hard.
SMALL, LARGE = 1e-4, 1e3


class _Model:
    """Which embeddings each matrix sees, and their inner products: random in d dimensions, or orthonormal (d None).

    The residual stream before layer 2 holds tokens, positions, and both as layer 1 carried them, in this order.
    """

    def __init__(self, N: int, T: int, d: int | None, free: str, **how: Any) -> None:
        self.N, self.T, self.free, self.device = N, T, free, how["device"]
        tokens, places, carried = slice(0, N), slice(N, N + T), slice(N + T, 2 * N + T)
        everything = slice(0, 2 * (N + T))
        self.first = slice(0, N + T) if free in ("scores", "everything") else places
        self.keys = everything if free in ("keys", "everything") else carried
        self.asks = self.values = everything if free == "everything" else tokens
        size = 2 * (N + T)
        if d is None:
            stream = outputs = None
        else:
            stream, outputs = (draw_embeddings("gaussian", (n, d), **how) for n in (size, N))
        # Inner products of what asks and of what answers, for each matrix.
        self.grams = {
            name: tuple(self._gram(rows, which) for rows, which in sides)
            for name, sides in {
                "OV2": ((outputs, slice(0, N)), (stream, self.values)),
                "KQ2": ((stream, self.asks), (stream, self.keys)),
                "KQ1": ((stream, self.first), (stream, self.first)),
            }.items()
        }

    def _gram(self, rows: Tensor | None, which: slice) -> Tensor:
        if rows is None:
            return torch.eye(which.stop - which.start, dtype=torch.float64, device=self.device)
        return rows[which] @ rows[which].T

    def zeros(self) -> dict[str, Tensor]:
        """The three matrices' scores at the start."""
        return {
            name: torch.zeros(len(a), len(b), dtype=torch.float64, device=self.device)
            for name, (a, b) in self.grams.items()
        }

    def logits(self, z: Tensor, KQ1: Tensor, KQ2: Tensor, OV2: Tensor) -> Tensor:
        """The logits at the last position, from the scores of the three matrices between embeddings."""
        if self.free == "nothing":
            return _logits(z, self.N, KQ1, KQ2, OV2)
        places = torch.eye(self.T, dtype=torch.float64, device=self.device).expand(len(z), -1, -1)
        x = torch.cat([functional.one_hot(z, self.N).double(), places], 2)
        later = torch.triu(torch.ones(self.T, self.T, dtype=torch.bool, device=self.device), 1)
        at = x[..., self.first]
        stream = torch.cat([x, (at @ KQ1 @ at.mT).masked_fill(later, -math.inf).softmax(-1) @ x], 2)
        asked = stream[:, -1:, self.asks] @ KQ2
        seen = (asked @ stream[..., self.keys].mT).softmax(-1) @ stream[..., self.values]
        return (seen @ OV2.T)[:, 0]


def _stepped(model: _Model, matrices: dict[str, Tensor], name: str, batches: list[tuple[Tensor, Tensor]]) -> Tensor:
    """What one step from 0 on the named matrix makes of its scores, the largest of them 1."""
    stepped = matrices[name].clone().requires_grad_()
    total = torch.zeros_like(stepped)
    for z, y in batches:
        loss = functional.cross_entropy(model.logits(z, **{**matrices, name: stepped}), y)
        total -= torch.autograd.grad(loss, stepped)[0]
    asks, answers = model.grams[name]
    found = asks @ total @ answers
    return found / found.abs().max()


def _accuracy(N: int, T: int, d: int | None, sequences: int, free: str, **how: Any) -> Tensor:
    model = _Model(N, T, d, free, **how)
    batches = [_sequences(N, T, min(CHUNK, sequences), **how) for _ in range(-(-sequences // CHUNK))]
    matrices, found = model.zeros(), {}
    for name in matrices:
        found[name] = _stepped(model, matrices, name, batches)
        matrices[name] = SMALL * found[name]
    z, y = _sequences(N, T, 1024, **how)
    logits = model.logits(z, **{name: LARGE * value for name, value in found.items()})
    best = logits >= logits.amax(1, keepdim=True) - 1e-6 * LARGE
    return (best.gather(1, y[:, None])[:, 0].double() / best.sum(1)).mean()


def _runs(one: Callable[[], Tensor], replicas: int) -> Tensor:
    return torch.stack([one() for _ in range(replicas)])


def sample_stepped_accuracy(
    *,
    N: int,
    T: int,
    d: int | None = None,
    sequences: int = 16384,
    free: str = "nothing",
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> Tensor:
    """Accuracy on 1024 fresh sequences after the three steps, their gradients taken on `sequences`; d None is infinite."""
    N, T = check_whole("N", N, low=2), check_whole("T", T, low=4)
    d = None if d is None else check_whole("d", d)
    check_choice("free", free, FREE)
    sequences = check_whole("sequences", sequences)
    return _runs(lambda: _accuracy(N, T, d, sequences, free, generator=generator, device=device), replicas)


def sample_simplified_gain(
    *, N: int, T: int, free: str, sequences: int, replicas: int, generator: torch.Generator, device: torch.device
) -> Tensor:
    """Accuracy with the simplifications less that without, at infinite width."""
    how: dict[str, Any] = {"sequences": sequences, "replicas": replicas, "generator": generator, "device": device}
    simple, other = (sample_stepped_accuracy(N=N, T=T, free=which, **how) for which in ("nothing", free))
    return simple - other


def sample_width_gain(
    *,
    N: int,
    T: int,
    d: int,
    less: int,
    sequences: int,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> Tensor:
    """Accuracy with random embeddings in d dimensions less that in `less`, with the simplifications."""
    how: dict[str, Any] = {"sequences": sequences, "replicas": replicas, "generator": generator, "device": device}
    wide, narrow = (sample_stepped_accuracy(N=N, T=T, d=width, **how) for width in (d, less))
    return wide - narrow


stepped_accuracy_experiment = experiment(
    "three-steps-taken", sample_stepped_accuracy, version=2, block=4, bounds=(0.0, 1.0)
)
simplified_gain_experiment = experiment("three-steps-simplified", sample_simplified_gain, version=2, block=4)
width_gain_experiment = experiment("three-steps-width", sample_width_gain, version=2, block=4)
