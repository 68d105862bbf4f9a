"""What a measurement shows of a statement: the points, how near they are to the law, and what could have been seen.

Each kind of statement has its own class of evidence. All of them answer the same questions, so that pages, texts and
notebooks need not ask which kind it is. The arithmetic that they share is at the end: how a budget is shared, p-values by
inverting intervals, detectable discrepancies.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from scipy.special import ndtri

from asymp.montecarlo import Estimate
from asymp.montecarlo.estimate import Interval
from asymp.reports.numbers import concise, factor, interval, percent

Measured = Sequence[tuple[dict[str, Any], Estimate]]
"""The points of a statement with what was measured there."""

SUPPORT_LEVEL = 0.01
"""'Supported' is shown by two one-sided tests at 1 %: the 98 % interval lies within the margin."""
LOOKS = 16
"""A run looks at its data after a round of 1, 2, 4, ... blocks, so often at most; each look may spend a share of the errors."""
SMALLEST_BY_INTERVAL = 1e-11
# p-values are known to a thousandth of themselves, rounded up: an interval of an exponent takes milliseconds.
ROUNDED = 1.001


@dataclass(frozen=True)
class Point:
    """One measured point of a statement: its parameters, what the law says there, and the mean with its interval."""

    params: dict[str, Any]
    predicted: float
    mean: float
    low: float
    high: float
    level: float
    replicas: int

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
    """A statement in one line. `off` is the factor by which it is off at the points measured, 1 for none."""

    what: str
    predicted: str
    measured: str
    interval: str
    tightness: str
    could_see: str
    off: float


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What a test says of a statement before the budget is shared. As it stands: nothing, because values are missing.

    `shown`: whether the statement is shown to hold. `p_value`: against it. `seen`: the smallest discrepancy that would
    have been refuted; `wanted`: the one that should be; `needed`: the replicas for that, if known. `could_refute`: whether
    any outcome of this measurement could have refuted the statement. `shrink`: by which factor its intervals have to shrink
    before it is decided, going by what is seen so far.
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
    shrink: float = math.inf

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

    def why_open(self, round: int) -> str:
        """Why a statement that was judged after this round is still open, in a few words."""
        if self.missing:
            return "values are missing"
        if any(fit.status == "misfit" for fit in self.fits):
            return "no declared form fits"
        more = self.rounds_to_decide
        if more is not None and round + more >= LOOKS:
            return "the data sit at the edge of the margin"
        return "too few runs"

    def numbers(self) -> dict[str, object]:
        """The figures that only this kind has, as plain data."""
        return {"missing": list(self.missing)} if self.missing else {}

    def summary(self) -> Summary:
        """The line of the statement: the fit or the point that is farthest from the law."""
        what, predicted, measured, between = self._line()
        return Summary(what, predicted, measured, between, self._tightness(), self.could_see(), self.off())

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


def points_of(measured: Measured, predicted: Sequence[float], bands: Sequence[Interval]) -> tuple[Point, ...]:
    """The measured points with what the law says there and their intervals of a simultaneous 95 % band."""
    return tuple(
        Point(dict(params), said, estimate.mean, *band, level=0.95, replicas=estimate.replicas)
        for (params, estimate), said, band in zip(measured, predicted, bands, strict=True)
    )


def support_interval(estimate: Estimate, said: float, found: Interval, level: float) -> Interval:
    """The interval of two one-sided tests at `level` each: the one `found`, unless all values are 0, or all 1.

    `said` is what the law says.
    """
    if not estimate.saturated(said):
        return found
    half = -math.expm1(math.log(level) / estimate.replicas)
    return (0.0, half) if estimate.mean == 0 else (1 - half, 1.0)


def detectable(estimate: Estimate, found: Interval, power: float = 0.95) -> float:
    """The smallest shift of the mean that would have been refuted with probability `power`, at the level of the interval."""
    half = max(found[1] - estimate.mean, estimate.mean - found[0])
    return half + float(ndtri(power)) * (estimate.stderr if math.isfinite(estimate.stderr) else 0.0)


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


def samples_needed(replicas: int, seen: float, wanted: float) -> int | None:
    """The replicas at which a discrepancy `wanted` would be seen, given that `replicas` see `seen`."""
    if not (math.isfinite(seen) and seen > 0 and wanted > 0):
        return None
    needed = replicas * (seen / wanted) ** 2
    return int(float(f"{math.ceil(needed):.2g}")) if needed < 1e15 else None
