"""A part's figure from plain data: measured points with intervals, the law, the ratio below, local slopes for rates.

Nothing is loaded here but matplotlib, so that processes that only draw start quickly. The same data give the same bytes.
"""

import io
import math
from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

from asymp.reports.pages.ticks import RAISED, fix_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.typing import RcKeyType

__all__ = ["FORMATS", "INK", "METADATA", "draw", "files", "log_ticks"]

FORMATS = ("svg", "png", "pdf")
# Okabe and Ito's colours, told apart by colour-blind readers on light and on dark paper; a series has its own marker too.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
MARGIN_COLOUR = "#009E73"
# Axes and text are drawn in this colour; a page puts its own text colour in its place.
INK = "#010203"
STYLE: "dict[RcKeyType, Any]" = {
    "svg.fonttype": "none",
    "svg.hashsalt": "asymp",
    "pdf.fonttype": 3,
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
    # Numbers in full, not as differences from one that stands elsewhere.
    "axes.formatter.useoffset": False,
    "figure.dpi": 100,
}
# No dates and no names of programs: the same figure is the same file.
METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Producer": None, "Creator": None},
}
# Run lengths (zlib's Z_RLE) take two thirds of the time of a search for repetitions, and a tenth more room.
SAVING: dict[str, dict[str, Any]] = {"png": {"pil_kwargs": {"compress_type": 3}}}
# How far beyond what was measured, as a factor, an interval is drawn on a logarithmic axis.
FAR = 8
# A panel no wider than this shows nothing but rounding.
ROUNDING = 1e-6
# A legend of more lines than this would be larger than the figure.
MOST_NAMED = 12


def draw(data: Mapping[str, Any]) -> "Figure":
    """The figure of one part: its points against a size, or in the order of the grid, with the panels that it has."""
    from matplotlib import rc_context

    from asymp.reports.shown import ShownFigure

    rates = data["slopes"]
    series = data["series"]
    named = len(series) > 1
    rows = 0 if not named else math.ceil(min(len(series), MOST_NAMED) / _columns(series)) + 1
    with rc_context(STYLE):
        height = 4.1 + (1.3 if rates else 0) + 0.17 * rows
        figure = ShownFigure(figsize=(6.4, height))
        # Margins in inches, the same for every figure: working them out would cost as much as drawing it.
        frame = {
            "left": 0.82 / 6.4,
            "right": 1 - 0.1 / 6.4,
            "bottom": 0.45 / height,
            "top": 1 - (0.1 + 0.17 * rows) / height,
        }
        panels = figure.subplots(
            3 if rates else 2,
            1,
            sharex=True,
            height_ratios=(2.2, 1, 1) if rates else (2.2, 1),
            gridspec_kw={**frame, "hspace": 0.12},
        )
        for colour, marker, one in zip(cycle(COLOURS), cycle(MARKERS), series, strict=False):
            _measured(panels[0], one, colour, marker)
            _law(panels[0], one, data, colour)
            _points(panels[1], one["x"], one["ratio"], one["ratio_low"], one["ratio_high"], colour, marker)
            if rates:
                _slopes(panels[2], one, colour, marker)
        _scales(panels, data)
        _references(panels, data)
        if named:
            _legend(figure, panels[0], series)
    return figure


def files(data: Mapping[str, Any]) -> dict[str, bytes]:
    """The figure in every format, drawn once."""
    from matplotlib import rc_context

    figure = draw(data)
    found = {}
    with rc_context(STYLE):
        fix_ticks(figure, colour=INK)
        for form in FORMATS:
            buffer = io.BytesIO()
            figure.patch.set_alpha(1.0 if form == "png" else 0.0)
            for axes in figure.axes:
                axes.patch.set_alpha(0.0)
            figure.savefig(buffer, format=form, dpi=150, metadata=METADATA[form], **SAVING.get(form, {}))
            found[form] = buffer.getvalue()
    return found


def _measured(axes: "Axes", one: Mapping[str, Any], colour: str, marker: str) -> None:
    _points(axes, one["x"], one["mean"], one["low"], one["high"], colour, marker, label=one["label"] or "measured")


def _law(axes: "Axes", one: Mapping[str, Any], data: Mapping[str, Any], colour: str) -> None:
    if data["axis"] is None:
        # Neighbours in the grid are not neighbours in any size: marks, not a line.
        axes.plot(one["x"], one["law"], linestyle="none", marker="_", markersize=11, markeredgewidth=1.4, color=colour)
        for values in one["beside"].values():
            axes.plot(one["x"], _gaps(values), linestyle="none", marker="x", markersize=6, color=COLOURS[1])
        return
    axes.plot(one["x"], one["law"], color=colour, linewidth=1.2, linestyle="--" if data["open_constant"] else "-")
    for values in one["beside"].values():
        axes.plot(one["x"], _gaps(values), color=colour, linewidth=1.1, linestyle=":")
    if one["fit"]:
        axes.plot(one["x"], _gaps(one["fit"]), color=colour, linewidth=0.9, linestyle="-.", alpha=0.8)


def _gaps(values: Sequence[float | None]) -> list[float]:
    return [math.nan if v is None else v for v in values]


def _points(
    axes: "Axes",
    x: Sequence[float],
    mean: Sequence[float | None],
    low: Sequence[float | None],
    high: Sequence[float | None],
    colour: str,
    marker: str,
    *,
    label: str | None = None,
) -> None:
    live = [
        (at, m, max(0.0, m - a) if a is not None else 0.0, max(0.0, b - m) if b is not None else 0.0)
        for at, m, a, b in zip(x, mean, low, high, strict=True)
        if m is not None
    ]
    if not live:
        return
    at, m, below, above = zip(*live, strict=True)
    axes.errorbar(
        at, m, yerr=[below, above], fmt=marker, markersize=3.6, color=colour, capsize=2, linewidth=1, label=label
    )


