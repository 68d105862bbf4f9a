"""What the figure of a statement shows, as plain data: points or rows, the law drawn densely, and the units below.

A number that is unknown, or infinite, is NaN.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from asymp.reports.kinds import Fit, Point, Statement
from asymp.reports.numbers import Placed, Scale
from asymp.reports.page.labels import LONGEST, conditions, setting_label
from asymp.reports.page.plotted import FITTED, LAW, FigureData, Line, Series
from asymp.reports.page.render import letters
from asymp.reports.verdict import StatementVerdict
from asymp.theory import laws
from asymp.theory.quantities import words_of
from asymp.theory.typesetting import quantity_latex

NAMED = {"sharp": "sharp form", "asymptotic": "asymptotic form"}
FEWEST = 3
"""So many sizes make a plot; fewer are rows."""
MOST_ROWS = 16
ROUNDING = 1e-6
"""What agrees within this share of itself is called equal: there is nothing to be seen."""
SEEN = 0.05
"""A line that is nowhere farther than this share from the law would lie on it."""
DENSE = 33
BEYOND = 1.3
"""A law is drawn beyond the data by this factor."""


@dataclass(frozen=True)
class Wanted:
    """Which values of laws a figure needs: for each series the settings, evenly along its axis, and the laws by name."""

    x: tuple[list[float], ...]
    settings: tuple[list[dict[str, Any]], ...]


Dense = Mapping[str, Sequence[Sequence[float]]]
"""By name of a law its values at the settings that a figure wants, series by series."""


def is_exact(verdict: StatementVerdict) -> bool:
    """Whether measured and said agree to rounding everywhere, so that a sentence says more than a picture."""
    placed, wanted = verdict.evidence.placed(), verdict.evidence.wanted
    if verdict.evidence.scale is None or verdict.evidence.scale.ends != (-1.5, 1.5) or verdict.evidence.fits:
        return False
    return all(max(map(abs, ends)) * wanted <= ROUNDING for ends in placed if math.isfinite(ends[0]))


def exact_sentence(verdict: StatementVerdict) -> str:
    """The largest difference between measured and said, in a sentence."""
    evidence = verdict.evidence
    worst = max((abs(at) * evidence.wanted for at, _, _ in evidence.placed() if math.isfinite(at)), default=0.0)
    where = "the one setting" if len(evidence.points) == 1 else f"all {len(evidence.points)} settings"
    if not worst:
        return f"What is measured equals what the law says, to the last digit, at {where}."
    return f"What is measured equals what the law says at {where}: the largest relative difference is {worst:.1g}, rounding."


def axis_of(part: Statement, points: Sequence[Point]) -> str:
    """The size along which points are drawn: the declared one, or the first with enough sizes; empty for rows."""
    if part.look().rows:
        return ""
    declared = [part.variable_name, part.x_axis]
    for name in dict.fromkeys([*declared, *(k for p in points for k in p.params)]):
        values = [point.params.get(name) for point in points] if name else []
        if not name or not values or not all(map(_number, values)):
            continue
        sizes = [len({p.params[name] for p in group}) for group in _groups(points, name)]
        if sizes and sum(sizes) >= FEWEST * len(sizes):
            return name
    return ""


def wanted_values(part: Statement, points: Sequence[Point]) -> Wanted | None:
    """Where the laws of a figure are to be evaluated; None where nothing is drawn along a size."""
    axis = axis_of(part, points)
    if not axis or part.formula is None or part.formula.of_arrays:
        return None
    settings, places = [], []
    for group in _groups(points, axis):
        sizes = [p.params[axis] for p in group]
        found = dense(min(sizes), max(sizes), whole=all(isinstance(size, int) for size in sizes))
        places.append([float(x) for x in found])
        settings.append([{**group[0].params, axis: x} for x in found])
    return Wanted(tuple(places), tuple(settings))


def dense(low: float, high: float, *, whole: bool) -> list[Any]:
    """Sizes from below the smallest to beyond the largest, evenly on a logarithmic axis where they span much."""
    if low > 0 and high > BEYOND * low:
        start, step = low / BEYOND, math.log(BEYOND**2 * high / low) / (DENSE - 1)
        found = [start * math.exp(step * i) for i in range(DENSE)]
    else:
        room = 0.05 * (high - low)
        found = [low - room + (high - low + 2 * room) * i / (DENSE - 1) for i in range(DENSE)]
    if not whole:
        return found
    return sorted({max(1, round(x)) if low > 0 else round(x) for x in found})


def figure_data(
    part: Statement,
    verdict: StatementVerdict,
    others: Mapping[str, StatementVerdict],
    laws: Dense,
    claim: str = "",
) -> FigureData | None:
    """Everything that the figure of a statement shows; None where a sentence says more.

    Args:
        part: the statement.
        verdict: the verdict on it.
        others: the verdicts on all statements of its claim, by name; their curves are drawn beside where they can be.
        laws: the values of the law, and of the corrected law of an erratum, where `wanted_values` asks for them.
        claim: the id of its claim.
    """
    evidence, points = verdict.evidence, verdict.evidence.points
    scale = evidence.scale
    if not points or scale is None or is_exact(verdict):
        return None
    axis = axis_of(part, points)
    common: dict[str, Any] = {
        "law_word": part.look().law,
        "open_constant": part.look().open_constant,
        "bounds": _bounds(part, points),
    }
    if not axis:
        rows, left = _rows(evidence.fits, points, evidence.placed(), evidence.counted())
        title = conditions([p.params for p in points]) if len(rows.x) > 1 else ""
        return FigureData(
            axis="", log_x=False, x_label=scale.label, y_label="", title=title, scale=scale, wedge=False,
            series=[rows], left_out=left, **common,
        )  # fmt: skip
    groups = _groups(points, axis)
    sizes = [float(p.params[axis]) for p in points]
    by_point = dict(zip(map(id, points), evidence.placed(), strict=False)) if not evidence.fits else {}
    wanted, spread = wanted_values(part, points), math.log(max(sizes) / min(sizes)) / 2 if min(sizes) > 0 else 0.0
    beside = _beside(verdict, others) if part.look().beside else {}
    tilt = evidence.wanted * spread
    series = [
        _series(
            part, group, label, axis, evidence.fits, by_point, tilt, _lines(part, i, group, axis, wanted, laws, beside)
        )
        for i, (group, label) in enumerate(zip(groups, _labels(part, groups, axis), strict=True))
    ]
    return FigureData(
        axis=axis,
        log_x=min(sizes) > 0 and max(sizes) > 5 * min(sizes),
        x_label=axis_label(part, axis, claim),
        y_label=axis_label(part, "", claim),
        title=conditions([p.params for p in points], leave_out=axis),
        scale=Scale("off by, in margins", 0.0, (-1.0, 1.0), (-1.5, 1.5), "two standard errors")
        if evidence.fits
        else scale,
        wedge=bool(evidence.fits),
        series=series,
        **common,
    )


def _bounds(part: Statement, points: Sequence[Point]) -> tuple[float, float]:
    """Between which numbers every mean lies at every setting."""
    declared = part.experiment.bounds if part.look().of_mean else None
    found = [declared(**p.params) if callable(declared) else declared for p in points]
    live = [pair or (-math.inf, math.inf) for pair in found]
    return min(low for low, _ in live), max(high for _, high in live)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _groups(points: Sequence[Point], axis: str) -> list[list[Point]]:
    """The points that share everything but the axis, in its order."""
    groups: dict[str, list[Point]] = {}
    for point in points:
        groups.setdefault(repr({k: v for k, v in point.params.items() if k != axis}), []).append(point)
    return [sorted(group, key=lambda p: float(p.params[axis])) for group in groups.values()]


def _labels(part: Statement, groups: Sequence[Sequence[Point]], axis: str) -> list[str]:
    """What tells the series apart: of that what the statement speaks of, if it is enough."""
    settings = [{k: v for k, v in group[0].params.items() if k != axis} for group in groups]
    varying = {k for one in settings for k, v in one.items() if any(repr(o.get(k)) != repr(v) for o in settings)}
    spoken = {k for k in varying if k in part.speaks_of}
    for names in (spoken, varying):
        labels = [setting_label({k: v for k, v in one.items() if k in names}) for one in settings]
        if len(set(labels)) == len(labels):
            break
    return labels


def _rows(
    fits: Sequence[Fit], points: Sequence[Point], placed: Sequence[Placed], counts: Sequence[str]
) -> tuple[Series, int]:
    """A row for each setting, those farthest from the law first to stay where there are many."""
    settings = [dict(fit.at) for fit in fits] or [dict(p.params) for p in points]
    shared = {
        k for k in settings[0] if len(settings) > 1 and all(repr(s.get(k)) == repr(settings[0][k]) for s in settings)
    }
    labels = [setting_label({k: v for k, v in s.items() if k not in shared}) for s in settings]
    far = sorted(range(len(settings)), key=lambda i: -abs(placed[i][0]) if math.isfinite(placed[i][0]) else 0.0)
    kept = sorted(far[:MOST_ROWS])
    nan = [math.nan] * len(kept)
    own = [None if fits else points[i] for i in kept]

    def of(name: str) -> list[float]:
        return [_finite(getattr(p, name)) if p else math.nan for p in own]

    mean = [fits[i].exponent for i in kept] if fits else of("mean")
    law = [fits[i].predicted for i in kept] if fits else of("predicted")
    near, far_ = ([f.interval[e] for f in (fits[i] for i in kept)] if fits else of(("near", "far")[e]) for e in (0, 1))
    series = Series(
        label="", x=[float(i + 1) for i in kept], mean=mean, low=nan if fits else of("low"),
        high=nan if fits else of("high"), near=near, far=far_, law=law,
        placed=[placed[i] for i in kept], labels=[labels[i] for i in kept],
        counts=[counts[i] for i in kept] if counts else [],
    )  # fmt: skip
    return series, len(settings) - len(kept)


def _beside(verdict: StatementVerdict, others: Mapping[str, StatementVerdict]) -> dict[str, dict[str, float]]:
    """What other statements predict, without a free constant, at settings that they share with this one."""
    return {
        NAMED[name]: {repr(p.params): p.predicted for p in others[name].evidence.points}
        for name in NAMED
        if name in others and name != verdict.name and others[name].evidence.curve
    }


def _lines(
    part: Statement,
    index: int,
    group: Sequence[Point],
    axis: str,
    wanted: Wanted | None,
    laws: Dense,
    beside: Mapping[str, Mapping[str, float]],
) -> dict[str, Line]:
    """The law and its like for one series: densely where their values are known, else through the measured sizes."""
    x = [float(p.params[axis]) for p in group]
    found: dict[str, Line] = {}
    if wanted is None or LAW not in laws:
        found[LAW] = x, [p.predicted for p in group]
    for name, values in laws.items():
        assert wanted is not None
        at, says = wanted.x[index], list(values[index])
        if part.look().open_constant:
            says = _with_constant(at, says, group, axis, own=name == LAW)
        found[name] = at, [_finite(v) for v in says]
    for name, known in beside.items():
        shared = [(at, known[repr(p.params)]) for at, p in zip(x, group, strict=True) if repr(p.params) in known]
        apart = [
            abs(math.log(value / law))
            for at, value in shared
            if value > 0 and (law := interpolated(*found[LAW], at)) > 0
        ]
        if len(shared) >= FEWEST and max(apart, default=1.0) > SEEN:
            found[name] = [at for at, _ in shared], [value for _, value in shared]
    return found


def _with_constant(
    at: Sequence[float], says: Sequence[float], group: Sequence[Point], axis: str, *, own: bool
) -> list[float]:
    """A law up to a constant, with that at which it runs through the points of its statement, or of what was measured."""
    live = [(float(p.params[axis]), p.predicted if own else p.mean) for p in group if p.mean > 0 and p.predicted > 0]
    ratios = [math.log(value / law) for x, value in live if (law := interpolated(at, says, x)) > 0]
    constant = math.exp(sum(ratios) / len(ratios)) if ratios else 1.0
    return [constant * value for value in says]


def interpolated(at: Sequence[float], y: Sequence[float], x: float) -> float:
    """The value of a positive curve at a place between its own, along powers; NaN outside."""
    for a, b, left, right in zip(at, at[1:], y, y[1:], strict=False):
        if a <= x <= b and left > 0 and right > 0:
            share = math.log(x / a) / math.log(b / a) if a > 0 else (x - a) / (b - a)
            return float(left * (right / left) ** share)
    return math.nan


def _series(
    part: Statement,
    group: Sequence[Point],
    label: str,
    axis: str,
    fits: Sequence[Fit],
    placed: Mapping[int, Placed],
    tilt: float,
    lines: dict[str, Line],
) -> Series:
    x = [float(p.params[axis]) for p in group]
    fit = next((f for f in fits if all(group[0].params.get(k) == v for k, v in f.at.items())), None)
    if fit is not None:
        lines = {**lines, FITTED: ([x[0], x[-1]], _power(fit.exponent, x, group))}
    return Series(
        label=label,
        x=x,
        mean=[_finite(p.mean) for p in group],
        low=[_finite(p.low) for p in group],
        high=[_finite(p.high) for p in group],
        near=[_finite(p.near) for p in group],
        far=[_finite(p.far) for p in group],
        law=[_finite(p.predicted) for p in group],
        placed=[_tilted(p, tilt) if fits else placed[id(p)] for p in group],
        lines=lines,
        fan=([x[0], x[-1]], _power(fit.interval[0], x, group), _power(fit.interval[1], x, group)) if fit else None,
        exponent=fit.exponent if fit else math.nan,
    )


def _tilted(point: Point, tilt: float) -> Placed:
    """How far a point is from the law, in units of what a margin of the exponent comes to at the ends of the sizes."""

    def at(value: float) -> float:
        return math.log(value / point.predicted) / tilt if value > 0 and point.predicted > 0 and tilt else math.nan

    return at(point.mean), at(point.near), at(point.far)


def _power(exponent: float, x: Sequence[float], group: Sequence[Point]) -> list[float]:
    """A power at the ends of the sizes, through the larger half of the points."""
    half = [(a, p.mean) for a, p in zip(x, group, strict=True) if p.mean > 0][len(x) // 2 :]
    if not half or not math.isfinite(exponent):
        return [math.nan, math.nan]
    level = sum(math.log(mean) - exponent * math.log(a) for a, mean in half) / len(half)
    return [math.exp(level + exponent * math.log(a)) for a in (x[0], x[-1])]


def _finite(value: float) -> float:
    return float(value) if math.isfinite(value) else math.nan


def axis_label(part: Statement, name: str, claim: str = "") -> str:
    """An axis in words with its letter: that of the parameter `name`, or of the quantity that is measured."""
    law = part.formula
    if not name:
        quantity = law.quantity if law else part.described()["quantity"]
        words = words_of(quantity, claim)
        if not words or re.fullmatch(r"[a-z ]+", quantity):
            return words or quantity or "measured"
        simple = len(quantity) <= LONGEST // 3 and ("_" in quantity or len(quantity) == 1 or "/" in quantity)
        return f"{words} ${quantity_latex(quantity)}$" if simple else words
    param = law.params.get(name) if law else None
    if law and param is None:  # one of the settings that the claim's other laws depend on
        param = next((other.params[name] for other in laws.of(claim) if name in other.params), None)
    meaning = re.split(r"[;,(:]", param.meaning)[0].strip() if param and param.meaning else ""
    symbol = "" if meaning.endswith(name) else letters(name)
    return (
        f"{letters(meaning)} {symbol}".strip()
        if meaning and len(meaning) <= LONGEST and "^" not in meaning
        else letters(name)
    )
