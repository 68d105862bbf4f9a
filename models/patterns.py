"""Memories of patterns: a state is moved towards the stored pattern that it resembles, and compared with all of them.

Softmax attention as a memory: one gradient step of size 1 on the log-sum-exp energy.

Dense associative memories: E(x) = -sum over the patterns of F(xi . x), with F(s) = s^k or F(s) = exp(s).

Hopfield nets: W = sum over the patterns of xi xi^T, all bits moved at once, with the diagonal of W or without.
"""

from abc import abstractmethod
from typing import Self

import torch
from torch import Tensor

from asymp.models.memory import Memory, check_associations, check_integer


class PatternMemory(Memory):
    """An energy and the dynamics that goes down on it. Inputs are the patterns (replicas, N, d); they are the outputs too.

    `score` compares the state after `steps` steps with every pattern. `step` and `energy` take states
    (replicas, states, d).
    """

    def __init__(self, *, steps: int = 1) -> None:
        super().__init__()
        check_integer("steps", steps, 0)
        self.steps = steps

    def store(self, inputs: Tensor, outputs: Tensor | None = None, targets: Tensor | None = None) -> Self:
        """Hold the patterns `inputs` (replicas, N, d).

        `outputs` and `targets`, if given, must be the patterns themselves and 0..N-1: it answers with the pattern.
        """
        own = torch.arange(inputs.shape[1] if inputs.dim() == 3 else 0, device=inputs.device)
        check_associations(inputs, inputs if outputs is None else outputs, own if targets is None else targets)
        if (outputs is not None and outputs is not inputs) or (targets is not None and not torch.equal(targets, own)):
            raise ValueError(
                "a memory of patterns answers with the pattern itself: outputs must be inputs, targets 0..N-1"
            )
        self.keep(inputs)
        return self

    @abstractmethod
    def step(self, states: Tensor) -> Tensor:
        """The `states` (replicas, number, d) after one step."""

    @abstractmethod
    def energy(self, states: Tensor) -> Tensor:
        """The energy of each of the `states`, (replicas, number)."""

    def iterate(self, states: Tensor, steps: int) -> Tensor:
        """Where the net is after a number of `steps` from the given `states`."""
        for _ in range(steps):
            states = self.step(states)
        return states

    def overlaps(self, states: Tensor) -> Tensor:
        """xi . x for every pattern xi and each of the `states` x, (replicas, states, N)."""
        return torch.matmul(states, self.outputs.mT)

    def score(self, queries: Tensor) -> Tensor:
        """The overlap with every pattern of the states that are retrieved from the `queries`."""
        return self.overlaps(self.iterate(queries, self.steps))


def flipped(states: Tensor, field: Tensor) -> Tensor:
    """The signs of the `field`; a bit of the `states` whose field is zero stays as it is."""
    return torch.where(field == 0, states, torch.sign(field))


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
