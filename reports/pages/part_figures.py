"""What a part's figure shows, as plain data, and the figure itself."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from asymp.reports.declare import Part
from asymp.reports.judge.cells import spell
from asymp.reports.pages.drawing import INK, draw
from asymp.reports.pages.notation import letters
from asymp.reports.verdict import Cell, PartVerdict

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["CAPTIONS", "caption", "figure_data", "inline", "part_figure"]

CAPTIONS = {
    "rate": "Points: measured means with a simultaneous 95 % band. Dashed: the law, its open constant set at the largest size. "
    "Dash-dotted: the fitted exponent through the same point. Below: measured over law; local slopes between neighbouring "
    "sizes, with the law's exponent (dashed).",
    "identity": "Points: measured means with a simultaneous 95 % band. Line or mark: the law, with no free parameter. Below: "
    "measured over law; shaded: the declared margin.",
    "constant": "Points: measured means with a simultaneous 95 % band. Line or mark: the law, with no free parameter. Below: "
    "measured over law; shaded: the declared margin.",
    "bound": "Points: measured means with a simultaneous 95 % band. Line or mark: the bound. Below: measured over bound; the bound "
    "is the line at 1.",
    "capacity": "Points: measured capacities with a simultaneous 95 % band. Line or mark: the law (dashed where its open constant "
    "is set at the largest size). Below: measured over law.",
    "order": "Points: the mean over the runs with a simultaneous 95 % band. Line or mark: the limit that every run has to respect. "
    "Below: mean over limit.",
}
SCALED = "Below: measured less law, in units of the declared scale; shaded: the declared margin."
BESIDE = " {how}: {names}, at the same points."

NAMED = {"sharp": "sharp form", "asymptotic": "asymptotic form"}


def part_figure(
    part: Part,
    verdict: PartVerdict,
    others: Mapping[str, PartVerdict] | None = None,
    corrected: Sequence[float] | None = None,
) -> "Figure":
    """The main figure of a part as a matplotlib figure."""
    return draw(figure_data(part, verdict, others or {}, corrected))


def figure_data(
    part: Part,
    verdict: PartVerdict,
    others: Mapping[str, PartVerdict],
    corrected: Sequence[float] | None = None,
) -> dict[str, Any]:
    """Everything that the figure of a part shows; `others` are the claim's parts, drawn beside where they can be.

    `corrected` is what the corrected law of an erratum says at the part's points.
    """
    cells = verdict.judgement.cells
    axis = _axis(part, cells)
    fits = verdict.judgement.numbers.get("fits", [])
    scaled = part.scale is not None and part.kind in ("identity", "constant")
    beside = _beside(verdict, others) if axis else {}
    if corrected is not None:
        beside["corrected law"] = {repr(c.params): v for c, v in zip(cells, corrected, strict=True)}
    series = [_one(part, label, group, axis, fits, beside, scaled) for label, group in _series(cells, axis)]
    band = None
    if part.kind in ("identity", "constant") or (part.kind == "capacity" and not part.variable):
        band = [-part.margin, part.margin] if scaled else [1 - part.margin, 1 + part.margin]
    what = {"bound": "bound", "order": "limit"}.get(part.kind, "law")
    sizes = [x for s in series for x in s["x"]]
    return {
        "kind": part.kind,
        "axis": axis,
        "log_x": axis is not None and min(sizes, default=1) > 0 and max(sizes, default=1) > 5 * min(sizes, default=1),
        "x_label": letters(axis) if axis else "point of the grid, numbered as in the table",
        "y_label": f"measured (points), {what} ({'line' if axis else 'marks'})",
        "ratio_label": f"(measured - {what}) / scale" if scaled else f"measured / {what}",
        "ratio_line": 0 if scaled else 1,
        "band": band,
        "wide_ratio": part.kind in ("bound", "order"),
        "open_constant": part.kind == "rate" or bool(part.variable),
        "slopes": any(s["slopes"] for s in series),
        "series": series,
    }


def caption(data: Mapping[str, Any]) -> str:
    """The caption of a figure: what the marks are."""
    words = CAPTIONS[data["kind"]]
    if data["ratio_line"] == 0:
        words = words[: words.index("Below:")] + SCALED
    names = list(dict.fromkeys(name for s in data["series"] for name in s["beside"]))
    told = [f"the {NAMED.get(name, name)}" for name in names]
    ending = BESIDE.format(how="Dotted" if data["axis"] else "Crosses", names=" and ".join(told)) if names else ""
    return f"{words}{ending}"


def inline(svg: str, *, prefix: str, label: str) -> str:
    """A figure as SVG inside a page: ids made unique by a prefix, ink in the page's text colour, described in words."""
    text = svg[svg.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = _slim(text, re.sub(r"[^A-Za-z0-9_-]", "-", prefix))
    words = label.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    return text.replace(INK, "currentColor").replace("<svg", f'<svg role="img" aria-label="{words}"', 1)


def _slim(text: str, prefix: str) -> str:
    """Without ids that nothing refers to and white space that nothing shows; the other ids unique on the page."""
    wanted = set(re.findall(r'(?:xlink:href="#|url\(#)([^")]+)', text))
    text = re.sub(r' id="([^"]+)"', lambda m: f' id="{prefix}-{m[1]}"' if m[1] in wanted else "", text)
    text = re.sub(r'(xlink:href="#|url\(#)', rf"\1{prefix}-", text)
    text = re.sub(r">\s+<", "><", text)
    # Places of points, not the numbers of the text: hundredths of a point are finer than any screen.
    return re.sub(r' (?:d|x|y|transform|points)="[^"]*"', lambda m: re.sub(r"(\d\.\d\d)\d+", r"\1", m[0]), text)


def _axis(part: Part, cells: Sequence[Cell]) -> str | None:
    """The size along which the points are drawn; None if they have none in common, or it does not vary."""
    for name in (part.variable, part.x_axis):
        values = [cell.params.get(name) for cell in cells] if name else []
        if values and all(_number(v) for v in values) and len(set(values)) > 1:
            return name
    return None


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _series(cells: Sequence[Cell], axis: str | None) -> list[tuple[str, list[Cell]]]:
    if axis is None:
        return [("", list(cells))]
    groups: dict[str, list[Cell]] = {}
    varying = {k for c in cells for k in c.params if k != axis and any(o.params.get(k) != c.params[k] for o in cells)}
    for cell in cells:
        label = letters(spell({k: v for k, v in cell.params.items() if k in varying}))
        groups.setdefault(label, []).append(cell)
    return [(label, sorted(group, key=lambda c: float(c.params[axis]))) for label, group in groups.items()]


def _beside(verdict: PartVerdict, others: Mapping[str, PartVerdict]) -> dict[str, dict[str, float]]:
    """What other parts predict, without a free constant, at cells that they share with this one."""
    found = {}
    if verdict.kind in ("rate", "bound"):
        for name in ("sharp", "asymptotic"):
            other = others.get(name)
            if other is not None and name != verdict.name and other.kind in ("identity", "constant"):
                found[name] = {repr(c.params): c.predicted for c in other.judgement.cells}
    return found


def _one(
    part: Part,
    label: str,
    group: Sequence[Cell],
    axis: str | None,
    fits: Sequence[Mapping[str, Any]],
    beside: Mapping[str, Mapping[str, float]],
    scaled: bool,
) -> dict[str, Any]:
    x = [float(c.params[axis]) for c in group] if axis else [float(i) for i in range(1, len(group) + 1)]
    units = [part.unit(c.params) if scaled else abs(c.predicted) for c in group]
    base = [c.predicted if scaled else 0.0 for c in group]
    fit = _fit(group, axis, fits) if axis == part.variable else None
    shared = {name: [_finite(known.get(repr(c.params))) for c in group] for name, known in beside.items()}
    return {
        "label": label,
        "x": x,
        "mean": [_finite(c.mean) for c in group],
        "low": [_finite(c.low) for c in group],
        "high": [_finite(c.high) for c in group],
        "law": [_finite(c.predicted) for c in group],
        "ratio": [_share(c.mean - b, u) for c, b, u in zip(group, base, units, strict=True)],
        "ratio_low": [_share(c.low - b, u) for c, b, u in zip(group, base, units, strict=True)],
        "ratio_high": [_share(c.high - b, u) for c, b, u in zip(group, base, units, strict=True)],
        "beside": {name: _set(part, name, values, group) for name, values in shared.items() if _enough(name, values)},
        "fit": _power(group, x, fit["exponent"]) if fit else None,
        "slopes": local_slopes(x, group) if fit else [],
        "exponent": _finite(fit["predicted"]) if fit else None,
    }


def _enough(name: str, values: Sequence[float | None]) -> bool:
    return sum(v is not None for v in values) > (0 if name == "corrected law" else 1)


def _set(part: Part, name: str, values: Sequence[float | None], group: Sequence[Cell]) -> list[float | None]:
    """What is drawn beside: as it is, or with its open constant set at the largest size, as the rate's own law has it."""
    last = values[-1]
    if name != "corrected law" or not part.variable or not last:
        return list(values)
    return [None if v is None else _finite(v * group[-1].mean / last) for v in values]


def _fit(group: Sequence[Cell], axis: str | None, fits: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The fit of a series: the one whose fixed parameters it has."""
    params = group[0].params
    return next((f for f in fits if axis and all(params.get(k) == v for k, v in f["at"].items())), None)


def _power(group: Sequence[Cell], x: Sequence[float], exponent: float) -> list[float | None] | None:
    last = group[-1].mean
    if not (math.isfinite(exponent) and last > 0):
        return None
    return [_finite(last * (size / x[-1]) ** exponent) for size in x]


def local_slopes(x: Sequence[float], group: Sequence[Cell]) -> list[dict[str, Any]]:
    """Slopes between neighbouring sizes; their intervals come from the ends of the band, so they hold all at once."""
    found = []
    for a, b, left, right in zip(x, x[1:], group, group[1:], strict=False):
        if left.mean > 0 and right.mean > 0 and b > a > 0:
            step = math.log(b / a)
            low = math.log(right.low / left.high) / step if right.low > 0 else None
            high = math.log(right.high / left.low) / step if left.low > 0 else None
            found.append(
                {"at": math.sqrt(a * b), "slope": math.log(right.mean / left.mean) / step, "low": low, "high": high}
            )
    return found


def _share(value: float, unit: float) -> float | None:
    return _finite(value / unit) if unit else None


def _finite(value: Any) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None
