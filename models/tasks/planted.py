"""One planted token: uniform tokens, one of which carries a trigger and decides the label.

z_1..z_T are uniform on N tokens, t* is uniform, the label is z_t*. Seen as tokens of a
vocabulary of 2 N: token N + z is z with the trigger, so that its embedding is e_z + e_trig.
"""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, eq=False)
class PlantedBatch:
    """Sequences (batch, T) of tokens 0..N-1, where the trigger is and what the label is (batch,)."""

    tokens: Tensor
    planted: Tensor
    labels: Tensor

    def marked(self, N: int) -> Tensor:
        """The sequences over the vocabulary of 2 N tokens: N is added where the trigger is."""
        return self.tokens.scatter_add(1, self.planted[:, None], torch.full_like(self.planted[:, None], N))


@dataclass(frozen=True)
class PlantedTask:
    """Uniform sequences with one planted trigger.

    `N`: the number of tokens. `T`: the length of a sequence. `balanced`: whether every label occurs in equally many
    sequences of a batch (the first labels in one more, if need be) instead of at random.
    """

    N: int
    T: int
    balanced: bool = False

    def __post_init__(self) -> None:
        for name in ("N", "T"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise ValueError(f"{name} must be a whole number >= 1; got {value!r}")

    def draw(self, *, batch: int, generator: torch.Generator, device: torch.device) -> PlantedBatch:
        """Fresh sequences, `batch` of them; `generator`, `device`: the source of random numbers, and where they are drawn."""
        z = torch.randint(self.N, (batch, self.T), generator=generator, device=device)
        at = torch.randint(self.T, (batch,), generator=generator, device=device)
        if self.balanced:
            z.scatter_(1, at[:, None], (torch.arange(batch, device=device) % self.N)[:, None])
        return PlantedBatch(z, at, z.gather(1, at[:, None])[:, 0])

    def embedded(self, tokens: Tensor, trigger: Tensor) -> Tensor:
        """The embeddings of all 2 N tokens, from those of the N tokens (N, d) and of the trigger (d,)."""
        return torch.cat([tokens, tokens + trigger])
