"""What a statement's figure shows, and its files: found by the hash of what they show, or drawn."""

import hashlib
import math
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import asdict
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

from asymp.montecarlo.running.pools import Pool
from asymp.montecarlo.running.store import Derived, key_of
from asymp.reports.kinds import Fit, Point, Statement
from asymp.reports.numbers import spell
from asymp.reports.page import drawing
from asymp.reports.page.drawing import FORMATS, INK, Curve, FigureData, Slope, files
from asymp.reports.page.render import letters
from asymp.reports.verdict import StatementVerdict

Key = tuple[str, str]
Files = dict[str, bytes]
K = TypeVar("K", bound=Hashable)
CORRECTED = "corrected law"
NAMED = {"sharp": "sharp form", "asymptotic": "asymptotic form"}


def figure_data(
    part: Statement,
    verdict: StatementVerdict,
    others: Mapping[str, StatementVerdict],
    corrected: Sequence[float] | None = None,
) -> FigureData:
    """Everything that the figure of a statement shows.

    Args:
        part: the statement.
        verdict: the verdict on it.
        others: the verdicts on all statements of its claim, by name; their curves are drawn beside where they can be.
        corrected: what the corrected law of an erratum says at the statement's points.
    """
    points, look = verdict.evidence.points, part.look()
    axis = _axis(part, points)
    beside = _beside(verdict, others) if axis and look.beside else {}
    if corrected is not None:
        beside[CORRECTED] = {repr(p.params): v for p, v in zip(points, corrected, strict=True)}
    fits = verdict.evidence.fits if axis and axis == part.variable_name else ()
    curves = [_curve(part, label, group, axis, fits, beside) for label, group in _series(points, axis)]
    sizes = [x for curve in curves for x in curve.x]
    return FigureData(
        axis=axis,
        log_x=axis is not None and min(sizes, default=1) > 0 and max(sizes, default=1) > 5 * min(sizes, default=1),
        x_label=letters(axis) if axis else "point of the grid, numbered as in the table",
        y_label=f"measured (points), {look.law} ({'line' if axis else 'marks'})",
        ratio_label=f"(measured - {look.law}) / scale" if look.scaled else f"measured / {look.law}",
        ratio_line=0 if look.scaled else 1,
        band=look.band,
        wide_ratio=look.wide_ratio,
        open_constant=look.open_constant,
        curves=curves,
    )


def caption(part: Statement, data: FigureData) -> str:
    """The caption of a figure: what the marks are."""
    names = dict.fromkeys(name for curve in data.curves for name in curve.beside)
    if not names:
        return part.look().caption
    listed = " and ".join(f"the {NAMED.get(name, name)}" for name in names)
    return f"{part.look().caption} {'Dotted' if data.axis else 'Crosses'}: {listed}, at the same points."


def inline(svg: bytes, *, prefix: str, label: str) -> str:
    """A figure as SVG inside a page: ids made unique by a prefix, ink in the page's text colour, described in words."""
    text = svg.decode()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    # Without ids that nothing refers to, and without white space that nothing shows.
    prefix = re.sub(r"[^A-Za-z0-9_-]", "-", prefix)
    wanted = set(re.findall(r'(?:xlink:href="#|url\(#)([^")]+)', text))
    text = re.sub(r' id="([^"]+)"', lambda m: f' id="{prefix}-{m[1]}"' if m[1] in wanted else "", text)
    text = re.sub(r'(xlink:href="#|url\(#)', rf"\1{prefix}-", text)
    text = re.sub(r">\s+<", "><", text)
    # Places of points, not the numbers of the text: hundredths of a point are finer than any screen.
    text = re.sub(r' (?:d|x|y|transform|points)="[^"]*"', lambda m: re.sub(r"(\d\.\d\d)\d+", r"\1", m[0]), text)
    words = label.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    return text.replace(INK, "currentColor").replace("<svg", f'<svg role="img" aria-label="{words}"', 1)


def draw_all(wanted: Mapping[Key, FigureData], kept: Derived, pool: Pool) -> dict[Key, Files]:
    """The files of every figure, by claim and statement and then by format; `pool` draws those that are not `kept`."""
    begun = files_of_pictures({name: ([drawn_by(), asdict(d)], files, d) for name, d in wanted.items()}, kept, pool)
    return {name: found() for name, found in begun.items()}


def files_of_pictures(
    tasks: Mapping[K, tuple[object, Callable[[Any], Files], Any]], kept: Derived, pool: Pool
) -> dict[K, Callable[[], Files]]:
    """By name, what gives the files of a picture when it is called; `pool` begins at once with those that are not `kept`.

    A task is what the picture depends on, a function that draws, and its argument.
    """
    keys = {name: key_of(depends_on) for name, (depends_on, _, _) in tasks.items()}
    found = {name: {form: kept.get("figures", f"{key}.{form}") for form in FORMATS} for name, key in keys.items()}
    missing = [name for name, forms in found.items() if None in forms.values()]
    begun = {name: pool.submit(tasks[name][1], tasks[name][2]) for name in missing}

    def of(name: K) -> Files:
        drawn = begun[name].result() if name in begun else {}
        for form, body in drawn.items():
            kept.put("figures", f"{keys[name]}.{form}", body)
        return drawn or {form: body for form, body in found[name].items() if body is not None}

    return {name: partial(of, name) for name in tasks}


