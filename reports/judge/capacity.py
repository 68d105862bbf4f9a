"""Capacities: the largest size at which recall holds, at sizes fixed before the run, then its value or its exponent.

At every group of the other parameters the capacity is read off the sizes by `capacity_of`, with an interval. A part
without a variable compares it with the law itself, within the relative margin (or one-sided, for a law that is a
bound). A part with a variable compares the exponent of the capacities in that variable, over the class of laws that
the part declares; where the sharp form has a logarithm the part says how a capacity is counted, such as N log N, so that
what is left is a power. Sizes that do not enclose the capacity of a group leave the part open: they could not have decided.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from asymp.montecarlo import Estimate, capacity_of, fit_exponent_of_logs
from asymp.montecarlo.capacity.find import CapacityFit
from asymp.reports.declare import Part
from asymp.reports.judge.cells import class_words, spell
from asymp.reports.judge.groups import groups_without
from asymp.reports.judge.invert import p_by_interval
from asymp.reports.statistics import SUPPORT_LEVEL, samples_needed
from asymp.reports.verdict import Cell, Judgement

__all__ = ["judge_capacity"]

Measured = Sequence[tuple[dict[str, Any], Estimate]]
ONE_SIGMA = 0.6826894921370859


def judge_capacity(part: Part, measured: Measured, *, level: float) -> Judgement:
    """Judge a capacity: by its value, or by its exponent where the part names a variable."""
    assert part.size is not None
    found = []
    for rest, members in groups_without(measured, part.size):
        sizes = tuple(int(params[part.size]) for params, _ in members)
        fit = _fit(sizes, tuple(e for _, e in members), part.threshold)
        found.append((rest, fit, min(e.replicas for _, e in members)))
    bracketed = [fit.status == "ok" for _, fit, _ in found]
    if not all(bracketed):
        return _open(part, found)
    return _exponent(part, found, level=level) if part.variable else _value(part, found, level=level)


@lru_cache(maxsize=16)
def _fit(sizes: tuple[int, ...], estimates: tuple[Estimate, ...], threshold: float) -> CapacityFit:
    """The capacity does not depend on the law: another law that is judged by the same estimates finds it again."""
    return capacity_of(sizes, [e.values for e in estimates], threshold=threshold)


def _cell(part: Part, rest: dict[str, Any], fit: Any, replicas: int, points: int) -> Cell:
    low, high = fit.interval(1 - 0.05 / points)
    return Cell(
        params=dict(rest),
        predicted=part.predicted(rest),
        mean=fit.capacity,
        low=low,
        high=high,
        level=0.95,
        replicas=replicas,
    )


def _counted(part: Part, params: dict[str, Any], N: float) -> float:
    """The capacity as the part counts it; an open end stays open."""
    return part.counted(params, N) if part.counted is not None and 0 < N < math.inf else N


def _open(part: Part, found: list[tuple[dict[str, Any], Any, int]]) -> Judgement:
    cells = tuple(_cell(part, rest, fit, n, len(found)) for rest, fit, n in found)
    out = [f"{spell(rest)}: {fit.status}" for rest, fit, _ in found if fit.status != "ok"]
    return Judgement(
        shown=False,
        p_value=1.0,
        cells=cells,
        words=f"The sizes measured do not enclose the capacity ({'; '.join(out)}), so that nothing was decided.",
        seen=float("inf"),
        unit="relative",
        wanted=part.margin,
        needed=None,
        could_refute=False,
    )


def _value(part: Part, found: list[tuple[dict[str, Any], Any, int]], *, level: float) -> Judgement:
    points, relation = len(found), part.law.relation
    cells, shown, p_values, seen = [], [], [], []
    for rest, fit, n in found:
        cell = _cell(part, rest, fit, n, points)
        cells.append(cell)
        low, high = fit.interval(1 - 2 * SUPPORT_LEVEL)
        limit, half = cell.predicted, part.margin * cell.predicted
        tolerance = half if relation == "~" else 0.0
        if relation.startswith("<"):
            shown.append(high <= limit)
            ends = (-math.inf, limit)
        elif relation.startswith(">"):
            shown.append(low >= limit)
            ends = (limit, math.inf)
        else:
            shown.append(limit - half <= low and high <= limit + half)
            ends = (limit - tolerance, limit + tolerance)
        p_values.append(p_by_interval(fit.interval, *ends))
        wide = fit.interval(1 - level / points)
        seen.append((max(wide[1] - fit.capacity, fit.capacity - wide[0]) + tolerance) / fit.capacity)
    p = min(1.0, points * min(p_values))
    worst = max(cells, key=lambda c: abs(math.log(c.ratio)))
    return Judgement(
        shown=all(shown),
        p_value=p,
        cells=tuple(cells),
        words=(
            f"The capacity (largest {part.size} with mean recall at least {part.threshold:g}) agrees with the law "
            f"({relation}, margin {100 * part.margin:.3g}%) at {sum(shown)} of {points} settings; measured over predicted "
            f"is farthest from 1 with {worst.ratio:.3f} (simultaneous 95 % interval {worst.low / worst.predicted:.3f} to "
            f"{worst.high / worst.predicted:.3f}) at {spell(worst.params)}; p = {p:.2g} against the law."
        ),
        seen=max(seen),
        unit="relative",
        wanted=part.margin,
        needed=samples_needed(min(n for _, _, n in found), max(seen), part.margin),
        could_refute=all(math.isfinite(s) for s in seen),
        numbers={"ratios": [c.ratio for c in cells], "points_shown": sum(shown)},
    )


def _exponent(part: Part, found: list[tuple[dict[str, Any], Any, int]], *, level: float) -> Judgement:
    assert part.variable is not None
    fits, cells, shown, p_values, widths, words = [], [], [], [], [], []
    groups = groups_without([(rest, (fit, n)) for rest, fit, n in found], part.variable)
    for rest, members in groups:
        sizes = [float(params[part.variable]) for params, _ in members]
        logs, errors = [], []
        for params, (fit, _n) in members:
            # The capacity is a whole number: rounding it is part of the error.
            middle, low, high = (_counted(part, params, N) for N in (fit.capacity, *fit.interval(ONE_SIGMA)))
            rounding = (_counted(part, params, fit.capacity + 1) - middle) / middle
            logs.append(math.log(middle))
            errors.append(math.hypot(math.log(high / low) / 2, rounding / math.sqrt(12)))
        fitted = fit_exponent_of_logs(sizes, logs, errors, families=part.families, kappa=part.kappa, omega=part.omega)
        values = {k: v for k, v in part.law_values(members[0][0]).items() if k != part.variable}
        wanted = float(part.law.exponent(part.variable, **{k: v for k, v in values.items() if k not in part.law.words}))
        low, high = fitted.interval(1 - 2 * SUPPORT_LEVEL)
        shown.append(fitted.status != "misfit" and wanted - part.margin <= low and high <= wanted + part.margin)
        p_values.append(p_by_interval(fitted.interval, wanted, wanted) if fitted.status != "misfit" else 1.0)
        wide = fitted.interval(1 - level / len(groups))
        widths.append(max(wide[1] - fitted.exponent, fitted.exponent - wide[0]))
        last_params, (last_fit, _) = members[-1]
        scale = _counted(part, last_params, last_fit.capacity) / part.predicted(last_params)
        for params, (fit, n) in members:
            cell = _cell(part, params, fit, n, len(found))
            shown_as = {name: _counted(part, params, getattr(cell, name)) for name in ("mean", "low", "high")}
            cells.append(Cell(**{**cell.__dict__, **shown_as, "predicted": scale * cell.predicted}))
        at = f" at {spell(rest)}" if rest else ""
        words.append(
            f"The capacity grows with {part.variable}{at} by the exponent {fitted.exponent:.3f}, 98 % interval {low:.3f} to "
            f"{high:.3f} (class: {class_words(part)}); the law says {wanted:.3f}, margin {part.margin:g}."
        )
        fits.append(
            {
                "at": rest,
                "exponent": fitted.exponent,
                "interval": [low, high],
                "level": 1 - 2 * SUPPORT_LEVEL,
                "predicted": wanted,
                "status": fitted.status,
                "family": str(fitted.family),
                "sizes": [min(sizes), max(sizes)],
            }
        )
    p = min(1.0, len(groups) * min(p_values))
    return Judgement(
        shown=all(shown),
        p_value=p,
        cells=tuple(cells),
        words=" ".join(words) + f" p = {p:.2g} against the law's exponent.",
        seen=max(widths),
        unit="absolute",
        wanted=part.margin,
        needed=samples_needed(min(n for _, _, n in found), max(widths), part.margin),
        could_refute=all(math.isfinite(w) for w in widths),
        numbers={"fits": fits},
    )
