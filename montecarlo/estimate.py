"""An Estimate: per-replica values, their mean, and an interval that says how far the mean can be trusted.

Intervals of many estimates are asked for together (`intervals_of`, `one_sided_ps`): the same bits as one by one, in a fraction
of the time. A betting interval goes through its values in some hundred steps, and most of its time is spent between the
steps; rows of equal length go through them together. Whether an interval leaves a value out needs one of its ends only, and
that no more exactly than the value lies away from it.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from scipy.special import stdtr

from asymp.montecarlo.intervals import anytime_interval, check_level, lower_ends, mean_interval
from asymp.montecarlo.typeset import latex_number, notebook_html

Interval = tuple[float, float]
Thing = TypeVar("Thing")

FIRST_LOOK = 32  # an interval from fewer values is seldom narrow enough to stop
MOST_LOOKS = 10
ROUNDING = 1e-12  # a share of the bounds' distance: sums of probabilities may exceed 1 by their rounding
SMALLEST_P = 1e-12
STEPS = 120  # p-values are searched on so many levels from 0.49 to SMALLEST_P: rounded up to a tenth of a decade
MOST_VALUES = 2**19  # in the rows that go together: beyond, the steps themselves cost the time
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

    def interval(self, level: float = 0.95) -> Interval:
        """The interval of the mean at `level`, two-sided, valid under early stopping where `sequential` is set."""
        return intervals_of([self], level)[0][0]

    @cached_property
    def known_intervals(self) -> dict[float, Interval]:
        """The intervals computed so far, by level: one sample is judged by several laws."""
        return {}

    @cached_property
    def bets(self) -> bool:
        """Whether its interval is a betting one; where every value is one of the bounds the mean is a binomial share."""
        if self.bounds is None or self.sequential:
            return False
        return not bool(np.all((self.values == self.bounds[1]) | (self.values == self.bounds[0])))

    def saturated(self, value: float) -> bool:
        """Whether this looks like shares that all happened to be 0, or all 1, where the mean is said to lie between.

        Values without a spread are otherwise those of a deterministic identity. Shares whose experiment declares no bounds
        are not: if the mean loss is v, n runs in which nothing is lost have the probability (1 - v)^n at most.
        """
        return self.bounds is None and self.stderr == 0 and self.mean in (0.0, 1.0) and 0 < value < 1

    @property
    def _scale(self) -> tuple[float, float]:
        """The lower bound, and the distance to the upper one."""
        assert self.bounds is not None
        return self.bounds[0], self.bounds[1] - self.bounds[0]

    @property
    def _unit(self) -> np.ndarray:
        """The values as shares of the bounds' distance."""
        low, width = self._scale
        return np.asarray((self.values - low) / width)

    def _without_betting(self, level: float) -> Interval:
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


def intervals_of(estimates: Sequence[Estimate], *levels: float) -> list[list[Interval]]:
    """For each of the levels the intervals of all the estimates."""
    for level in levels:
        check_level(level)
    wanted = dict.fromkeys((e, level) for level in levels for e in estimates if level not in e.known_intervals)
    for e, level in wanted:
        if not e.bets:
            e.known_intervals[level] = e._without_betting(level)
    for some in _together(pair for pair in wanted if pair[0].bets):
        x = np.array([e._unit for e, _ in some])
        goals = np.array([math.log((1 - level) / 2) for _, level in some])
        ends = lower_ends(np.concatenate([x, 1 - x]), np.concatenate([goals, goals]))
        for (e, level), lower, upper in zip(some, ends[: len(some)], ends[len(some) :], strict=True):
            low, width = e._scale
            e.known_intervals[level] = (low + width * float(lower), low + width * float(1 - upper))
    return [[e.known_intervals[level] for e in estimates] for level in levels]


@dataclass(frozen=True, eq=False)
class _Question:
    """Does the estimate's interval at a level lie wholly above the value, or (above=False) wholly below it?"""

    estimate: Estimate
    level: float
    value: float
    above: bool


def _excluded(questions: Sequence[_Question]) -> list[bool]:
    """The answers."""
    answers: dict[_Question, bool] = {}
    for q in questions:
        # a subclass has its own way to its intervals
        if not q.estimate.bets or q.level in q.estimate.known_intervals or type(q.estimate) is not Estimate:
            low, high = q.estimate.interval(q.level)
            answers[q] = q.value < low if q.above else q.value > high
    for some in _together((q.estimate, q) for q in questions if q not in answers):
        asked = [q for _, q in some]
        answers.update(zip(asked, _answers(asked), strict=True))
    return [answers[q] for q in questions]


