"""Memories of patterns: a state is moved towards the stored pattern that it resembles, and compared with all of them."""

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
