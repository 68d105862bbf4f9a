"""Bounds: one-sided at every point of the grid; the tightness is reported beside the verdict.

Supported: at every point the one-sided 99 % limit of the mean lies on the right side. Refuted: the smallest one-sided
p-value, times the number of points, is below the budget. What could have been detected is a share of the measured
value: a bound that lies on its wrong side by that much is refuted. A bound that no value of the quantity could break (a
lower bound of 0 on an error) is vacuous; if it is vacuous everywhere nothing could have refuted it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self, final

from asymp.montecarlo.estimate import intervals_of, one_sided_ps
from asymp.reports.grid import Setting
from asymp.reports.kinds.base import LawStatement, Look, Statement, WrongLaw
from asymp.reports.kinds.evidence import (
    SUPPORT_LEVEL,
    Distance,
    Evidence,
    Measured,
    Point,
    PointEvidence,
    band_level,
    detectable,
    half_width,
    points_of,
    samples_needed,
    shrink_of,
    support_interval,
)
from asymp.reports.kinds.wrong import saying, saying_law
from asymp.reports.numbers import spell

# The discrepancy that a check of a bound should see: a bound this share of the measured value on its wrong side.
WRONG_SIDE = 0.2


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
    """'The mean is at most (or at least) what the law says' at every point; `constant` is that of <~ and >~."""

    constant: float = 1.0

    kind: ClassVar[str] = "bound"
    # A bound moved to the measured value is refuted at the setting where it was closest: three are enough.
    wrong_points: ClassVar[int | None] = 3
    several: ClassVar[int] = 3

    @property
    def factor(self) -> float:
        """The constant that the source hides."""
        return self.constant

    def judge(self, measured: Measured, *, level: float, support: float = SUPPORT_LEVEL) -> Evidence:
        """Compare the mean with the bound at every point."""
        upper, count = self.law.relation in ("<=", "<~"), len(measured)
        estimates = [e for _, e in measured]
        bands, supports, wide = intervals_of(estimates, band_level(count), 1 - 2 * support, 1 - 2 * level / count)
        limits = [self.predicted(params) for params, _ in measured]
        points = points_of(measured, limits, bands)
        nulls, shown, seen, live, distances = [], [], [], 0, []
        for i, (estimate, limit) in enumerate(zip(estimates, limits, strict=True)):
            low, high = support_interval(estimate, limit, supports[i], support)
            shown.append(high <= limit if upper else low >= limit)
            nulls.append((estimate, limit, "above" if upper else "below"))
            live += not _vacuous(limit, estimate.bounds, upper)
            room = limit - estimate.mean if upper else estimate.mean - limit  # below 0 on the wrong side of the bound
            half, far = (half_width(estimate.mean, found) for found in ((low, high), wide[i]))
            distances.append(Distance.from_bound(room, noise=estimate.stderr, half=half, wide=far))
            mean = abs(estimate.mean)
            seen.append(detectable(estimate, wide[i]) / mean if mean else float("inf"))
        p = min(1.0, count * min(one_sided_ps(nulls)))
        finite = [(s, e.replicas) for s, e in zip(seen, estimates, strict=True) if s < float("inf")]
        smallest, replicas = max(finite, default=(float("inf"), 0))
        return BoundEvidence(
            shown=all(shown),
            p_value=p,
            points=points,
            words=self._words(points, sum(shown), p, live),
            seen=smallest,
            wanted=WRONG_SIDE,
            needed=samples_needed(replicas, smallest, WRONG_SIDE),
            shrink=shrink_of(distances),
            could_refute=live > 0,
            relation=self.relation,
            live=live,
        )

    def _words(self, points: Sequence[Point], shown: int, p: float, live: int) -> str:
        side = "below" if self.law.relation in ("<=", "<~") else "above"
        if not live:
            return "The bound is vacuous at every point: no measured value could break it."
        nonzero = [point for point in points if point.predicted]
        if nonzero:
            closest = min(nonzero, key=lambda point: abs(point.ratio - 1))
            where = f"measured over bound is {closest.ratio:.3f} where they are closest ({spell(closest.params)})"
        else:  # nothing to be a multiple of
            closest = min(points, key=lambda point: abs(point.mean))
            where = f"the bound is 0 everywhere, measured is {closest.mean:.3g} where they are closest ({spell(closest.params)})"
        constant = f" with the hidden constant taken as {self.constant:g}" if self.constant != 1 else ""
        return (
            f"The measured mean is shown to lie {side} the bound{constant} at {shown} of {len(points)} points "
            f"(one-sided, 1 % over all looks), {live} of them where it could be broken; {where}; p = {p:.2g} against the bound."
        )

    def rule(self) -> str:
        """How a bound is judged."""
        return (
            "Supported: at every point the one-sided 99 % limit of the mean lies on the right side of the bound. Refuted: the "
            "smallest one-sided p-value, times the number of points, is below the budget."
        )

    def look(self) -> Look:
        """Points and bound."""
        caption = (
            "Points: measured means with a simultaneous 95 % band. Line or mark: the bound. Below: measured over bound; the "
            "bound is the line at 1."
        )
        return Look(caption, law="bound", wide_ratio=True, beside=True)

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
        return replace(self, law=saying_law(self.law.relation), to_law=saying(wrong), constant=1.0)


def _vacuous(limit: float, bounds: tuple[float, float] | None, upper: bool) -> bool:
    if bounds is None:
        return False
    return limit >= bounds[1] if upper else limit <= bounds[0]
