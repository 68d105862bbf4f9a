"""The capacity of one memory, read off while it grows: at which size does the share of items it recalls fall below half.

A memory holds its first N items, N running through a geometric grid; what is stored is added, so that the whole curve
costs one storage of the largest size. Mean exponents over replicas need no interval of a threshold.
"""

import math
from collections.abc import Sequence

import torch


def sizes_between(low: float, high: float, *, per_octave: int = 8) -> list[int]:
    """Whole numbers from about low to about high, `per_octave` of them in every doubling where they differ."""
    steps = math.ceil(per_octave * math.log2(high / low))
    return sorted({max(1, round(low * 2 ** (j / per_octave))) for j in range(steps + 1)})


def crossing(sizes: Sequence[int], recalls: torch.Tensor, threshold: float = 0.5) -> torch.Tensor:
    """The size at which recall (sizes, replicas) first falls below the threshold, between two sizes linear in log N.

    NaN where it is below at the first size or never: the grid does not hold the capacity, and an experiment that
    returns NaN is an error.
    """
    if len(sizes) < 2:
        return torch.full_like(recalls[0], math.nan)
    logs = torch.tensor([math.log(N) for N in sizes], dtype=torch.float64, device=recalls.device)
    below = (recalls < threshold).to(torch.float64)
    # the first size below: as many before it as the running maximum of `below` is zero
    first = (torch.cummax(below, 0).values == 0).sum(0)
    inside = (first > 0) & (first < len(sizes))
    right = first.clamp(1, len(sizes) - 1)
    left = right - 1
    high, low = recalls.gather(0, left[None])[0], recalls.gather(0, right[None])[0]
    start, end = logs.index_select(0, left), logs.index_select(0, right)
    at = start + (end - start) * (high - threshold) / (high - low)
    return torch.where(inside, at.exp(), torch.full_like(at, math.nan))


class Curve:
    """The recall of one memory, size by size; its capacity is settled once recall has fallen below one half."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self.sizes = sizes
        self.recalls: list[torch.Tensor] = []

    @property
    def settled(self) -> bool:
        """Whether recall at larger sizes changes nothing: these need not be asked, but what is drawn for them still is."""
        return bool(self.recalls) and bool(self.recalls[-1] < 0.5)

    def capacity(self) -> torch.Tensor:
        """The size of the first crossing, as one value."""
        return crossing(self.sizes[: len(self.recalls)], torch.stack(self.recalls)[:, None])


def beats_candidates(
    answers: torch.Tensor, outputs: torch.Tensor, targets: torch.Tensor, candidates: int
) -> torch.Tensor:
    """The share of queries whose right output scores above the first `candidates` outputs, itself left out.

    `answers` (queries, d) is what the memory returns, `outputs` (M, d), `targets` (queries,) the right outputs.
    """
    few = answers @ outputs.narrow(0, 0, candidates).mT
    own = (answers * outputs.index_select(0, targets)).sum(1, keepdim=True)
    itself = targets[:, None] == torch.arange(candidates, device=targets.device)
    best = few.masked_fill(itself, -math.inf).amax(1, keepdim=True)
    return (own > best).to(torch.float64).mean()
