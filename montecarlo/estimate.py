"""An Estimate: per-replica values, their mean, and an interval that says how far the mean can be trusted.

An interval rests on what is declared about the values: `bounds`, or a bound on their `kurtosis`, or that they are
`deterministic`. `Estimate.assumption` says it in a sentence. Values of which nothing is declared have Student's interval,
for orientation: nothing in them tells of rare large values that happen to be missing, so nothing is judged by it.

Intervals of many estimates are asked for together (`intervals_of`): the same bits as one by one, in a fraction of the time.
A betting interval goes through its values in some hundred steps, and most of its time is spent between the steps; rows of
equal length go through them together.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from asymp.montecarlo.intervals import (
    Settled,
    anytime_interval,
    check_level,
    lower_ends,
    mean_interval,
    student_interval,
)
from asymp.montecarlo.tails import (
    CONTRADICTED,
    grouped,
    largest_share,
    replicas_for,
    sample_kurtosis,
    tail_ends,
    tail_interval,
)
from asymp.montecarlo.typeset import latex_number, notebook_html

Interval = tuple[float, float]
Thing = TypeVar("Thing")

FIRST_LOOK = 32  # an interval from fewer values is seldom narrow enough to stop
MOST_LOOKS = 10
ROUNDING = (
    1e-12  # a share of the bounds' distance, or of the values: sums of probabilities may exceed 1 by their rounding
)
SAME = 1e-6  # values declared to be the same number may differ by such a share of the largest
HIGHEST_LEVEL = 1 - 1e-12
MOST_VALUES = 2**19  # in the rows that go together: beyond, the steps themselves cost the time
LAST_SHARE = 0.25  # of 1 - level, spent on the look at the whole budget; the others share the rest evenly


def check_bounds(bounds: Any) -> Interval | None:
    """The bounds that are declared of values, as two numbers; ValueError if they are none."""
    if bounds is None:
        return None
    try:
        low, high = (float(b) for b in bounds)
    except (TypeError, ValueError):
        low = high = math.nan
    if not (low < high and (math.isfinite(low) or math.isfinite(high))):
        raise ValueError(f"bounds must be two numbers, low < high, at least one finite; got {bounds!r}")
    return low, high


def check_kurtosis(kurtosis: Any) -> None:
    """Raise ValueError if what is declared of values can be no kurtosis."""
    if not (kurtosis is None or (isinstance(kurtosis, int | float) and 1 <= kurtosis < math.inf)):
        raise ValueError(f"kurtosis must be a number >= 1 (normal values have 3); got {kurtosis!r}")


@dataclass(frozen=True, eq=False)
class Estimate:
    """The mean of independent per-replica values, in the order in which they were drawn.

    The interval of the mean holds at every number of values, under what is declared about them:

    `bounds`: every value lies in [low, high]. One of the two may be infinite; the end on that side then is, too, unless a
    kurtosis is declared. `kurtosis`: unbounded values have this kurtosis at most (see `tails`). `deterministic`: every
    replica gives the same number but for rounding; the interval goes from the smallest to the largest. Nothing at all: the
    interval is Student's, for orientation: nothing is judged by it.

    `sequential` says that the number of values was decided while looking at them: at the looks of `look_times(budget)`,
    or, without a budget, at any moment; the interval then stays valid and is the wider for it.
    """

    values: np.ndarray
    bounds: tuple[float, float] | None = None
    sequential: bool = False
    budget: int | None = None
    kurtosis: float | None = None
    deterministic: bool = False

    def __post_init__(self) -> None:
        values = np.array(self.values, dtype=np.float64)
        if values.ndim != 1 or values.size == 0:
            raise ValueError(f"values must be a one-dimensional array of at least one value; got shape {values.shape}")
        if not np.isfinite(values).all():
            raise ValueError("values must be finite; got NaN or infinity among them")
        bounds = check_bounds(self.bounds)
        if bounds is not None:
            low, high = bounds
            slack = ROUNDING * (high - low if math.isfinite(high - low) else float(np.abs(values).max()))
            if values.min() < low - slack or values.max() > high + slack:
                raise ValueError(
                    f"values must lie in the bounds [{low:g}, {high:g}]; got {values.min():g} to {values.max():g}"
                )
            values = np.clip(values, low, high)
            object.__setattr__(self, "bounds", bounds)
        check_kurtosis(self.kurtosis)
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

    @property
    def undeclared(self) -> bool:
        """Whether nothing is declared about the values, so that their interval has to trust the central limit theorem."""
        return self.bounds is None and self.kurtosis is None and not self.deterministic

    @cached_property
    def bets(self) -> "Bets | None":
        """The values as they are bet on, if the interval is a betting one that is computed with others'."""
        if self.sequential or self.deterministic or self.undeclared:
            return None
        if self.bounds is None:
            return None if self.untold else self._standardised
        low, high = self.bounds
        # where every value is one of the bounds the mean is a binomial share
        if not math.isfinite(high - low) or bool(np.all((self.values == high) | (self.values == low))):
            return None
        return Bets(np.asarray((self.values - low) / (high - low)), low, high - low)

    @cached_property
    def _standardised(self) -> "Bets":
        assert self.kurtosis is not None
        means, kurtosis = grouped(self.values, self.kurtosis)
        centre, spread = float(np.mean(means)), float(np.std(means))
        return Bets((means - centre) / spread, centre, spread, kurtosis)

    @cached_property
    def contradiction(self) -> str:
        """How the values contradict what is declared about them, without a full stop; empty if they do not."""
        n, largest, spread = self.replicas, float(np.abs(self.values).max()), float(np.ptp(self.values))
        if self.deterministic and spread > max(SAME * largest, 1e-9):
            return f"every replica is declared to give the same number, and the {n} values differ by {spread:.2g}"
        if self.kurtosis is not None and n > 1 and self._seen_kurtosis > CONTRADICTED * self.kurtosis:
            return (
                f"the kurtosis is declared to be at most {self.kurtosis:g}, and that of the {n} values is "
                f"{self._seen_kurtosis:.3g}: one of them carries {100 * largest_share(self.values):.2g} % of their spread"
            )
        return ""

    @cached_property
    def untold(self) -> str:
        """Why the kurtosis gives no interval at any level; empty if it may give one."""
        n, spread = self.replicas, float(np.ptp(self.values))
        least = ROUNDING * float(np.abs(self.values).max())
        if n == 1:
            return "one replica says nothing of the spread"
        if spread <= least or float(np.std(grouped(self.values, 3.0)[0])) <= least:
            return (
                f"all {n} values are equal, which does not say that the next would be: declare bounds=(low, high), or "
                "deterministic=True where every replica must give the same number"
            )
        return self.contradiction

    @cached_property
    def _seen_kurtosis(self) -> float:
        return sample_kurtosis(self.values)

    def unknown(self, level: float = 0.95) -> str:
        """Why the interval at `level` has an infinite end; empty if both are finite."""
        if all(map(math.isfinite, self.interval(level))):
            return ""
        if self.contradiction:
            return self.contradiction
        if self.kurtosis is None:
            return "one replica says nothing of the spread" if self.undeclared else "its bound on that side is infinite"
        if self.untold:
            return self.untold
        if self._spent(level) > HIGHEST_LEVEL:
            return f"the level {level:.9g} is too high for values whose number was decided at any moment: give a budget"
        return (
            f"{self.replicas} replicas are too few for a kurtosis of {self.kurtosis:g} at level {level:.9g}: it takes about "
            f"{replicas_for(self.kurtosis, self._spent(level))}"
        )

    @property
    def assumption(self) -> str:
        """What the interval rests on, in a sentence: what is declared about the values, and what they look like."""
        if self.deterministic:
            return (
                "Every replica is declared to give the same number but for rounding; "
                f"the {self.replicas} values differ by {np.ptp(self.values):.2g} at most."
            )
        if self.bounds is not None and all(map(math.isfinite, self.bounds)):
            return (
                f"Every value is declared to lie in [{self.bounds[0]:g}, {self.bounds[1]:g}]; nothing else is assumed."
            )
        if self.undeclared:
            return (
                "Nothing is declared about the values: the interval is Student's, for orientation only. It trusts the central "
                "limit theorem and knows nothing of rare large values, so nothing is judged by it."
            )
        side = "" if self.bounds is None else f", but for their bounds {self.bounds[0]:g} to {self.bounds[1]:g}"
        if self.kurtosis is None:
            return f"Values are unbounded{side}; nothing else is assumed."
        if self.untold:
            return f"Values are unbounded{side}; {self.untold}."
        return (
            f"Values are unbounded{side}, with a kurtosis declared to be at most {self.kurtosis:g}; nothing else is assumed. "
            f"That of the {self.replicas} values is {self._seen_kurtosis:.3g}, and the largest carries "
            f"{100 * largest_share(self.values):.2g} % of their spread."
        )

    def _spent(self, level: float) -> float:
        """The level of an interval that does not look before the end: higher, if this one is one of several looks."""
        if not self.sequential:
            return level
        looks = () if self.budget is None else look_times(self.budget)
        n = self.replicas
        return 1 - (1 - level) * (_share(n, looks) if n in looks else 1 / (n * (n + 1)))

    def _alone(self, level: float) -> Interval:
        """The interval, computed by itself."""
        if self.contradiction:
            return -math.inf, math.inf
        if self.deterministic:
            return float(self.values.min()), float(self.values.max())
        bounded = self.bounds is not None and all(map(math.isfinite, self.bounds))
        if self.sequential and bounded and (self.budget is None or self.replicas not in look_times(self.budget)):
            assert self.bounds is not None
            return anytime_interval(self.values, bounds=self.bounds, level=level)
        level = self._spent(level)
        if level > HIGHEST_LEVEL:
            return -math.inf, math.inf
        if self.undeclared:
            return student_interval(self.values, level=level)
        low, high = -math.inf, math.inf
        if self.bounds is not None:
            low, high = mean_interval(self.values, bounds=self.bounds, level=level)
        if not bounded and self.kurtosis is not None and not self.untold:
            ends = tail_interval(self.values, kurtosis=self.kurtosis, level=level)
            low, high = (ends[0] if math.isinf(low) else low), (ends[1] if math.isinf(high) else high)
        return low, high

    @classmethod
    def until(
        cls,
        blocks: Iterable[np.ndarray],
        *,
        rel_error: float,
        replicas: int,
        bounds: tuple[float, float] | None = None,
        kurtosis: float | None = None,
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
            found = cls(values[:look], bounds, sequential=True, budget=replicas, kurtosis=kurtosis)
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
            "bounds": None if self.bounds is None else [b if math.isfinite(b) else None for b in self.bounds],
            "kurtosis": self.kurtosis,
            "deterministic": self.deterministic,
            "assumption": self.assumption,
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
        if math.isinf(low) and math.isinf(high):
            return f"{_digits(self.mean, self.stderr)}, {self.replicas} replicas; no interval: {self.unknown()}"
        return f"{_digits(self.mean, self.stderr)}, 95 % interval [{low:.4g}, {high:.4g}], {self.replicas} replicas"


@dataclass(frozen=True, eq=False)
class Bets:
    """Values on the scale on which they are bet on, value = origin + width x, to be mirrored for the upper end.

    `kurtosis` None: bounded values, x in [0, 1]; else standardised unbounded ones, or means of groups of them.
    """

    x: np.ndarray
    origin: float
    width: float
    kurtosis: float | None = None

    @property
    def top(self) -> float:
        """What x and its mirror image add up to."""
        return 1.0 if self.kurtosis is None else 0.0

    @property
    def mirrored(self) -> np.ndarray:
        """The mirror image of the values."""
        return np.asarray(self.top - self.x)


def ends_of_rows(
    bets: Sequence[Bets], rows: np.ndarray, goals: np.ndarray, settled: Settled | None = None
) -> np.ndarray:
    """The lower ends of rows that are all bounded, or all unbounded."""
    if bets[0].kurtosis is None:
        return lower_ends(rows, goals, settled)
    return tail_ends(rows, goals, np.array([b.kurtosis for b in bets]), settled)


def intervals_of(estimates: Sequence[Estimate], *levels: float) -> list[list[Interval]]:
    """For each of the levels the intervals of all the estimates."""
    for level in levels:
        check_level(level)
    wanted = dict.fromkeys((e, level) for level in levels for e in estimates if level not in e.known_intervals)
    for e, level in wanted:
        if e.bets is None:
            e.known_intervals[level] = e._alone(level)
    for some in together((e.bets, (e, level)) for e, level in wanted if e.bets is not None):
        bets = [bet for bet, _ in some]
        goals = np.array([math.log((1 - level) / 2) for _, (_, level) in some])
        rows = np.array([bet.x for bet in bets] + [bet.mirrored for bet in bets])
        ends = ends_of_rows([*bets, *bets], rows, np.concatenate([goals, goals]))
        for (bet, (e, level)), lower, upper in zip(some, ends[: len(some)], ends[len(some) :], strict=True):
            e.known_intervals[level] = (
                bet.origin + bet.width * float(lower),
                bet.origin + bet.width * float(bet.top - upper),
            )
    return [[e.known_intervals[level] for e in estimates] for level in levels]


def together(pairs: Iterable[tuple[Bets, Thing]]) -> Iterator[list[tuple[Bets, Thing]]]:
    """The pairs in lots of equal length and of one kind, of not too many values."""
    lots: dict[tuple[int, bool], list[tuple[Bets, Thing]]] = defaultdict(list)
    for bet, thing in pairs:
        key = (len(bet.x), bet.kurtosis is None)
        lot = lots[key]
        lot.append((bet, thing))
        if (len(lot) + 1) * len(bet.x) > MOST_VALUES:
            yield lots.pop(key)
    yield from lots.values()


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
