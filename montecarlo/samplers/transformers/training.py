"""The loop that trains models by gradients: several seeds as one batched model, with records on the way."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import torch
from torch import Tensor
from torch.nn import functional

from asymp.models.transformer import Shape, Transformer
from asymp.montecarlo.draws import Draw

Batch = tuple[Tensor, Tensor, Tensor]
Seen = TypeVar("Seen")


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


def drawn_model(
    draw: Draw, shape: Shape, *, spread: float = 1.0, zero: Sequence[str] = (), dtype: torch.dtype = torch.float32
) -> Transformer:
    """A transformer of this shape for each replica, its parameters drawn from the generator; arguments as there."""
    return Transformer(
        shape,
        spread=spread,
        zero=zero,
        dtype=dtype,
        replicas=draw.replicas,
        generator=draw.generator,
        device=draw.device,
    )


def take_steps(
    loss: Callable[[int], Tensor],
    optimiser: Callable[[int], torch.optim.Optimizer],
    *,
    steps: int,
    every: int = 0,
    look: Callable[[int], Seen] | None = None,
    enough: Callable[[Sequence[Seen]], bool] | None = None,
) -> list[Seen]:
    """Take the steps 0, ..., `steps` - 1, or fewer; returns what `look` said.

    Args:
        loss: The losses at a step, one a replica, on a fresh batch. Their sum is differentiated: no replica sees another's.
        optimiser: The optimiser that takes the step of this number.
        steps: How many steps are taken.
        every: Before how many steps `look` is called, besides once at the end; 0 is only at the end.
        look: A function of the number of the next step.
        enough: Whether nothing can change any more, by what `look` said so far: then training ends.
    """
    seen: list[Seen] = []
    for step in range(steps):
        if look is not None and every and step % every == 0:
            seen.append(look(step))
            if enough is not None and enough(seen):
                return seen
        taken = optimiser(step)
        taken.zero_grad(set_to_none=True)
        torch.autograd.backward(loss(step).sum())
        taken.step()
    return seen if look is None else [*seen, look(steps)]


def falling(optimiser: torch.optim.Optimizer, steps: int) -> Callable[[int], torch.optim.Optimizer]:
    """The optimiser with a rate that falls linearly to 0."""
    rate = optimiser.param_groups[0]["lr"]

    def at(step: int) -> torch.optim.Optimizer:
        optimiser.param_groups[0]["lr"] = rate * (1 - step / steps)
        return optimiser

    return at


def onsets(seen: Tensor, every: int, steps: int) -> Tensor:
    """The step at which something is first seen, of looks (look, ...) every so many steps: at least 1, steps + 1 if never."""
    return torch.where(seen.any(0), seen.double().argmax(0) * every, steps + 1).clamp(min=1).double()


def masked_loss(logits: Tensor, targets: Tensor, mask: Tensor) -> Tensor:
    """The cross-entropy averaged over the masked positions, one number a replica."""
    losses = functional.cross_entropy(logits.flatten(0, 2), targets.flatten(), reduction="none").view(targets.shape)
    weight = mask.to(losses.dtype)
    return (losses * weight).sum((1, 2)) / weight.sum((1, 2)).clamp(min=1)


def train(
    model: Transformer,
    batch: Callable[[int], Batch],
    *,
    steps: int,
    names: Sequence[str],
    optimiser: Optimiser,
    every: int = 0,
    look: Callable[[int], Seen] | None = None,
    enough: Callable[[Sequence[Seen]], bool] | None = None,
    stage: Callable[[int], str] | None = None,
) -> list[Seen]:
    """Train the named parameters on a fresh batch (tokens, targets, mask) at each step; `stage` names the one that learns
    at a step, where they learn one after the other. `every`, `look` and `enough` as in `take_steps`."""
    parameters = model.train_only(names)
    # In stages every parameter needs moments of its own; else one optimiser takes them all.
    apart = dict(zip(names, (optimiser.make([p]) for p in parameters), strict=True)) if stage is not None else {}
    together = optimiser.make(parameters)

    def loss(step: int) -> Tensor:
        tokens, targets, mask = batch(step)
        return masked_loss(model(tokens), targets, mask)

    def at(step: int) -> torch.optim.Optimizer:
        return together if stage is None else apart[stage(step)]

    return take_steps(loss, at, steps=steps, every=every, look=look, enough=enough)
