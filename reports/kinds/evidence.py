"""What a measurement shows of a statement: the points, how near they are to the law, and what could have been seen.

Each kind of statement has its own class of evidence. All of them answer the same questions, so that pages, texts and
notebooks need not ask which kind it is. The arithmetic that they share is at the end: how a budget is shared, p-values by
inverting intervals, detectable discrepancies.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import ndtri

from asymp.montecarlo import Estimate, Experiment
from asymp.montecarlo.estimate import Interval
from asymp.montecarlo.tails import replicas_for, sample_kurtosis
from asymp.reports.numbers import Placed, Scale, concise, factor, interval, percent

Measured = Sequence[tuple[dict[str, Any], Estimate]]
"""The points of a statement with what was measured there."""

SUPPORT_LEVEL = 0.01
"""'Supported' is shown by two one-sided tests at 1 %: the 98 % interval lies within the margin."""
LOOKS = 16
"""A run looks at its data after a round of 1, 2, 4, ... blocks, so often at most; each look may spend a share of the errors."""
SMALLEST_BY_INTERVAL = 1e-11
WIDE = "the 98 % interval over all looks"
UNPLACED = (math.nan, math.nan, math.nan)
SQUARES = 15
"""The kurtosis of squares of normal values."""
MOST_NEEDED = 1e15
"""Larger numbers of replicas are not told: nobody has so many."""
# p-values are known to a thousandth of themselves, rounded up: an interval of an exponent takes milliseconds.
ROUNDED = 1.001


@dataclass(frozen=True)
class Point:
    """One measured point of a statement: its parameters, what the law says there, and the mean with its interval.

    `low`, `high`: of a simultaneous band over all points, at `level`. `near`, `far`: the interval by which the point is
    judged; where an exponent or a share of runs is judged, two standard errors.
    """

    params: dict[str, Any]
    predicted: float
    mean: float
    low: float
    high: float
    level: float
    replicas: int
    near: float = math.nan
    far: float = math.nan

    @property
    def ratio(self) -> float:
        """Measured over predicted."""
        return self.mean / self.predicted if self.predicted else float("nan")


@dataclass(frozen=True)
class Fit:
    """An exponent fitted to the points that share the parameters `at`, beside the law's."""

    at: dict[str, Any]
    exponent: float
    interval: tuple[float, float]
    level: float
    predicted: float
    status: str
    family: str
    sizes: tuple[float, float]


