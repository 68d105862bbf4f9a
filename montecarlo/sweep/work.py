"""The work on one series in a sweep: what is known, what is under way, what failed, what it cost."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from asymp.montecarlo.executors.task import Finder
from asymp.montecarlo.store.series import Series
from asymp.montecarlo.sweep.ranges import Range, cover, gaps

__all__ = ["Item", "Missing", "Work"]


class Missing(RuntimeError):
    """Values that a sweep could not get, and why."""


@dataclass(eq=False)
class Work:
    """One series up to a number of blocks."""

    series: Series
    blocks: int
    finder: Callable[[], Finder | None]
    pieces: dict[Range, np.ndarray] = field(default_factory=dict)
    stored: list[Range] = field(default_factory=list)
    waiting: int = 0
    failures: list[str] = field(default_factory=list)
    seconds: float = 0.0
    timed: int = 0
    spent: float = 0.0
    computed: int = 0
    found: int = 0
    origins: list[dict[str, Any]] = field(default_factory=list)

    def comes_from(self, provenance: dict[str, Any]) -> None:
        """Note what computed some of the values: each machine and version once."""
        origin = {name: value for name, value in provenance.items() if name not in ("started", "command")}
        if origin not in self.origins:
            self.origins.append(origin)

    @property
    def rate(self) -> float | None:
        """Seconds a block, if any has been timed."""
        return self.seconds / self.timed if self.timed else None

    def time(self, blocks: int, seconds: float) -> None:
        """Learn what blocks cost."""
        self.timed += blocks
        self.seconds += seconds

    def values(self, replicas: int) -> np.ndarray:
        """The first `replicas` values; `Missing` if some of their blocks are not there."""
        block = self.series.experiment.block
        wanted = self.series.blocks_for(replicas)
        missing = gaps(self.pieces, wanted)
        if missing:
            count = sum(last - first for first, last in missing)
            reason = self.failures[0] if self.failures else "it was not computed"
            raise Missing(f"{self.series}: {count} of {wanted} blocks are missing ({reason})")
        parts, reached = [], 0
        for first, last in cover(self.pieces, wanted):
            parts.append(self.pieces[first, last][(reached - first) * block :])
            reached = last
        return np.concatenate(parts)[:replicas]


@dataclass(eq=False)
class Item:
    """Blocks of a work that wait to be computed: one cell, or more if they prove dear."""

    work: Work
    first: int
    last: int
    tries: int = 0
    alone: bool = False

    @property
    def blocks(self) -> int:
        """How many blocks."""
        return self.last - self.first
