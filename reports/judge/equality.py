"""Identities and constants: the law's value at every point of the grid at once, with no free parameter.

Supported: at every point two one-sided tests at 1 % put the mean within the declared relative margin. Requiring all
points is an intersection-union test, so a law that is off by the margin anywhere passes with probability at most 1 %.
Refuted: the smallest p-value over the points, times their number, is below the budget. An exact law (relation =) is
tested as a point; an asymptotic one (relation ~) only where the mean is beyond the margin, because nobody claims more.
A deterministic identity has no spread; what its simulation cannot resolve is the part's resolution (sums of up to 1e4
float64 terms differ by 1e4 roundings of 1.1e-16). A law that may say 0 declares the scale of which the margin is a
share; without one that is the predicted value.
"""

from collections.abc import Sequence
from typing import Any

from asymp.montecarlo import Estimate
from asymp.reports.declare import Part
from asymp.reports.judge.cells import band_cell, know_bands, spell
from asymp.reports.statistics import detectable, ps_outside, samples_needed, support_interval
from asymp.reports.verdict import Judgement

__all__ = ["judge_equality"]


def judge_equality(part: Part, measured: Sequence[tuple[dict[str, Any], Estimate]], *, level: float) -> Judgement:
    """Judge 'measured = law' within the part's relative margin at every point."""
    points = len(measured)
    know_bands([e for _, e in measured], points=points, level=level / points)
    cells, nulls, shown, seen, off = [], [], [], [], []
    for params, estimate in measured:
        predicted, unit = part.predicted(params), part.unit(params)
        half = unit * max(part.margin, part.resolved(params))
        tolerance = half if part.law.relation == "~" else unit * part.resolved(params)
        low, high = support_interval(estimate, predicted)
        cells.append(band_cell(params, predicted, estimate, points=points))
        shown.append(predicted - half <= low and high <= predicted + half)
        nulls.append((estimate, predicted - tolerance, predicted + tolerance))
        seen.append((detectable(estimate, level / points) + tolerance) / unit if unit else float("inf"))
        off.append((estimate.mean - predicted) / unit if unit else float("inf"))
    worst = max(range(points), key=lambda i: abs(off[i]))
    smallest, replicas = max(zip(seen, (e.replicas for _, e in measured), strict=True))
    p = min(1.0, points * min(ps_outside(nulls)))
    return Judgement(
        shown=all(shown),
        p_value=p,
        cells=tuple(cells),
        words=_words(part, cells, worst, off[worst], p, sum(shown)),
        seen=smallest,
        unit="relative" if part.scale is None else "scaled",
        wanted=part.margin,
        needed=samples_needed(replicas, smallest, part.margin),
        numbers={
            "worst_ratio": cells[worst].ratio,
            "worst_difference": off[worst],
            "worst_at": cells[worst].params,
            "points_shown": sum(shown),
        },
    )


def _words(part: Part, cells: Sequence[Any], worst: int, off: float, p: float, shown: int) -> str:
    cell = cells[worst]
    margin = f"{100 * part.margin:.3g}%" if part.margin >= 1e-6 else f"{part.margin:g}"
    if any(part.resolved(c.params) > part.margin for c in cells):
        margin += " (or the law's own uncertainty, where that is more)"
    against = f"at {spell(cell.params)}; p = {p:.2g} against equality."
    if part.scale is not None or not cell.predicted:
        return (
            f"Measured less predicted is within {margin} of the declared scale at {shown} of {len(cells)} points "
            f"(two one-sided tests at 1 %); it is farthest from 0 with {off:.2g} of the scale (measured {cell.mean:.4g}, "
            f"simultaneous 95 % interval {cell.low:.4g} to {cell.high:.4g}, predicted {cell.predicted:.4g}) {against}"
        )
    low, high = sorted((cell.low / cell.predicted, cell.high / cell.predicted))
    return (
        f"Measured over predicted is within {margin} of 1 at {shown} of {len(cells)} points "
        f"(two one-sided tests at 1 %); the ratio farthest from 1 is {cell.ratio:.4f} "
        f"(simultaneous 95 % interval {low:.4f} to {high:.4f}) {against}"
    )