@dataclass(frozen=True)
class Summary:
    """A statement in one line. `off` is the factor by which it is off at the points measured, 1 for none.

    `margins`: how far what was measured is from the law in units of the declared margin, with the ends of its interval; None
    where no margin is declared, as for bounds and orders.
    """

    what: str
    predicted: str
    measured: str
    interval: str
    tightness: str
    could_see: str
    off: float
    margins: tuple[float, float, float] | None


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What a test says of a statement before the budget is shared. As it stands: nothing, because values are missing.

    `shown`: whether the statement is shown to hold. `p_value`: against it. `seen`: the smallest discrepancy that would
    have been refuted; `wanted`: the one that should be; `needed`: the replicas for that, if known. `could_refute`: whether
    any outcome of this measurement could have refuted the statement. `noise`: the part of `seen` that shrinks as the root of the
    replicas, as `samples_needed` says. `shrink`: by which factor its intervals have to shrink
    before it is decided, going by what is seen so far. `assumption`: what the test rests on, in a sentence. `final`: why more
    values would decide nothing, in a few words. `obstacle`: why these decide nothing, or not all that they should, in a few
    words; other values may help.
    """

    shown: bool
    p_value: float
    points: tuple[Point, ...]
    words: str
    seen: float
    wanted: float
    needed: int | None
    could_refute: bool = True
    missing: tuple[str, ...] = ()
    noise: float | None = None
    shrink: float = math.inf
    assumption: str = ""
    final: str = ""
    obstacle: str = ""

    unit: ClassVar[str] = "relative"
    """What a discrepancy is measured in, as it stands in JSON."""
    curve: ClassVar[bool] = False
    """Whether the predictions have no free constant, so that figures of other statements may show them."""

    @property
    def fits(self) -> tuple[Fit, ...]:
        """The exponents that were fitted; most kinds fit none."""
        return ()

    @property
    def rounds_to_decide(self) -> int | None:
        """How many further rounds, each of which doubles the values, would decide; None where nothing tells."""
        return max(1, math.ceil(2 * math.log2(self.shrink))) if 0 < self.shrink < math.inf else None

    @property
    def rounds_at_best(self) -> int:
        """The fewest further rounds that could decide: intervals of bounded values may shrink as fast as their number grows."""
        return max(1, math.ceil(math.log2(self.shrink))) if 0 < self.shrink < math.inf else 1

    @property
    def scale(self) -> Scale | None:
        """On what scale its points are compared with what it says, if on one."""
        return None

    def placed(self) -> list[Placed]:
        """Where each point lies on that scale."""
        return []

    def counted(self) -> list[str]:
        """Of an order: in how many of the runs it holds at each point, in words."""
        return []

    def why_open(self, round: int) -> str:
        """Why a statement that was judged after this round is still open, in a few words."""
        if self.missing:
            return "settings without usable values"
        if self.final or self.obstacle:
            return self.final or self.obstacle
        if any(fit.status == "misfit" for fit in self.fits):
            return "no declared form fits"
        most = 2.0 ** (LOOKS - 1 - round)
        if not most < self._more_to_decide < math.inf or not math.isfinite(self.seen):
            return "too few runs"
        if self.needed is not None and self.needed > most * min((p.replicas for p in self.points), default=1):
            return "too few runs, even after all rounds: give the experiment a larger block"
        return "the data sit at the edge of the margin"

    @property
    def _more_to_decide(self) -> float:
        """The factor by which the values have to become more before the intervals are narrow enough for what is seen."""
        found = samples_needed(1, self.seen, self.seen / self.shrink, self.noise) if self.shrink < math.inf else None
        return self.shrink**2 if found is None else found

    def numbers(self) -> dict[str, object]:
        """The figures that only this kind has, as plain data."""
        return {"missing": list(self.missing)} if self.missing else {}

    def summary(self) -> Summary:
        """The line of the statement: the fit or the point that is farthest from the law."""
        what, predicted, measured, between = self._line()
        return Summary(
            what, predicted, measured, between, self._tightness(), self.could_see(), self.off(), self._margins()
        )

    def _margins(self) -> Placed | None:
        """The farthest of its points, where they are compared in margins."""
        in_margins = self.points and self.scale is not None and self.scale.inside == (-1.0, 1.0)
        placed = [one for one in self.placed() if math.isfinite(one[0])] if in_margins else []
        return max(placed, key=lambda one: abs(one[0]), default=None)

    def _line(self) -> tuple[str, str, str, str]:
        return "", "", "not measured", ""

    def _tightness(self) -> str:
        return ""

    def off(self) -> float:
        """By which factor the statement is off at the measured points, at most; infinite where a sign is wrong."""
        factors = [1.0]
        for point in self.points:
            if point.predicted and math.isfinite(point.ratio):
                factors.append(apart(point.ratio) if self._wrong(point) else 1.0)
            elif point.mean != point.predicted:
                factors.append(math.inf)
        return max(factors)

    def _wrong(self, point: Point) -> bool:
        """Whether a point beside the law counts against it: on either side, unless the law is an inequality."""
        return True

    def off_words(self) -> str:
        """How far off the statement is, in words."""
        size = self.off()
        if not math.isfinite(size):
            return "of the wrong sign, or zero where it should not be (or the other way round)"
        if size < 1.3:
            return f"{100 * (size - 1):.2g} % at the points measured"
        return f"a factor {factor(size)} at the points measured"

    def could_see(self) -> str:
        """The smallest discrepancy that could have been seen, in a few words."""
        return self._size(self.seen) if math.isfinite(self.seen) and self.could_refute else "nothing"

    def triad(self, budget: float) -> str:
        """What could have been detected with this budget of false refutations, and what a wanted one would need."""
        if not math.isfinite(self.seen):
            return "It could not have detected any discrepancy."
        needed = ""
        if self.needed:
            replicas = "replica" if self.needed == 1 else "replicas"
            needed = f"; about {self.needed} {replicas} a point would see {self._size(self.wanted)}"
        return (
            f"It would have detected a discrepancy of {self._size(self.seen)}{self._of} (budget {budget:.2g}){needed}."
        )

    _of: ClassVar[str] = " of the value"

    def _size(self, discrepancy: float) -> str:
        return percent(discrepancy)


def apart(ratio: float) -> float:
    """How far a ratio is from 1, as a factor of at least 1; infinite for one of the wrong sign."""
    return math.inf if ratio <= 0 else max(ratio, 1 / ratio)


def sign_words(relation: str) -> str:
    """'at most ' or 'at least ' for an inequality, else nothing."""
    return "at most " if relation.startswith("<") else "at least " if relation.startswith(">") else ""


@dataclass(frozen=True, kw_only=True)
class PointEvidence(Evidence):
    """Evidence that is about the value at each point. `relation` is the law's: it says which side counts against it."""

    relation: str

    _ratio: ClassVar[str] = "measured / law"

    def _wrong(self, point: Point) -> bool:
        return not self.relation.startswith(("<", ">")) or (point.ratio > 1) == self.relation.startswith("<")

    @property
    def scale(self) -> Scale | None:
        """Measured over the bound, or what was measured if the bound is 0 everywhere."""
        at = float(any(point.predicted for point in self.points))
        inside = (-math.inf, at) if self.relation.startswith("<") else (at, math.inf)
        return Scale(f"measured{' / bound' if at else ''}", at, inside, None, f"{WIDE} that decides")

    def placed(self) -> list[Placed]:
        """Each point over the bound."""
        over = any(point.predicted for point in self.points)
        units = [p.predicted if over else 1.0 for p in self.points]
        return [
            _sorted(p.mean / unit, p.near / unit, p.far / unit) if unit else UNPLACED
            for p, unit in zip(self.points, units, strict=True)
        ]

    def _in_margins(self, units: Sequence[float]) -> list[Placed]:
        """Each point less its law, in margins, which are shares of the units."""
        sizes = [unit * self.wanted for unit in units]
        return [
            _sorted(*((at - p.predicted) / size for at in (p.mean, p.near, p.far))) if size else UNPLACED
            for p, size in zip(self.points, sizes, strict=True)
        ]

    def _line(self) -> tuple[str, str, str, str]:
        point = self._deciding()
        if not point.predicted:
            return "measured", "0", number(point.mean, point.low, point.high), interval(point.low, point.high)
        low, high = sorted((point.low / point.predicted, point.high / point.predicted))
        return self._ratio, f"{self._sign}1", number(point.ratio, low, high), interval(low, high)

    @property
    def _sign(self) -> str:
        return sign_words(self.relation)

    def _deciding(self) -> Point:
        """The point that decides: nearest to a bound, or on its wrong side; farthest from an equality."""
        live = [p for p in self.points if p.predicted and math.isfinite(p.ratio)]
        if not live:
            return max(self.points, key=lambda p: abs(p.mean))
        if self.relation.startswith("<"):
            return max(live, key=lambda p: p.ratio)
        if self.relation.startswith(">"):
            return min(live, key=lambda p: p.ratio)
        return max(live, key=lambda p: apart(p.ratio))


