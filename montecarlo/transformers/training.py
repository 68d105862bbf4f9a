"""Training a transformer: several seeds as one batched model, with records on the way."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from asymp.models.transformer import Transformer

__all__ = ["Optimiser", "masked_loss", "train"]

Batch = tuple[Tensor, Tensor, Tensor]


@dataclass(frozen=True)
class Optimiser:
    """SGD with momentum, or Adam (AdamW, which at weight decay 0 is Adam)."""

    name: str = "adam"
    lr: float = 5e-3
    momentum: float = 0.9
    betas: tuple[float, float] = (0.9, 0.95)
    weight_decay: float = 0.0

    def make(self, parameters: Sequence[Tensor]) -> torch.optim.Optimizer:
        """The torch optimiser of these parameters; every replica has its own moments, so that seeds stay independent."""
        if self.name == "sgd":
            return torch.optim.SGD(parameters, lr=self.lr, momentum=self.momentum, weight_decay=self.weight_decay)
        if self.name == "adam":
            return torch.optim.AdamW(parameters, lr=self.lr, betas=self.betas, weight_decay=self.weight_decay)
        raise ValueError(f"optimiser must be 'sgd' or 'adam'; got {self.name!r}")


def masked_loss(logits: Tensor, targets: Tensor, mask: Tensor) -> Tensor:
    """The cross-entropy averaged over the masked positions, one number a replica."""
    losses = functional.cross_entropy(logits.flatten(0, 2), targets.flatten(), reduction="none").view(targets.shape)
    weight = mask.to(losses.dtype)
    return (losses * weight).sum((1, 2)) / weight.sum((1, 2)).clamp(min=1)


def train(
    model: Transformer,
    draw: Callable[[], Batch],
    *,
    steps: int,
    names: Sequence[str],
    optimiser: Optimiser,
    every: int = 0,
    record: Callable[[int, Transformer], Any] | None = None,
    schedule: Callable[[int], Sequence[str]] | None = None,
) -> list[Any]:
    """Take `steps` steps on fresh batches (tokens, targets, mask); returns what `record` said every `every` steps.

    `names` are the parameters that learn; `schedule` says which of them learn at a step, for training in stages. The loss
    is the sum of the replicas' own losses: no replica sees another's.
    """
    parameters = model.train_only(names)
    own = dict(zip(names, parameters, strict=True))
    # In stages every parameter needs moments of its own; else one optimiser takes them all.
    optimisers = {n: optimiser.make([p]) for n, p in own.items()} if schedule else {"all": optimiser.make(parameters)}
    records = []
    for step in range(steps):
        if record is not None and every and step % every == 0:
            records.append(record(step, model))
        tokens, targets, mask = draw()
        loss = masked_loss(model(tokens), targets, mask)
        model.zero_grad(set_to_none=True)
        torch.autograd.backward(loss.sum())
        for name in schedule(step) if schedule is not None else optimisers:
            optimisers[name].step()
    if record is not None:
        records.append(record(steps, model))
    return records
