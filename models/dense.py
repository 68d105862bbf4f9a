"""Dense associative memories: E(x) = -sum over the patterns of F(xi . x), with F(s) = s^k or F(s) = exp(s)."""

import torch
from torch import Tensor

from asymp.models.patterns import PatternMemory, flipped


class Dense(PatternMemory):
    """A bit moves to the side with the lower energy, the other bits held; all bits are moved at once.

    `k` is the degree, an integer >= 2, or 'exponential'; then the energy is divided by exp(d), on which neither the steps
    nor the order of energies depend. `steps`: how often a state is updated at recall.
    """

    def __init__(self, k: int | str, *, steps: int = 1) -> None:
        super().__init__(steps=steps)
        if k != "exponential" and (isinstance(k, bool) or not isinstance(k, int) or k < 2):
            raise ValueError(f"k must be an integer >= 2 or 'exponential'; got {k!r}")
        self.k = k

    def profile(self, overlap: Tensor) -> Tensor:
        """F(s) = s^k, or exp(s - d), of the `overlap` s: whole numbers below 2^53 stay whole."""
        return torch.exp(overlap - self.outputs.shape[-1]) if isinstance(self.k, str) else overlap**self.k

    def field(self, states: Tensor) -> Tensor:
        """For each bit of the `states`: the energy with it down less that with it up; patterns and states are signs.

        With s = xi . x and c = xi_i x_i a pattern adds x_i (F(s) - F(s - 2 c)): it is x_i (F(s) - (F(s + 2) + F(s - 2))/2)
        plus xi_i (F(s + 2) - F(s - 2))/2, since c is a sign; so that all bits cost one product with the patterns.
        """
        overlap = self.overlaps(states)
        up, down = self.profile(overlap + 2), self.profile(overlap - 2)
        common = (self.profile(overlap) - (up + down) / 2).sum(-1, keepdim=True)
        return torch.matmul((up - down) / 2, self.outputs) + states * common

    def step(self, states: Tensor) -> Tensor:
        """The `states` after all bits were moved at once."""
        return flipped(states, self.field(states))

    def energy(self, states: Tensor) -> Tensor:
        """-sum over the patterns of F(xi . x), for each of the `states` x."""
        return -self.profile(self.overlaps(states)).sum(-1)