def number(value: float, low: float, high: float) -> str:
    """A measured number with its uncertainty."""
    return concise(value, max(high - value, value - low))


def band_level(points: int) -> float:
    """The level of each interval of a simultaneous 95 % band over so many points (Bonferroni)."""
    return 1 - 0.05 / points


def points_of(
    measured: Measured, predicted: Sequence[float], bands: Sequence[Interval], deciding: Sequence[Interval] = ()
) -> tuple[Point, ...]:
    """The measured points with what the law says there and their intervals of a simultaneous 95 % band.

    `deciding`: the intervals by which they are judged; without them two standard errors on either side.
    """
    found = deciding or [two_errors(estimate) for _, estimate in measured]
    return tuple(
        Point(dict(params), said, e.mean, *band, level=0.95, replicas=e.replicas, near=near, far=far)
        for (params, e), said, band, (near, far) in zip(measured, predicted, bands, found, strict=True)
    )


def two_errors(estimate: Estimate) -> Interval:
    """The mean less and plus two standard errors, within the bounds of the values."""
    low, high = estimate.bounds or (-math.inf, math.inf)
    reach = 2 * estimate.stderr
    return max(low, estimate.mean - reach), min(high, estimate.mean + reach)


def _sorted(value: float, one: float, other: float) -> Placed:
    return value, min(one, other), max(one, other)


