"""The capacity of a memory: the largest N at which mean recall is at least a threshold, with an honest interval.

A bisection finds the neighbourhood; its last bracket says nothing about the error of the answer. Then a grid of sizes
around it, chosen from what the search learnt of the slope and the dispersion, gets fresh replicas, and the interval
comes from the grid alone: a logit regression where it fits, tests that assume only monotonicity where it does not.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from asymp.montecarlo.arguments import takes
from asymp.montecarlo.capacity.points import CapacityPoint, Dispersion, logit_fit, monotone_limits, p_of_falling
from asymp.montecarlo.capacity.search import Search
from asymp.montecarlo.intervals import check_level
from asymp.montecarlo.typeset import latex_number, notebook_html

LACK_OF_FIT = 0.05
RISES = 1e-4  # p-value below which recall is said to rise again with N


@dataclass(frozen=True, eq=False)
class CapacityFit:
    """The largest N in `range` with mean recall >= `threshold`.

    `status` is "ok"; "unbounded": no size up to the end of the range was shown to fail (capacity and upper limit are
    infinite); "below": no size was shown to hold (capacity 0); "not monotone": recall rises again with N, which contradicts what
    every interval here assumes. `method` is "logit" or "monotone": the first assumes that
    logit recall in log N is a parabola over the grid, or two lines that meet at the capacity, which was not contradicted
    (`lack_of_fit`, a p-value), or where it was and there are enough sizes a form of `degree` 3; the second only that recall
    falls with N. Both trust the central limit theorem at 30 or
    more effective errors a size.
    """

    capacity: float
    status: str
    method: str
    evaluated: tuple[CapacityPoint, ...]
    range: tuple[int, int]
    threshold: float
    level: float
    paired: bool
    lack_of_fit: float | None
    degree: int = 2

    def interval(self, level: float | None = None) -> tuple[float, float]:
        """The interval of the capacity; beyond the level of the search an end may be open (0 or infinity)."""
        level = self.level if level is None else level
        if level not in self._intervals:
            check_level(level)
            degrees = (self.degree,) if self.method == "logit" else ()
            answer = _answer(self.evaluated, 1 - self.threshold, level, self.paired, degrees)
            self._intervals[level] = answer.interval
        return self._intervals[level]

    @cached_property
    def _intervals(self) -> dict[float, tuple[float, float]]:
        return {}

    @property
    def effective_errors(self) -> float:
        """The effective number of errors that a size at the threshold has."""
        grid = [p for p in self.evaluated if p.stage == "grid"]
        D = Dispersion.pooled(grid)
        return min(p.replicas * (1 - self.threshold) / D(p.N) for p in grid)

    def __str__(self) -> str:
        low, high = self.interval()
        return (
            f"capacity {self.capacity:.6g} at recall {self.threshold:g}, {100 * self.level:g} % interval"
            f" [{low:.6g}, {high:.6g}], status {self.status}, method {self.method},"
            f" sizes {self.range[0]} to {self.range[1]}"
        )

    def _repr_html_(self) -> str:
        return notebook_html("CapacityFit", str(self))

    def _repr_latex_(self) -> str:
        low, high = self.interval()
        return rf"$N^* = {latex_number(self.capacity)} \quad [{latex_number(low)},\; {latex_number(high)}]$"


@takes(Search)
def find_capacity(
    recall: Callable[[int, int, int], Any],
    *,
    threshold: float = 0.99,
    level: float = 0.95,
    method: str = "auto",
    paired: bool = False,
    **settings: Any,
) -> CapacityFit:
    """The largest N in start..stop at which the mean of `recall(N, replicas, seed)` is at least `threshold`.

    `recall` returns a recall fraction for each replica, or the pair (successes, trials) of arrays. Mean recall must
    not rise with N. Replicas at different sizes are independent, unless `paired` says that they are shared.

    Args:
        method: 'auto', a regression on the logit of recall where it fits, or 'monotone', tests of single sizes.
    """
    _check(threshold, level, method)
    search = Search(recall=recall, threshold=threshold, level=level, paired=paired, **settings)
    sizes = (search.start, search.stop)
    return _fit(search.run(), sizes, threshold=threshold, level=level, method=method, paired=paired)


def capacity_of(
    sizes: Sequence[int],
    samples: Sequence[Any],
    *,
    threshold: float = 0.99,
    level: float = 0.95,
    method: str = "auto",
    paired: bool = False,
) -> CapacityFit:
    """The same from recall measured at sizes that were fixed beforehand: samples[i] are the replicas' recalls at sizes[i].

    `sizes`: two or more increasing integers. `threshold`: the mean recall that a size must reach. `level`: of the
    interval. `method`: 'auto', a regression on the logit of recall where it fits, or 'monotone', tests of single sizes.
    `paired`: whether a replica is the same draw at every size.
    """
    if len(sizes) != len(samples) or len(sizes) < 2 or sorted(set(sizes)) != list(sizes):
        raise ValueError(f"sizes must be two or more increasing integers, with one sample each; got {list(sizes)!r}")
    values = [np.asarray(sample, dtype=np.float64) for sample in samples]
    for N, recalls in zip(sizes, values, strict=True):
        if recalls.ndim != 1 or len(recalls) < 2 or not ((recalls >= 0) & (recalls <= 1)).all():
            raise ValueError(f"samples must be two or more recall fractions in [0, 1] at each size; size {N} has not")
    if not all(isinstance(N, int | np.integer) and not isinstance(N, bool) and N >= 1 for N in sizes):
        raise ValueError(f"sizes must be two or more increasing integers, with one sample each; got {list(sizes)!r}")
    _check(threshold, level, method)
    points = [CapacityPoint(int(N), recalls, "grid") for N, recalls in zip(sizes, values, strict=True)]
    return _fit(points, (sizes[0], sizes[-1]), threshold=threshold, level=level, method=method, paired=paired)


def _check(threshold: float, level: float, method: str) -> None:
    if not 0 < threshold < 1:
        raise ValueError(f"threshold must lie in (0, 1); got {threshold!r}")
    if method not in {"auto", "monotone"}:
        raise ValueError(f"method must be 'auto' or 'monotone'; got {method!r}")
    check_level(level)


def _fit(
    points: Sequence[CapacityPoint],
    sizes: tuple[int, int],
    *,
    threshold: float,
    level: float,
    method: str,
    paired: bool,
) -> CapacityFit:
    found = _answer(points, 1 - threshold, level, paired, (2, 3) if method == "auto" else ())
    low, high = found.interval
    status = "unbounded" if high == math.inf else "below" if low == 0 else "ok"
    if p_of_falling(points) < RISES:
        status = "not monotone"
    return CapacityFit(
        capacity={"unbounded": math.inf, "below": 0.0}.get(status, found.capacity),
        status=status,
        method=found.method,
        evaluated=tuple(points),
        range=sizes,
        threshold=threshold,
        level=level,
        paired=paired,
        lack_of_fit=found.lack_of_fit,
        degree=found.degree,
    )


@dataclass(frozen=True)
class _Answer:
    interval: tuple[float, float]
    capacity: float
    method: str
    lack_of_fit: float | None
    degree: int = 2


def _answer(
    points: Sequence[CapacityPoint], e0: float, level: float, paired: bool, degrees: tuple[int, ...]
) -> _Answer:
    """The answer of the first regression of these degrees that is not contradicted, else that of the monotone tests."""
    grid = [p.N for p in points if p.stage == "grid"]
    holds, fails = monotone_limits(points, e0=e0, level=level, paired=paired)
    # A grid that does not show both sides holds the crossing by chance if at all, and so would the fit's answer.
    spanned = holds is not None and fails is not None and min(grid) <= holds and fails <= max(grid)
    first = None
    for degree in degrees or (2,):
        fit = logit_fit(points, e0=e0, level=level, paired=paired, degree=degree)
        first = first or fit
        if degrees and spanned and fit is not None and fit.limits is not None and fit.lack_of_fit > LACK_OF_FIT:
            low, middle, high = (float(math.floor(end)) for end in fit.limits)
            return _Answer((low, high), middle, "logit", fit.lack_of_fit, degree)
    fitted = None if first is None else first.limits
    low, high = float(holds or 0), math.inf if fails is None else float(fails - 1)
    high = max(low, high)
    middle = fitted[1] if fitted is not None else math.sqrt(max(low, 1.0) * high)
    middle = float(math.floor(middle)) if math.isfinite(middle) else middle
    return _Answer((low, high), min(max(middle, low), high), "monotone", None if first is None else first.lack_of_fit)
