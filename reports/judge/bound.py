"""Bounds: one-sided at every point of the grid; the tightness is reported beside the verdict.

Supported: at every point the one-sided 99 % limit of the mean lies on the right side. Refuted: the smallest one-sided
p-value, times the number of points, is below the budget. What could have been detected is told as a share of the
measured value: a bound that lies on its wrong side by that much is refuted. A bound that no value of the quantity
could break (a lower bound of 0 on an error) is vacuous; if it is vacuous everywhere nothing could have refuted it.
"""

from collections.abc import Sequence
from typing import Any

from asymp.montecarlo import Estimate
from asymp.reports.declare import Part
from asymp.reports.judge.cells import band_cell, know_bands, spell
from asymp.reports.statistics import detectable, one_sided_ps, samples_needed, support_interval
from asymp.reports.verdict import Judgement

__all__ = ["judge_bound"]

# The discrepancy that a check of a bound should see: a bound this share of the measured value on its wrong side.
WRONG_SIDE = 0.2


def judge_bound(part: Part, measured: Sequence[tuple[dict[str, Any], Estimate]], *, level: float) -> Judgement:
    """Judge 'measured <= law' or 'measured >= law'; 'up to a constant' takes the constant declared on the part."""
    upper = part.law.relation in ("<=", "<~")
    points = len(measured)
    know_bands([e for _, e in measured], points=points, level=2 * level / points)
    cells, nulls, shown, seen, live = [], [], [], [], 0
    for params, estimate in measured:
        limit = part.predicted(params)
        low, high = support_interval(estimate, limit)
        cells.append(band_cell(params, limit, estimate, points=points))
        shown.append(high <= limit if upper else low >= limit)
        nulls.append((estimate, limit, "above" if upper else "below"))
        live += not _vacuous(limit, estimate.bounds, upper)
        mean = abs(estimate.mean)
        seen.append(detectable(estimate, 2 * level / points) / mean if mean else float("inf"))
    tightness = [c.ratio for c in cells if c.predicted]
    p = min(1.0, points * min(one_sided_ps(nulls)))
    finite = [(s, e.replicas) for s, (_, e) in zip(seen, measured, strict=True) if s < float("inf")]
    smallest, replicas = max(finite, default=(float("inf"), 0))
    return Judgement(
        shown=all(shown),
        p_value=p,
        cells=tuple(cells),
        words=_words(part, cells, shown, p, live),
        seen=smallest,
        unit="relative",
        wanted=WRONG_SIDE,
        needed=samples_needed(replicas, smallest, WRONG_SIDE),
        could_refute=live > 0,
        numbers={
            "tightness_min": min(tightness, default=None),
            "tightness_max": max(tightness, default=None),
            "points_live": live,
        },
    )


def _vacuous(limit: float, bounds: tuple[float, float] | None, upper: bool) -> bool:
    if bounds is None:
        return False
    return limit >= bounds[1] if upper else limit <= bounds[0]


def _words(part: Part, cells: Sequence[Any], shown: Sequence[bool], p: float, live: int) -> str:
    side = "below" if part.law.relation in ("<=", "<~") else "above"
    if not live:
        return "The bound is vacuous at every point: no measured value could break it."
    nonzero = [c for c in cells if c.predicted]
    if nonzero:
        closest = min(nonzero, key=lambda c: abs(c.ratio - 1))
        tightness = f"measured over bound is {closest.ratio:.3f} where they are closest ({spell(closest.params)})"
    else:  # nothing to be a multiple of
        closest = min(cells, key=lambda c: abs(c.mean))
        tightness = f"the bound is 0 everywhere, measured is {closest.mean:.3g} where they are closest ({spell(closest.params)})"
    constant = f" with the hidden constant taken as {part.constant:g}" if part.constant != 1 else ""
    return (
        f"The measured mean is shown to lie {side} the bound{constant} at {sum(shown)} of {len(cells)} points "
        f"(one-sided, 1 %), {live} of them where it could be broken; {tightness}; p = {p:.2g} against the bound."
    )