class Undeclared(ValueError):
    """Nothing that a test could rest on is declared about the values of an experiment."""


def check_declared(experiment: Experiment, points: Sequence[Point], measured: Measured, room: Sequence[float]) -> None:
    """Raise `Undeclared` if nothing is declared about the values: a mean of them has no interval that holds for all laws.

    `room`: how far from the mean an interval may reach at each point, to say how many values that would take.
    """
    if not any(estimate.undeclared for _, estimate in measured):
        return
    worst = max(points, key=lambda p: abs(p.mean - p.predicted))
    takes = _what_it_takes(measured, room)
    raise Undeclared(
        f"experiment {experiment.id!r} declares nothing about its values, and values too rare to be seen could move their mean "
        "anywhere: declare, beside the sampler, bounds=(low, high) if all values lie between two numbers; or kurtosis=K if "
        f"their kurtosis is at most K (normal values have 3, squares of normal values {SQUARES}{takes}); or "
        "deterministic=True if every replica gives the same number. For orientation only: measured "
        f"{worst.mean:.4g}, law {worst.predicted:.4g}, Student's interval {worst.low:.4g} to {worst.high:.4g}, where they are "
        "farthest apart"
    )


def _what_it_takes(measured: Measured, room: Sequence[float]) -> str:
    """How many values would decide, if their kurtosis were the one that is seen: it may be far larger, if it is unknown."""
    level = 1 - 2 * SUPPORT_LEVEL / LOOKS
    widths = [e.stderr * math.sqrt(e.replicas) / half for (_, e), half in zip(measured, room, strict=True) if half > 0]
    if not widths or not 0 < max(widths) < math.sqrt(MOST_NEEDED):
        return ""
    # an interval that is a tenth wider than Student's, and a mean that is one standard error off
    usual = (1.1 * float(ndtri((1 + level) / 2)) + 1) * max(widths)
    takes = max(replicas_for(SQUARES, level), usual**2)
    return f", which would take some {takes:.2g} values a point, going by the spread of those seen"


def obstacle_of(measured: Measured) -> str:
    """Why the values at some point have no interval, however many there are, in a few words."""
    estimates = [estimate for _, estimate in measured]
    if any(estimate.contradiction for estimate in estimates):
        return "the values contradict what is declared about them"
    equal = any(e.kurtosis is not None and e.replicas > 1 and e.untold for e in estimates)
    return "all values at a point are equal" if equal else ""


def between(low: float, high: float, digits: str) -> str:
    """A simultaneous band at one point in words, such as 'simultaneous 95 % interval 0.9 to 1.1'."""
    if math.isinf(low) and math.isinf(high):
        return "without an interval"
    return f"simultaneous 95 % interval {low:{digits}} to {high:{digits}}"


def assumption_of(measured: Measured, level: float) -> str:
    """What the intervals of all the points rest on, in one sentence; if some have none at `level`, why the first has not."""
    estimates = [estimate for _, estimate in measured]
    for estimate in estimates:
        if unknown := estimate.contradiction or (estimate.unknown(level) if estimate.kurtosis is not None else ""):
            return f"{unknown[0].upper()}{unknown[1:]}; there is no interval at that point."
    if all(e.deterministic for e in estimates):
        spread = max(float(np.ptp(e.values)) for e in estimates)
        return f"Every replica is declared to give the same number; they differ by {spread:.2g} at most."
    said = []
    finite = [e.bounds for e in estimates if e.bounds is not None]
    if finite:
        low, high = min(b[0] for b in finite), max(b[1] for b in finite)
        said.append(f"values are declared to lie in [{low:g}, {high:g}]")
    kurtosis = [e.kurtosis for e in estimates if e.kurtosis is not None]
    if kurtosis:
        seen = max(sample_kurtosis(e.values) for e in estimates if e.kurtosis is not None)
        whose = "their" if finite else "the values'"
        said.append(f"{whose} kurtosis is declared to be at most {max(kurtosis):.3g} (seen: {seen:.2g})")
    words = ", and ".join(said)
    return f"{words[0].upper()}{words[1:]}; nothing else is assumed." if words else ""


