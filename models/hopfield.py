"""Hopfield nets: W = sum over the patterns of xi xi^T, all bits moved at once, with the diagonal of W or without."""

import torch
from torch import Tensor

from asymp.models.patterns import PatternMemory, flipped

DIAGONALS = ("zero", "kept")


class Hopfield(PatternMemory):
    """x' = sign(W x), E(x) = -x^T W x. W is never formed: W x = sum_mu xi_mu (xi_mu . x), less N x for a zero diagonal.

    Patterns of signs have sums that are whole numbers, exact in floating point, so that a field of zero is seen as such.

    `diagonal`: 'zero' or 'kept'. `steps`: how often a state is updated at recall.
    """

    def __init__(self, *, diagonal: str = "zero", steps: int = 1) -> None:
        super().__init__(steps=steps)
        if diagonal not in DIAGONALS:
            raise ValueError(f"diagonal must be 'zero' or 'kept'; got {diagonal!r}")
        self.diagonal = diagonal

    def field(self, states: Tensor) -> Tensor:
        """W x, for `states` x (replicas, number, d)."""
        field = torch.matmul(self.overlaps(states), self.outputs)
        return field - states * self.outputs.square().sum(1, keepdim=True) if self.diagonal == "zero" else field

    def step(self, states: Tensor) -> Tensor:
        """The `states` after one update of every bit at once."""
        return flipped(states, self.field(states))

    def energy(self, states: Tensor) -> Tensor:
        """-x^T W x, for `states` x (replicas, number, d)."""
        return -(states * self.field(states)).sum(-1)