def _slopes(axes: "Axes", one: Mapping[str, Any], colour: str, marker: str) -> None:
    found = one["slopes"]
    _points(
        axes,
        [s["at"] for s in found],
        [s["slope"] for s in found],
        [s["low"] for s in found],
        [s["high"] for s in found],
        colour,
        marker,
    )
    if one["exponent"] is not None:
        axes.axhline(one["exponent"], color=colour, linewidth=1, linestyle="--")


def _scales(panels: Any, data: Mapping[str, Any]) -> None:
    top, bottom = panels[0], panels[1]
    everything = [v for s in data["series"] for key in ("mean", "law") for v in s[key] if v is not None]
    positive = bool(everything) and min(everything) > 0
    if data["log_x"]:
        panels[-1].set_xscale("log")
        sizes = [x for s in data["series"] for x in s["x"]]
        log_ticks(panels[-1].xaxis, min(sizes), max(sizes))
    if positive and max(everything) > (2 if data["axis"] is not None else 20) * min(everything):
        top.set_yscale("log")
        log_ticks(top.yaxis, min(everything), max(everything))
        # Intervals that reach down to nothing leave the panel instead of flattening it.
        low, high = top.get_ylim()
        top.set_ylim(max(low, min(everything) / FAR), min(high, max(everything) * FAR))
    ratios = [v for s in data["series"] for v in s["ratio"] if v is not None]
    if data["wide_ratio"] and ratios and min(ratios) > 0 and max(ratios) > 3 * min(ratios):
        bottom.set_yscale("log")
        log_ticks(bottom.yaxis, min(ratios), max(ratios))
    _keep_readable(bottom, ratios, [data["ratio_line"], *(data["band"] or ())], least=0.02)
    if len(panels) == 3:
        slopes = [p["slope"] for s in data["series"] for p in s["slopes"]]
        _keep_readable(
            panels[2], slopes, [s["exponent"] for s in data["series"] if s["exponent"] is not None], least=0.2
        )
    top.set_ylabel(data["y_label"])
    bottom.set_ylabel(data["ratio_label"])
    if len(panels) == 3:
        panels[2].set_ylabel("local slope")
    panels[-1].set_xlabel(data["x_label"])
    if data["axis"] is None:
        panels[-1].xaxis.get_major_locator().set_params(integer=True)
        panels[-1].set_xlim(0.5, max(len(s["x"]) for s in data["series"]) + 0.5)
    for axes in panels:
        axes.yaxis.set_label_coords(-0.105, 0.5)
        # 20.16 points below the panel: a tick, its number and two gaps.
        inches = axes.get_position().height * axes.figure.get_figheight()
        axes.xaxis.set_label_coords(0.5, -20.16 / 72 / inches)


def _keep_readable(axes: "Axes", points: Sequence[float], lines: Sequence[float], *, least: float) -> None:
    """Intervals far wider than what the points show leave the panel instead of flattening it."""
    shown = [*points, *lines]
    if axes.get_yscale() == "log" or not shown:
        return
    span = max(max(shown) - min(shown), least)
    low, high = axes.get_ylim()
    if high - low < ROUNDING:
        # What agrees to rounding is shown as equal: ticks at 1 + 1e-12 say nothing.
        low, high = min(shown) - least, max(shown) + least
    axes.set_ylim(max(low, min(shown) - 1.5 * span), min(high, max(shown) + 1.5 * span))


def log_ticks(axis: Any, low: float, high: float) -> None:
    """Ticks in plain text (parsing formulas would cost more than all the rest), at 1, 2, 5 where decades are few."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    decades = math.log10(high / low) if high > low > 0 else 1.0
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if decades < 1.5 else (1.0,), numticks=8))
    axis.set_major_formatter(FuncFormatter(lambda value, _: log_label(value)))
    axis.set_minor_formatter(NullFormatter())


def log_label(value: float) -> str:
    """A tick's number: plain where that is short, else with a power of ten."""
    if not value > 0:
        return ""
    power = math.floor(math.log10(value) + 1e-9)
    if -3 <= power <= 3:
        return f"{value:.6g}"
    digit = round(value / 10.0**power)
    raised = str(power).translate(RAISED)
    return f"10{raised}" if digit == 1 else f"{digit}\u00b710{raised}"


def _references(panels: Any, data: Mapping[str, Any]) -> None:
    bottom = panels[1]
    bottom.axhline(data["ratio_line"], color=INK, linewidth=0.8)
    if data["band"] is not None:
        low, high = data["band"]
        bottom.axhspan(low, high, color=MARGIN_COLOUR, alpha=0.18, linewidth=0)


def _columns(series: Sequence[Mapping[str, Any]]) -> int:
    longest = max(len(s["label"]) for s in series)
    return 1 if longest > 34 else 2 if longest > 20 else 3 if longest > 12 else 4


def _legend(figure: "Figure", axes: "Axes", series: Sequence[Mapping[str, Any]]) -> None:
    handles, labels = axes.get_legend_handles_labels()
    handles, labels = handles[:MOST_NAMED], labels[:MOST_NAMED]
    if len(series) > MOST_NAMED:
        labels[-1] += f" (and {len(series) - MOST_NAMED} more)"
    figure.legend(
        handles,
        labels,
        loc="upper left",
        ncols=_columns(series),
        frameon=False,
        fontsize=8,
        handletextpad=0.3,
        borderaxespad=0.2,
    )
