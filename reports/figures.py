"""Figures of a claim's parts: measured points with intervals, the law, the margin. SVG text, the same bytes every time."""

import io
import math
import re
from typing import TYPE_CHECKING, Any

from asymp.reports.declare import Part
from asymp.reports.verdict import Cell, PartVerdict

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["part_figure", "part_svg"]

# Okabe and Ito's colours, told apart by colour-blind readers, on light and dark paper.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
# Axes and text are drawn in this colour and take the page's text colour afterwards.
INK = "#010203"


def part_figure(part: Part, verdict: PartVerdict) -> "Figure":
    """The main figure of a part: against its size where there is one, with the ratio to the law below."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    cells = verdict.judgement.cells
    axis = part.x_axis or part.variable
    with rc_context(_style()):
        figure = Figure(figsize=(6.4, 4.4 if axis else 2.6), layout="constrained")
        if axis is None:
            _ratios(figure.subplots(), part, cells, range(1, len(cells) + 1), "point of the grid")
            return figure
        top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=(2.2, 1))
        for colour, (label, group) in zip(_cycle(), _series(cells, axis), strict=False):
            x = [float(c.params[axis]) for c in group]
            _points(top, x, group, colour, label)
            top.plot(x, [c.predicted for c in group], color=colour, linewidth=1.2, linestyle=_line(part))
            _errors(bottom, x, group, colour)
        top.set(xscale="log", yscale="log", ylabel="measured (points), law (line)")
        if len(top.get_legend_handles_labels()[1]) > 1:
            top.legend(frameon=False, fontsize=8)
        _band(bottom, part)
        bottom.set(xlabel=axis, ylabel=_ratio_name(part))
    return figure


def part_svg(part: Part, verdict: PartVerdict, *, prefix: str) -> str:
    """The figure as inline SVG: ids made unique by a prefix, ink in the page's text colour."""
    from matplotlib import rc_context

    with rc_context(_style()):
        buffer = io.StringIO()
        part_figure(part, verdict).savefig(
            buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None}
        )
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = _slim(text, re.sub(r"[^A-Za-z0-9_-]", "-", prefix))
    label = f'role="img" aria-label="Figure: {verdict.outcome}, measured against the law"'
    return text.replace(INK, "currentColor").replace("<svg", f"<svg {label}", 1)


def _slim(text: str, prefix: str) -> str:
    """Without ids that nothing refers to and white space that nothing shows; the other ids unique on the page."""
    wanted = set(re.findall(r'(?:xlink:href="#|url\(#)([^")]+)', text))
    text = re.sub(r' id="([^"]+)"', lambda m: f' id="{prefix}-{m[1]}"' if m[1] in wanted else "", text)
    text = re.sub(r'(xlink:href="#|url\(#)', rf"\1{prefix}-", text)
    text = re.sub(r">\s+<", "><", text)
    return re.sub(r"(\d\.\d\d)\d+", r"\1", text)


def _style() -> Any:
    return {
        "svg.fonttype": "none",
        "svg.hashsalt": "asymp",
        "font.family": "sans-serif",
        "font.size": 9,
        "text.color": INK,
        "axes.edgecolor": INK,
        "axes.labelcolor": INK,
        "xtick.color": INK,
        "ytick.color": INK,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "xtick.minor.visible": False,
    }


def _cycle() -> list[str]:
    return list(COLOURS) * 4


def _line(part: Part) -> str:
    return "--" if part.kind in ("rate", "bound") or part.variable else "-"


def _series(cells: tuple[Cell, ...], axis: str) -> list[tuple[str, list[Cell]]]:
    groups: dict[str, list[Cell]] = {}
    varying = {k for c in cells for k in c.params if k != axis and any(o.params.get(k) != c.params[k] for o in cells)}
    for cell in cells:
        label = ", ".join(f"{k}={_short(cell.params[k])}" for k in cell.params if k in varying)
        groups.setdefault(label, []).append(cell)
    return [(label, sorted(group, key=lambda c: float(c.params[axis]))) for label, group in groups.items()]


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def _points(axes: "Axes", x: list[float], cells: list[Cell], colour: str, label: str) -> None:
    low = [max(0.0, c.mean - c.low) for c in cells]
    high = [max(0.0, c.high - c.mean) for c in cells]
    axes.errorbar(
        x,
        [c.mean for c in cells],
        yerr=[low, high],
        fmt="o",
        markersize=3.5,
        color=colour,
        capsize=2,
        label=label or None,
    )


def _errors(axes: "Axes", x: Any, cells: Any, colour: str) -> None:
    live = [(at, c) for at, c in zip(x, cells, strict=True) if c.predicted and math.isfinite(c.ratio)]
    ratio = [c.ratio for _, c in live]
    low = [max(0.0, (c.mean - c.low) / abs(c.predicted)) for _, c in live]
    high = [max(0.0, (c.high - c.mean) / abs(c.predicted)) for _, c in live]
    axes.errorbar([at for at, _ in live], ratio, yerr=[low, high], fmt="o", markersize=3.5, color=colour, capsize=2)


def _ratios(axes: "Axes", part: Part, cells: tuple[Cell, ...], x: Any, label: str) -> None:
    _errors(axes, x, cells, COLOURS[0])
    _band(axes, part)
    axes.set(xlabel=label, ylabel=_ratio_name(part))


def _ratio_name(part: Part) -> str:
    return {"bound": "measured / bound", "order": "measured / limit"}.get(part.kind, "measured / law")


def _band(axes: "Axes", part: Part) -> None:
    axes.axhline(1, color=INK, linewidth=0.8)
    if part.kind in ("identity", "constant") or (part.kind == "capacity" and not part.variable):
        axes.axhspan(1 - part.margin, 1 + part.margin, color=COLOURS[2], alpha=0.18, linewidth=0)
    elif part.kind == "bound":
        axes.set_yscale("log")
