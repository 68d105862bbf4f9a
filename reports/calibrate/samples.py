"""Many samples of one cell, judged one after the other: their intervals are computed for all of them at a time.

A betting interval costs a long loop over the stakes, whether for one sample or for four hundred. A `Draw` is an estimate
that is asked for its interval like any other; when a level is asked for by a third draw of a batch, it is computed for
every draw of it. The numbers are those of the single intervals, bit for bit.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from asymp.montecarlo import Estimate
from asymp.montecarlo.intervals import _lower_ends, mean_interval

__all__ = ["draws"]

Interval = tuple[float, float]

# A level that only one or two draws ask for (the end of a bisection) is not worth computing for all.
SINGLE = 2
# From so many values on, the values cost the time and not the steps: each sample is then asked by itself, and no more closely
# than an answer needs.
LONG = 2**14


@dataclass(eq=False)
class _Batch:
    """The samples of a cell, one a row, and the intervals known so far: by level, then by row."""

    rows: np.ndarray
    bounds: tuple[float, float]
    known: dict[float, dict[int, Interval]] = field(default_factory=dict)

    def interval(self, row: int, level: float) -> Interval:
        known = self.known.setdefault(level, {})
        if row not in known:
            if len(known) < SINGLE:
                known[row] = mean_interval(self.rows[row], bounds=self.bounds, level=level)
            else:
                self._all(known, level)
        return known[row]

    def _all(self, known: dict[int, Interval], level: float) -> None:
        low, high = self.bounds
        left = [i for i in range(len(self.rows)) if i not in known]
        betting = []
        for i in left:
            if np.all((self.rows[i] == low) | (self.rows[i] == high)):
                known[i] = mean_interval(self.rows[i], bounds=self.bounds, level=level)  # counts: Clopper and Pearson
            else:
                betting.append(i)
        if betting:
            x = (self.rows[betting] - low) / (high - low)
            ends = _lower_ends(np.concatenate([x, 1 - x]), math.log((1 - level) / 2))
            for i, lower, upper in zip(betting, ends[: len(betting)], ends[len(betting) :], strict=True):
                known[i] = (low + (high - low) * float(lower), low + (high - low) * float(1 - upper))


@dataclass(frozen=True, eq=False)
class Draw(Estimate):
    """One sample of a batch; every interval that was computed once is remembered."""

    batch: _Batch | None = None
    row: int = 0

    def interval(self, level: float = 0.95) -> Interval:
        """The interval of the mean at `level`."""
        return super().interval(level) if self.batch is None else self.batch.interval(self.row, level)


def draws(samples: Sequence[np.ndarray], bounds: tuple[float, float] | None) -> list[Estimate]:
    """Estimates from equally many values each."""
    if bounds is None or len(samples[0]) >= LONG:
        return [Estimate(values=sample, bounds=bounds) for sample in samples]
    # as Estimate clips them: sums of probabilities may exceed a bound by their rounding
    batch = _Batch(np.clip(np.array(samples, dtype=np.float64), *bounds), bounds)
    return [Draw(values=sample, bounds=bounds, batch=batch, row=i) for i, sample in enumerate(samples)]
