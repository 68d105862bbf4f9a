"""Hopfield nets: W = sum over the patterns of xi xi^T, all bits moved at once, with the diagonal of W or without."""

from typing import Self

import torch
from torch import Tensor

from asymp.models.memory import check_weights
from asymp.models.patterns import PatternMemory, flipped

DIAGONALS = ("zero", "kept")


class Hopfield(PatternMemory):
    """x' = sign(W x), E(x) = -x^T W x. W is never formed: W x = sum_mu xi_mu (xi_mu . x), less N x for a zero diagonal.

    Patterns of signs have sums that are whole numbers, exact in floating point, so that a field of zero is seen as such.
    A `weight` (replicas, d, d) given takes the place of that W; what is stored is then only what states are compared with.

    `diagonal`: 'zero' or 'kept'. `steps`: how often a state is updated at recall.
    """

    def __init__(self, *, diagonal: str = "zero", steps: int = 1, weight: Tensor | None = None) -> None:
        super().__init__(steps=steps)
        if diagonal not in DIAGONALS:
            raise ValueError(f"diagonal must be 'zero' or 'kept'; got {diagonal!r}")
        self.diagonal = diagonal
        self.weight = weight if weight is None else _square(weight, None, None)

    def store(self, inputs: Tensor, outputs: Tensor | None = None, targets: Tensor | None = None) -> Self:
        """Hold the patterns."""
        super().store(inputs, outputs, targets)
        if self.weight is not None:
            _square(self.weight, *inputs.shape[::2])
        return self

    def field(self, states: Tensor) -> Tensor:
        """W x."""
        if self.weight is None:
            field = torch.matmul(self.overlaps(states), self.outputs)
            diagonal = self.outputs.square().sum(1, keepdim=True)
        else:
            field = torch.matmul(states, self.weight.mT)
            diagonal = self.weight.diagonal(dim1=1, dim2=2)[:, None]
        return field - states * diagonal if self.diagonal == "zero" else field

    def step(self, states: Tensor) -> Tensor:
        """Every bit at once."""
        return flipped(states, self.field(states))

    def energy(self, states: Tensor) -> Tensor:
        """-x^T W x."""
        return -(states * self.field(states)).sum(-1)


def _square(weight: Tensor, replicas: int | None, d: int | None) -> Tensor:
    check_weights("weight", weight, "replicas, d, d", like=(replicas, d, d))
    if weight.shape[1] != weight.shape[2]:
        raise ValueError(f"weight must be square, (replicas, d, d); got {tuple(weight.shape)}")
    return weight
