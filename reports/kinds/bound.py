"""Bounds: one-sided at every point of the grid; the tightness is reported beside the verdict.

Supported: at every point the one-sided 99 % limit of the mean lies on the right side. Refuted: the smallest one-sided
p-value, times the number of points, is below the budget. What could have been detected is a share of the measured
value: a bound that lies on its wrong side by that much is refuted. A bound that no value of the quantity could break (a
lower bound of 0 on an error) is vacuous; if it is vacuous everywhere nothing could have refuted it.

A bound up to a constant (<~, >~) is judged by its trend `along` a size: with the constant that the smallest size shows, and a
factor 2 beside it, it must hold at the larger sizes. The constant's own uncertainty is on the statement's side for a
refutation and against it for support. A constant chosen here would decide by itself.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self, final

from asymp.montecarlo.estimate import intervals_of
from asymp.montecarlo.p_values import one_sided_ps
from asymp.reports.grid import Setting, groups_without
from asymp.reports.kinds.base import LawStatement, Look, Statement, WrongLaw
from asymp.reports.kinds.evidence import (
    SUPPORT_LEVEL,
    Distance,
    Evidence,
    Measured,
    Point,
    PointEvidence,
    assumption_of,
    band_level,
    check_declared,
    detectable,
    half_width,
    noise_of,
    obstacle_of,
    points_of,
    samples_needed,
    shrink_of,
)
from asymp.reports.kinds.wrong import saying, saying_law
from asymp.reports.numbers import of_all, spell

TREND = 2.0
"""How much a bound's constant may drift along a size before that is a trend."""
# The discrepancy that a check of a bound should see: a bound this share of the measured value on its wrong side.
WRONG_SIDE = 0.2
NOTHING_SEEN = (math.inf, 0, 0.0)
"""What could be seen at a point where nothing could: the discrepancy, the replicas, the part of it that is noise."""


