"""The next token of many chains at once: the first entry of a row of cumulative probabilities that exceeds u."""

import torch
from torch import Tensor

CELLS = 512


class Following:
    """Draws from the rows of a transition matrix (N, N), by inversion.

    The cumulative probabilities of all rows stand in one ascending list, those of row z between z and z + 1: one search
    answers for every chain. On a CPU the unit interval is cut into cells first, and a table answers wherever no boundary
    lies inside u's cell; the search is left for the few others.
    """

    def __init__(self, following: Tensor) -> None:
        N = len(following)
        cumulative = following.cumsum(1)
        cumulative[:, -1] = 1.0
        device = following.device
        self.stairs = (cumulative + torch.arange(N, device=device)[:, None]).flatten()
        self.column = torch.arange(N, device=device).repeat(N)
        self.guide = None
        if device.type == "cpu":
            ends = torch.arange(CELLS + 1, dtype=torch.float64) / CELLS
            last = torch.nextafter(ends[1:], torch.zeros((), dtype=torch.float64))  # the last number below a cell's end
            low, high = (
                torch.searchsorted(cumulative, u.expand(N, -1).contiguous(), right=True) for u in (ends[:-1], last)
            )
            self.guide = torch.where(low == high, low, -1).flatten()

    def walk(self, draws: Tensor) -> "Walk":
        """Steps of many chains, with the uniform numbers (steps, chains) that they will use."""
        # Below 1 - 2^-36 the sum z + u stays below z + 1.
        return Walk(self, draws.clamp(max=1 - 2**-36))


class Walk:
    """Chains on their way: `free(t, z)` are the tokens after z at step t."""

    def __init__(self, law: Following, draws: Tensor) -> None:
        self.law = law
        self.draws = draws.unbind()
        self.cells = (draws * CELLS).long().unbind() if law.guide is not None else ()

    def free(self, t: int, z: Tensor) -> Tensor:
        """One step of every chain."""
        law, u = self.law, self.draws[t]
        if law.guide is None:
            return law.column.index_select(0, torch.searchsorted(law.stairs, u + z, right=True))
        found = law.guide.index_select(0, z * CELLS + self.cells[t])
        open_ = (found < 0).nonzero()[:, 0]
        at = u.index_select(0, open_) + z.index_select(0, open_)
        found[open_] = law.column.index_select(0, torch.searchsorted(law.stairs, at, right=True))
        return found
