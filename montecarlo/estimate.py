"""An Estimate: per-replica values, their mean, and an interval that says how far the mean can be trusted."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from asymp.montecarlo.intervals import anytime_interval, check_level, mean_interval
from asymp.montecarlo.typeset import latex_number, notebook_html

__all__ = ["Estimate"]

FIRST_LOOK = 32  # an interval from fewer values is seldom narrow enough to stop
MOST_LOOKS = 10
ROUNDING = 1e-12  # a share of the bounds' distance: sums of probabilities may exceed 1 by their rounding
LAST_SHARE = 0.25  # of 1 - level, spent on the look at the whole budget; the others share the rest evenly


@dataclass(frozen=True, eq=False)
class Estimate:
    """The mean of independent per-replica values, in the order in which they were drawn.

    `bounds` says that every value lies in [low, high]: the interval is then a finite-sample one, valid for every law on
    [low, high] (see `intervals`). Without bounds it is Student's, which trusts the central limit theorem.
    `sequential` says that the number of values was decided while looking at them: at the looks of `look_times(budget)`,
    or, without a budget, at any moment; the interval then stays valid and is the wider for it.
    """

    values: np.ndarray
    bounds: tuple[float, float] | None = None
    sequential: bool = False
    budget: int | None = None

    def __post_init__(self) -> None:
        values = np.array(self.values, dtype=np.float64)
        if values.ndim != 1 or values.size == 0:
            raise ValueError(f"values must be a one-dimensional array of at least one value; got shape {values.shape}")
        if not np.isfinite(values).all():
            raise ValueError("values must be finite; got NaN or infinity among them")
        if self.bounds is not None:
            low, high = (float(b) for b in self.bounds)
            if not (math.isfinite(low) and math.isfinite(high) and low < high):
                raise ValueError(f"bounds must be two finite numbers, low < high; got {self.bounds!r}")
            slack = ROUNDING * (high - low)
            if values.min() < low - slack or values.max() > high + slack:
                raise ValueError(
                    f"values must lie in the bounds [{low:g}, {high:g}]; got {values.min():g} to {values.max():g}"
                )
            values = np.clip(values, low, high)
            object.__setattr__(self, "bounds", (low, high))
        values.flags.writeable = False
        object.__setattr__(self, "values", values)

    @property
    def replicas(self) -> int:
        """The number of values."""
        return len(self.values)

    @cached_property
    def mean(self) -> float:
        """The mean of the values."""
        return float(np.mean(self.values))

    @cached_property
    def stderr(self) -> float:
        """The standard error of the mean; infinite for one value."""
        n = self.replicas
        return float(np.std(self.values, ddof=1)) / math.sqrt(n) if n > 1 else math.inf

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The interval of the mean at `level`, two-sided, valid under early stopping where `sequential` is set."""
        if level not in self.intervals:
            self.intervals[level] = self._interval(level)
        return self.intervals[level]

    @cached_property
    def intervals(self) -> dict[float, tuple[float, float]]:
        """The intervals computed so far, by level: one sample is judged by several laws."""
        return {}

    @cached_property
    def two_valued(self) -> bool:
        """Whether every value is one of the bounds: then the mean is a binomial share."""
        return self.bounds is not None and bool(
            np.all((self.values == self.bounds[1]) | (self.values == self.bounds[0]))
        )

    def _interval(self, level: float) -> tuple[float, float]:
        check_level(level)
        if not self.sequential:
            return mean_interval(self.values, bounds=self.bounds, level=level)
        looks = () if self.budget is None else look_times(self.budget)
        if self.replicas not in looks:
            return anytime_interval(self.values, bounds=self.bounds, level=level)
        return mean_interval(self.values, bounds=self.bounds, level=1 - (1 - level) * _share(self.replicas, looks))

    @classmethod
    def until(
        cls,
        blocks: Iterable[np.ndarray],
        *,
        rel_error: float,
        replicas: int,
        bounds: tuple[float, float] | None = None,
        level: float = 0.95,
    ) -> "Estimate":
        """Take blocks until the interval's half-width is at most `rel_error` times the mean, or `replicas` are used."""
        if not 0 < rel_error < math.inf:
            raise ValueError(f"rel_error must be a number > 0; got {rel_error!r}")
        if replicas < 1:
            raise ValueError(f"replicas must be an integer >= 1; got {replicas!r}")
        source = iter(blocks)
        values = np.empty(0)
        for look in look_times(replicas):
            parts = [values]
            while sum(map(len, parts)) < look:
                try:
                    parts.append(np.asarray(next(source), dtype=np.float64))
                except StopIteration:
                    raise ValueError(f"blocks must not end before {replicas} values are drawn") from None
            values = np.concatenate(parts)
            found = cls(values=values[:look], bounds=bounds, sequential=True, budget=replicas)
            low, high = found.interval(level)
            if (high - low) / 2 <= rel_error * abs(found.mean):
                break
        return found

    def to_json(self) -> dict[str, Any]:
        """Sufficient statistics and the 95 % interval, as plain numbers."""
        low, high = self.interval()
        return {
            "mean": self.mean,
            "stderr": self.stderr if math.isfinite(self.stderr) else None,
            "replicas": self.replicas,
            "sum": float(np.sum(self.values)),
            "sum_squares": float(np.sum(self.values**2)),
            "min": float(self.values.min()),
            "max": float(self.values.max()),
            "bounds": None if self.bounds is None else list(self.bounds),
            "sequential": self.sequential,
            "budget": self.budget,
            "interval": [low if math.isfinite(low) else None, high if math.isfinite(high) else None],
            "level": 0.95,
        }

    def __repr__(self) -> str:
        return f"<Estimate {self}>"

    def _repr_html_(self) -> str:
        return notebook_html("Estimate", str(self))

    def _repr_latex_(self) -> str:
        low, high = self.interval()
        return rf"${_digits(self.mean, self.stderr)} \quad [{latex_number(low)},\; {latex_number(high)}]$"

    def __str__(self) -> str:
        low, high = self.interval()
        return f"{_digits(self.mean, self.stderr)}, 95 % interval [{low:.4g}, {high:.4g}], {self.replicas} replicas"


def look_times(budget: int) -> tuple[int, ...]:
    """The numbers of values at which a run of at most `budget` values is looked at: budget, its half, its quarter, ...

    They are fixed beforehand, ten at most, so fixed-size intervals at levels that share 1 - level out between them
    (Bonferroni) are a confidence sequence: valid whenever the run stops. With so few looks that is narrower than a
    sequence for every moment; the price is to run up to twice as long as needed, or a 512th of the budget.
    """
    looks = {max(1, -(-budget // 2**j)) for j in range(MOST_LOOKS)}
    return tuple(sorted(look for look in looks if look >= min(FIRST_LOOK, budget)))


def _share(replicas: int, looks: tuple[int, ...]) -> float:
    """The share of 1 - level that belongs to the look at `replicas` values."""
    if len(looks) == 1:
        return 1.0
    return LAST_SHARE if replicas == looks[-1] else (1 - LAST_SHARE) / (len(looks) - 1)


def _digits(mean: float, stderr: float) -> str:
    """0.0384(3): the standard error in the last digit shown."""
    if not math.isfinite(stderr) or stderr == 0:
        return f"{mean:.6g}"
    place = max(0, -math.floor(math.log10(stderr)))
    shown = round(stderr * 10**place)
    if shown == 10:
        place, shown = max(0, place - 1), 1 if place > 0 else 10
    return f"{mean:.{place}f}({shown if place > 0 else round(stderr)})"