def detectable(estimate: Estimate, found: Interval, power: float = 0.95) -> float:
    """The smallest shift of the mean that would have been refuted with probability `power`, at the level of the interval."""
    half = max(found[1] - estimate.mean, estimate.mean - found[0])
    return half + float(ndtri(power)) * (estimate.stderr if math.isfinite(estimate.stderr) else 0.0)


def noise_of(estimate: Estimate, level: float, power: float = 0.95) -> float:
    """What `detectable` would be, at this level, if the values were normal: it shrinks as the root of their number."""
    return float(ndtri((1 + level) / 2) + ndtri(power)) * (estimate.stderr if math.isfinite(estimate.stderr) else 0.0)


@dataclass(frozen=True)
class Distance:
    """How far one point, or one fit, is from a decision: factors by which its intervals would have to shrink.

    `support`: until it lies within the margin; every point has to. `refute`: until it leaves the law out; one is enough.
    """

    support: float
    refute: float

    @classmethod
    def of(cls, off: float, *, noise: float, margin: float, half: float, tolerance: float, wide: float) -> "Distance":
        """From the distance `off` between measured and law, of which `noise` may be chance.

        `half`: the half-width of the interval that has to lie within the `margin`. `wide`: of the one that has to leave out
        what is within the `tolerance`.
        """
        apart = max(0.0, off - noise)
        return cls(_factor(half, margin - apart), _factor(wide, apart - tolerance))

    @classmethod
    def from_bound(cls, room: float, *, noise: float, half: float, wide: float) -> "Distance":
        """From the room that is left to a bound: below 0 if what was measured is on its wrong side."""
        return cls(_factor(half, room + noise), _factor(wide, -room - noise))


def _factor(width: float, room: float) -> float:
    if width == math.inf:
        return math.inf
    return width / room if room > 0 else 0.0 if width == room == 0 else math.inf


def shrink_of(distances: Sequence[Distance]) -> float:
    """The factor by which all intervals have to shrink before every point supports the statement, or one refutes it."""
    return max(1.0, min(max(d.support for d in distances), min(d.refute for d in distances)))


def half_width(mean: float, found: Interval) -> float:
    """The longer side of an interval."""
    return max(found[1] - mean, mean - found[0])


def p_by_interval(interval: Callable[[float], tuple[float, float]], low: float, high: float) -> float:
    """The p-value against 'the quantity lies in [low, high]', from intervals that are nested in their level."""

    def excludes(p: float) -> bool:
        left, right = interval(1 - p)
        return right < low or left > high

    if not excludes(0.5):
        return 1.0
    if excludes(SMALLEST_BY_INTERVAL):
        return SMALLEST_BY_INTERVAL
    bottom, top = SMALLEST_BY_INTERVAL, 0.5
    while top > ROUNDED * bottom:
        middle = math.sqrt(bottom * top)
        if excludes(middle):
            top = middle
        else:
            bottom = middle
    return top


def holm(p_values: Sequence[float], budget: float) -> list[bool]:
    """Which of several hypotheses are rejected with a total error of `budget` (Holm 1979)."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    rejected = [False] * len(p_values)
    for rank, i in enumerate(order):
        if p_values[i] > budget / (len(p_values) - rank):
            break
        rejected[i] = True
    return rejected


def samples_needed(replicas: int, seen: float, wanted: float, noise: float | None = None) -> int | None:
    """The replicas at which a discrepancy `wanted` would be seen, given that `replicas` see `seen`.

    `noise`: the part of `seen` that is due to the values' spread and shrinks as the root of their number; the rest, which
    intervals of bounded values have of rare values that were not seen, shrinks as their number. All of it, if it is not given.
    """
    if not (math.isfinite(seen) and seen > 0 and wanted > 0) or seen / wanted > MOST_NEEDED:
        return None
    slow = seen if noise is None else min(noise, seen)
    root = math.sqrt(slow**2 + 4 * (seen - slow) * wanted)
    needed = replicas * ((slow + root) / (2 * wanted)) ** 2
    return int(float(f"{math.ceil(needed):.2g}")) if needed < MOST_NEEDED else None