def _answers(asked: Sequence[_Question]) -> list[bool]:
    rows = np.array([q.estimate._unit if q.above else 1 - q.estimate._unit for q in asked])
    goals = np.array([math.log((1 - q.level) / 2) for q in asked])
    low, width = np.array([q.estimate._scale for q in asked]).T
    value = np.array([q.value for q in asked])
    above = np.array([q.above for q in asked])

    def beyond(which: np.ndarray, end: np.ndarray) -> np.ndarray:
        """Whether the value would be left out if this were the end; if it is, it is by every end further in."""
        limit = low[which] + width[which] * np.where(above[which], end, 1 - end)
        left_out: np.ndarray = np.where(above[which], value[which] < limit, value[which] > limit)
        return left_out

    ends = lower_ends(rows, goals, lambda which, a, b: beyond(which, a) | ~beyond(which, b))
    return [bool(answer) for answer in beyond(np.arange(len(asked)), ends)]


def _together(pairs: Iterable[tuple[Estimate, Thing]]) -> Iterator[list[tuple[Estimate, Thing]]]:
    """The pairs in lots of equal length, of not too many values."""
    lots: dict[int, list[tuple[Estimate, Thing]]] = defaultdict(list)
    for e, thing in pairs:
        lot = lots[e.replicas]
        lot.append((e, thing))
        if (len(lot) + 1) * e.replicas > MOST_VALUES:
            yield lots.pop(e.replicas)
    yield from lots.values()


def ps_outside(nulls: Sequence[tuple[Estimate, float, float]]) -> list[float]:
    """For each estimate the two-sided p-value against 'the mean lies in [low, high]'; low = high is the point null."""
    above = one_sided_ps([(e, high, "above") for e, _, high in nulls])
    below = one_sided_ps([(e, low, "below") for e, low, _ in nulls])
    return [min(1.0, 2 * min(pair)) for pair in zip(above, below, strict=True)]


def one_sided_ps(nulls: Sequence[tuple[Estimate, float, str]]) -> list[float]:
    """For each estimate the p-value against 'the mean is at most value' (side 'above') or 'at least value' ('below').

    For bounded values the finite-sample interval is inverted; the p-value is then valid at every sample size.
    """
    found: list[float] = []
    searched: dict[int, tuple[Estimate, float, bool]] = {}
    for i, (estimate, value, side) in enumerate(nulls):
        sign = 1.0 if side == "above" else -1.0
        p = 1.0
        if sign * (estimate.mean - value) > 0:
            if estimate.bounds is not None or estimate.sequential:
                searched[i] = (estimate, value, side == "above")
            elif estimate.saturated(value):
                p = max(SMALLEST_P, (1 - abs(estimate.mean - value)) ** estimate.replicas)
            elif estimate.stderr == 0:
                p = SMALLEST_P
            elif estimate.replicas > 1:  # one value says nothing of its own spread
                t = sign * (estimate.mean - value) / estimate.stderr
                p = max(SMALLEST_P, float(stdtr(estimate.replicas - 1, -t)))
        found.append(p)
    for i, p in zip(searched, _smallest_levels(list(searched.values())), strict=True):
        found[i] = p
    return found


def _smallest_levels(nulls: Sequence[tuple[Estimate, float, bool]]) -> list[float]:
    """For each null the smallest p at which its value is excluded, rounded up to the next of STEPS levels; 0.5 or more is 1."""
    top, steps = math.log10(0.49), STEPS
    grid = [10 ** (top + (math.log10(SMALLEST_P) - top) * k / steps) for k in range(steps + 1)]

    def out(at: dict[int, int]) -> list[int]:
        asked = [_Question(nulls[i][0], 1 - 2 * grid[k], nulls[i][1], nulls[i][2]) for i, k in at.items()]
        return [i for i, answer in zip(at, _excluded(asked), strict=True) if answer]

    # Intervals are nested, so exclusion is monotone along the grid: bisect for the last excluded entry, all at once.
    ends = {i: [0, steps] for i in out(dict.fromkeys(range(len(nulls)), 0))}
    while middles := {i: (left + right + 1) // 2 for i, (left, right) in ends.items() if left < right}:
        beyond = set(out(middles))
        for i, middle in middles.items():
            ends[i] = [middle, ends[i][1]] if i in beyond else [ends[i][0], middle - 1]
    return [grid[ends[i][0]] if i in ends else 1.0 for i in range(len(nulls))]


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