@cache
def drawn_by(*more: Path) -> str:
    """What else a picture depends on: the code that draws (`more`: its own files), and matplotlib."""
    code = b"".join(file.read_bytes() for file in (Path(drawing.__file__), *more))
    return f"{hashlib.sha256(code).hexdigest()} {version('matplotlib')}"


def _axis(part: Statement, points: Sequence[Point]) -> str | None:
    """The size along which the points are drawn; None if they have none in common, or it does not vary."""
    for name in (part.variable_name, part.x_axis):
        values = [point.params.get(name) for point in points] if name else []
        if values and all(_number(v) for v in values) and len(set(values)) > 1:
            return name
    return None


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _series(points: Sequence[Point], axis: str | None) -> list[tuple[str, list[Point]]]:
    """The points in groups that share everything but the axis, each with its label."""
    if axis is None:
        return [("", list(points))] if points else []
    groups: dict[str, list[Point]] = {}
    varying = {k for p in points for k in p.params if k != axis and any(o.params.get(k) != p.params[k] for o in points)}
    for point in points:
        label = letters(spell({k: v for k, v in point.params.items() if k in varying}))
        groups.setdefault(label, []).append(point)
    return [(label, sorted(group, key=lambda p: float(p.params[axis]))) for label, group in groups.items()]


def _beside(verdict: StatementVerdict, others: Mapping[str, StatementVerdict]) -> dict[str, dict[str, float]]:
    """What other statements predict, without a free constant, at settings that they share with this one."""
    return {
        name: {repr(p.params): p.predicted for p in others[name].evidence.points}
        for name in NAMED
        if name in others and name != verdict.name and others[name].evidence.curve
    }


def _curve(
    part: Statement,
    label: str,
    group: Sequence[Point],
    axis: str | None,
    fits: Sequence[Fit],
    beside: Mapping[str, Mapping[str, float]],
) -> Curve:
    look, last = part.look(), group[-1]
    x = [float(p.params[axis]) for p in group] if axis else [float(i) for i in range(1, len(group) + 1)]
    units = [part.unit(p.params) if look.scaled else abs(p.predicted) for p in group]
    base = [p.predicted if look.scaled else 0.0 for p in group]

    def ratio(values: Sequence[float]) -> list[float]:
        return [_finite((v - b) / u) if u else math.nan for v, b, u in zip(values, base, units, strict=True)]

    mean, low, high = [p.mean for p in group], [p.low for p in group], [p.high for p in group]
    # The fit of a series is the one whose fixed parameters it has.
    fit = next((f for f in fits if all(group[0].params.get(k) == v for k, v in f.at.items())), None)
    power = fit.exponent if fit and last.mean > 0 else math.nan
    shared: dict[str, list[float]] = {}
    for name, known in beside.items():
        values = [_finite(known.get(repr(p.params), math.nan)) for p in group]
        if sum(map(math.isfinite, values)) > (0 if name == CORRECTED else 1):
            shared[name] = values
    corrected = shared.get(CORRECTED, [0.0])
    if look.open_constant and math.isfinite(corrected[-1]) and corrected[-1]:
        # The constant of a corrected rate is open too: it is set at the largest size, as that of the law itself.
        shared[CORRECTED] = [_finite(v * last.mean / corrected[-1]) for v in corrected]
    return Curve(
        label=label,
        x=x,
        mean=[*map(_finite, mean)],
        low=[*map(_finite, low)],
        high=[*map(_finite, high)],
        law=[_finite(p.predicted) for p in group],
        ratio=ratio(mean),
        ratio_low=ratio(low),
        ratio_high=ratio(high),
        beside=shared,
        fit=[_finite(last.mean * (size / x[-1]) ** power) for size in x] if math.isfinite(power) else [],
        slopes=local_slopes(x, group) if fit else [],
        exponent=_finite(fit.predicted) if fit else math.nan,
    )


def local_slopes(x: Sequence[float], group: Sequence[Point]) -> list[Slope]:
    """Slopes between neighbouring sizes; their intervals come from the ends of the band, so they hold all at once."""
    found = []
    for a, b, left, right in zip(x, x[1:], group, group[1:], strict=False):
        if left.mean > 0 and right.mean > 0 and b > a > 0:
            step = math.log(b / a)
            low = math.log(right.low / left.high) / step if right.low > 0 else math.nan
            high = math.log(right.high / left.low) / step if left.low > 0 else math.nan
            found.append(Slope(math.sqrt(a * b), math.log(right.mean / left.mean) / step, low, high))
    return found


def _finite(value: float) -> float:
    return float(value) if math.isfinite(value) else math.nan
