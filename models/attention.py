"""Softmax attention as a memory: one gradient step of size 1 on the log-sum-exp energy."""

import torch
from torch import Tensor

from asymp.models.patterns import PatternMemory


class Attention(PatternMemory):
    """Softmax attention whose keys and values are the patterns; these need not be signs.

    E(x) = |x|^2/2 - (1/beta) log sum_i exp(beta xi_i . x), and a step is x' = sum_i softmax_i(beta xi . x) xi_i.

    `beta`: the inverse temperature, > 0. `steps`: how often a state is updated at recall.
    """

    def __init__(self, beta: float, *, steps: int = 1) -> None:
        super().__init__(steps=steps)
        if not 0 < beta < float("inf"):
            raise ValueError(f"beta must be a number > 0; got {beta!r}")
        self.beta = float(beta)

    def weights(self, states: Tensor) -> Tensor:
        """softmax(beta xi . x) over the patterns xi for each of the `states` x, (replicas, states, N)."""
        return torch.softmax(self.beta * self.overlaps(states), -1)

    def step(self, states: Tensor) -> Tensor:
        """What attention answers to the `states` as queries."""
        return torch.matmul(self.weights(states), self.outputs)

    def energy(self, states: Tensor) -> Tensor:
        """|x|^2/2 - (1/beta) log sum_i exp(beta xi_i . x), for each of the `states` x."""
        return states.square().sum(-1) / 2 - torch.logsumexp(self.beta * self.overlaps(states), -1) / self.beta