@dataclass(frozen=True, kw_only=True)
class BoundEvidence(PointEvidence):
    """Evidence about a bound. `live`: the number of points at which it could be broken."""

    live: int

    _ratio: ClassVar[str] = "measured / bound"

    @property
    def tightness(self) -> tuple[float, float] | None:
        """Measured over bound: the smallest and the largest ratio; None if the bound is 0 everywhere."""
        ratios = [p.ratio for p in self.points if p.predicted]
        return (min(ratios), max(ratios)) if ratios else None

    def numbers(self) -> dict[str, object]:
        """The tightness, and how many points could have broken the bound."""
        low, high = self.tightness or (None, None)
        return {"tightness_min": low, "tightness_max": high, "points_live": self.live}

    def _tightness(self) -> str:
        if self.tightness is None:
            return ""
        low, high = (f"{ratio:.3g}" for ratio in self.tightness)
        return low if low == high else f"{low} to {high}"


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class Bound(LawStatement):
    """'The mean is at most (or at least) what the law says' at every point, or up to a constant `along` a size.

    `constant`: a factor on the law, where one is known.
    """

    along: str = ""
    constant: float = 1.0

    kind: ClassVar[str] = "bound"
    options: ClassVar[tuple[str, ...]] = ("constant",)
    of_a_mean: ClassVar[bool] = True
    relations: ClassVar[tuple[str, ...]] = ("<=", ">=")
    # A bound moved to the measured value is refuted at the setting where it was closest: three are enough.
    wrong_points: ClassVar[int | None] = 3
    several: ClassVar[int] = 3

    @property
    def factor(self) -> float:
        """The constant on the law."""
        return self.constant

    @property
    def variable_name(self) -> str | None:
        """The size along which a trend is judged."""
        return self.along or None

    def judge(self, measured: Measured, *, level: float, support: float = SUPPORT_LEVEL) -> Evidence:
        """Compare the mean with the bound at every point."""
        upper, count = self.law.relation in ("<=", "<~"), len(measured)
        if self.along:  # the constant, seen at the smallest size, takes half
            level, support = level / 2, support / 2
        estimates = [e for _, e in measured]
        bands, supports, wide = intervals_of(estimates, band_level(count), 1 - 2 * support, 1 - 2 * level / count)
        limits = self._limits(measured, [e.mean for e in estimates])
        spared = self._limits(measured, [ends[1 if upper else 0] for ends in wide])
        asked = self._limits(measured, [ends[0 if upper else 1] for ends in supports])
        points = points_of(measured, limits, bands, supports)
        check_declared(self.experiment, points, measured, [abs(p.mean - p.predicted) for p in points])
        compared = self._compared(measured)
        nulls, shown, seen, live, distances = [], [], [], 0, []
        for i, (estimate, limit) in enumerate(zip(estimates, limits, strict=True)):
            low, high = supports[i]
            shown.append(high <= asked[i] if upper else low >= asked[i])
            nulls.append((estimate, spared[i], "above" if upper else "below"))
            # with too few values for their kurtosis there is no end that could have lain beyond the bound
            finite_end = math.isfinite(wide[i][0 if upper else 1])
            live += i in compared and not _vacuous(limit, estimate.bounds, upper) and finite_end
            room = limit - estimate.mean if upper else estimate.mean - limit  # below 0 on the wrong side of the bound
            half, far = (half_width(estimate.mean, found) for found in ((low, high), wide[i]))
            distances.append(Distance.from_bound(room, noise=estimate.stderr, half=half, wide=far))
            mean = abs(estimate.mean)
            noise = noise_of(estimate, 1 - 2 * level / count)
            seen.append(
                (detectable(estimate, wide[i]) / mean, estimate.replicas, noise / mean) if mean else NOTHING_SEEN
            )
        p = min(1.0, (2 if self.along else 1) * count * min(one_sided_ps(nulls)))
        smallest, replicas, noise = max((one for one in seen if math.isfinite(one[0])), default=NOTHING_SEEN)
        return BoundEvidence(
            shown=all(shown),
            p_value=p,
            points=points,
            words=self._words(points, sum(shown), p, live),
            seen=smallest,
            wanted=WRONG_SIDE,
            needed=samples_needed(replicas, smallest, WRONG_SIDE, noise),
            noise=noise,
            shrink=shrink_of(distances),
            assumption=assumption_of(measured, 1 - 2 * support),
            obstacle=obstacle_of(measured),
            could_refute=live > 0,
            relation=self.relation,
            live=live,
        )

    def _limits(self, measured: Measured, values: Sequence[float]) -> list[float]:
        """The bound at every setting; along a size, with the constant that values of the mean show at the smallest."""
        limits = [self.predicted(params) for params, _ in measured]
        if not self.along:
            return limits
        slack = TREND if self.law.relation.startswith("<") else 1 / TREND
        numbered = [(dict(params), i) for i, (params, _) in enumerate(measured)]
        for _, members in groups_without(numbered, self.along):
            first = members[0][1]
            constant = slack * values[first] / limits[first]
            for _, i in members:
                limits[i] *= constant
        return limits

    def _compared(self, measured: Measured) -> set[int]:
        """The places of the settings that could break the bound: along a size, those with a smaller one beside them."""
        if not self.along:
            return set(range(len(measured)))
        numbered = [(dict(params), i) for i, (params, _) in enumerate(measured)]
        return {i for _, members in groups_without(numbered, self.along) for _, i in members[1:]}

    def _words(self, points: Sequence[Point], shown: int, p: float, live: int) -> str:
        side = "below" if self.law.relation in ("<=", "<~") else "above"
        if not live:
            return "No measured value could break the bound at any point: it is vacuous, or the values are too few."
        where = self._broken(points, side) or self._closest(points)
        constant = f" with the constant taken as {self.constant:g}" if self.constant != 1 else ""
        constant = (
            f", with the constant of the smallest {self.along} and a factor {TREND:g}," if self.along else constant
        )
        return (
            f"The measured mean is shown to lie {side} the bound{constant} at {of_all(shown, len(points))} "
            f"(one-sided, 1 % over all looks); it could be broken at {live} of them; {where}; p = {p:.2g} against the bound."
        )

    def _broken(self, points: Sequence[Point], side: str) -> str:
        """Which settings break the bound, and by how much, the worst three by name; nothing if none is seen to."""
        broken = [p for p in points if (p.low > p.predicted if side == "below" else p.high < p.predicted)]
        if not broken:
            return ""
        worst = sorted(broken, key=lambda p: p.ratio if p.predicted else abs(p.mean), reverse=side == "below")[:3]
        named = ", ".join(
            f"measured over bound is {p.ratio:.3g} at {spell(p.params)}"
            if p.predicted
            else f"measured is {p.mean:.3g}, the bound 0, at {spell(p.params)}"
            for p in worst
        )
        more = f", and {len(broken) - len(worst)} more" if len(broken) > len(worst) else ""
        zero = "" if any(p.predicted for p in points) else "the bound is 0 everywhere; "
        return f"{zero}it is broken at {len(broken)} of them: {named}{more}"

    def _closest(self, points: Sequence[Point]) -> str:
        """Where measurement and bound are closest."""
        nonzero = [point for point in points if point.predicted]
        if nonzero:
            closest = min(nonzero, key=lambda point: abs(point.ratio - 1))
            return f"measured over bound is {closest.ratio:.3f} where they are closest ({spell(closest.params)})"
        closest = min(points, key=lambda point: abs(point.mean))  # there is nothing to be a multiple of
        return f"the bound is 0 everywhere, measured is {closest.mean:.3g} where they are closest ({spell(closest.params)})"

    def rule(self) -> str:
        """How a bound is judged."""
        trend = (
            f"The bound holds up to a constant: that of the smallest {self.along} is taken, with its own uncertainty and a factor "
            f"{TREND:g} beside it, and asked at the larger ones. "
            if self.along
            else ""
        )
        return trend + (
            "Supported: at every point the one-sided 99 % limit of the mean lies on the right side of the bound. Refuted: the "
            "smallest one-sided p-value, times the number of points, is below the budget."
        )

    def look(self) -> Look:
        """Points and bound."""
        return Look(law="bound", open_constant=bool(self.along), beside=True)

    def wrong_laws(self) -> Iterator[WrongLaw]:
        """The bound moved to the wrong side of what was measured."""

        def wrong(measured: Measured) -> Statement:
            ratios = [e.mean / self.predicted(c) for c, e in measured if self.predicted(c)]
            upper = self.law.relation.startswith("<")
            factor = max(ratios) * (1 - WRONG_SIDE) if upper else min(ratios) * (1 + WRONG_SIDE)
            return self.saying(lambda cell: factor * self.predicted(cell))

        yield WrongLaw("bound 20 % on the wrong side", wrong)

    def saying(self, wrong: Callable[[Setting], float]) -> Self:
        """The same statement with a law that says `wrong(setting)`."""
        return replace(self, law=saying_law(self.law.relation), to_law=saying(wrong), along="", constant=1.0)


def _vacuous(limit: float, bounds: tuple[float, float] | None, upper: bool) -> bool:
    if bounds is None:
        return False
    return limit >= bounds[1] if upper else limit <= bounds[0]
