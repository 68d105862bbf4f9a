"""A statement's figure: measured points with intervals, the law, the ratio below, local slopes for rates.

Nothing large is loaded here but matplotlib, so that processes that only draw start quickly. The same data give the same
bytes. In the data NaN stands for a value that is unknown or infinite.
"""

import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Any

from asymp.lazy import Lazy

if TYPE_CHECKING:
    import matplotlib
    from matplotlib import lines, markers, ticker
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.typing import RcKeyType

    from asymp.reports import shown
else:
    matplotlib, lines, markers, ticker = map(
        Lazy, ("matplotlib", "matplotlib.lines", "matplotlib.markers", "matplotlib.ticker")
    )
    shown = Lazy("asymp.reports.shown")

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


# matplotlib's own sizes of ticks in points: (length, width) of a mark, and the gap between it and its number.
MAJOR, MINOR, GAP = (3.5, 0.8), (2.0, 0.6), 3.5
RAISED = str.maketrans("-0123456789", "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079")


@dataclass(frozen=True)
class Slope:
    """The slope between two neighbouring sizes, drawn at their geometric mean, with its interval."""

    at: float
    slope: float
    low: float
    high: float


@dataclass(frozen=True)
class Curve:
    """The points of one series and what is drawn with them.

    `ratio`: measured over law, or the difference in units of a declared scale. `beside`: other curves at the same points,
    by name. `fit`: the fitted power law. `exponent`: the law's.
    """

    label: str
    x: list[float]
    mean: list[float]
    low: list[float]
    high: list[float]
    law: list[float]
    ratio: list[float]
    ratio_low: list[float]
    ratio_high: list[float]
    beside: Mapping[str, list[float]]
    fit: list[float]
    slopes: list[Slope]
    exponent: float


@dataclass(frozen=True)
class FigureData:
    """All that the figure of a statement shows; `axis` is the size along which it is drawn, None for the order of the grid."""

    axis: str | None
    log_x: bool
    x_label: str
    y_label: str
    ratio_label: str
    ratio_line: float
    band: tuple[float, float] | None
    wide_ratio: bool
    open_constant: bool
    curves: list[Curve]

    @property
    def has_slopes(self) -> bool:
        """Whether there is a panel of local slopes."""
        return any(curve.slopes for curve in self.curves)


def draw(data: FigureData) -> "Figure":
    """The figure of one statement: its points against a size, or in the order of the grid, with the panels that it has."""
    rates, curves = data.has_slopes, data.curves
    if not curves:
        with matplotlib.rc_context(STYLE):
            empty = shown.ShownFigure(figsize=(6.4, 0.8))
            empty.text(0.5, 0.5, "Nothing was measured: the time was up before.", ha="center", va="center", color=INK)
            return empty
    rows = 0 if len(curves) == 1 else math.ceil(min(len(curves), MOST_NAMED) / _columns(curves)) + 1
    height = 4.1 + (1.3 if rates else 0) + 0.17 * rows
    # Margins in inches, the same for every figure: working them out would cost as much as drawing it.
    frame = {
        "left": 0.82 / 6.4,
        "right": 1 - 0.1 / 6.4,
        "bottom": 0.45 / height,
        "top": 1 - (0.1 + 0.17 * rows) / height,
        "hspace": 0.12,
    }
    ratios = (2.2, 1, 1) if rates else (2.2, 1)
    with matplotlib.rc_context(STYLE):
        figure = shown.ShownFigure(figsize=(6.4, height))
        panels = figure.subplots(len(ratios), 1, sharex=True, height_ratios=ratios, gridspec_kw=frame)
        for colour, marker, one in zip(cycle(COLOURS), cycle(MARKERS), curves, strict=False):
            points(panels[0], one.x, one.mean, one.low, one.high, colour, marker, label=one.label or "measured")
            _law(panels[0], one, data, colour)
            points(panels[1], one.x, one.ratio, one.ratio_low, one.ratio_high, colour, marker)
            if rates:
                _slopes(panels[2], one, colour, marker)
        _scales(panels, data)
        _labels(panels, data)
        panels[1].axhline(data.ratio_line, color=INK, linewidth=0.8)
        if data.band is not None:
            panels[1].axhspan(*data.band, color=MARGIN_COLOUR, alpha=0.18, linewidth=0)
        if rows:
            _legend(figure, panels[0], curves)
    return figure


def files(data: FigureData) -> dict[str, bytes]:
    """The figure in every format, drawn once."""
    figure = draw(data)
    with matplotlib.rc_context(STYLE):
        plain_ticks(figure)
        return saved(figure)


def saved(figure: "Figure", *, dpi: int = 150) -> dict[str, bytes]:
    """A figure in every format; only PNG has paper of its own."""
    found = {}
    for form in FORMATS:
        buffer = io.BytesIO()
        figure.patch.set_alpha(1.0 if form == "png" else 0.0)
        for axes in figure.axes:
            axes.patch.set_alpha(0.0)
        figure.savefig(buffer, format=form, dpi=dpi, metadata=METADATA[form], **SAVING.get(form, {}))
        found[form] = buffer.getvalue()
    return found


def points(
    axes: "Axes",
    x: Sequence[float],
    mean: Sequence[float],
    low: Sequence[float],
    high: Sequence[float],
    colour: str,
    marker: str,
    *,
    label: str | None = None,
) -> None:
    """Points with error bars; an end of an interval that is unknown is not drawn, nor is a point."""
    live = [
        (at, m, 0.0 if math.isnan(a) else max(0.0, m - a), 0.0 if math.isnan(b) else max(0.0, b - m))
        for at, m, a, b in zip(x, mean, low, high, strict=True)
        if not math.isnan(m)
    ]
    if live:
        at, m, below, above = zip(*live, strict=True)
        look: dict[str, Any] = {"fmt": marker, "markersize": 3.6, "color": colour, "capsize": 2, "linewidth": 1}
        axes.errorbar(at, m, yerr=[below, above], label=label, **look)


def _law(axes: "Axes", one: Curve, data: FigureData, colour: str) -> None:
    if data.axis is None:
        # Neighbours in the grid are not neighbours in any size: marks, not a line.
        axes.plot(one.x, one.law, linestyle="none", marker="_", markersize=11, markeredgewidth=1.4, color=colour)
        for values in one.beside.values():
            axes.plot(one.x, values, linestyle="none", marker="x", markersize=6, color=COLOURS[1])
        return
    axes.plot(one.x, one.law, color=colour, linewidth=1.2, linestyle="--" if data.open_constant else "-")
    for values in one.beside.values():
        axes.plot(one.x, values, color=colour, linewidth=1.1, linestyle=":")
    if one.fit:
        axes.plot(one.x, one.fit, color=colour, linewidth=0.9, linestyle="-.", alpha=0.8)


def _slopes(axes: "Axes", one: Curve, colour: str, marker: str) -> None:
    found = one.slopes
    lows, highs = [s.low for s in found], [s.high for s in found]
    points(axes, [s.at for s in found], [s.slope for s in found], lows, highs, colour, marker)
    if not math.isnan(one.exponent):
        axes.axhline(one.exponent, color=colour, linewidth=1, linestyle="--")


def _scales(panels: Any, data: FigureData) -> None:
    """Logarithmic axes where values span much, and limits that show the points."""
    top, bottom, last = panels[0], panels[1], panels[-1]
    values = [v for c in data.curves for v in (*c.mean, *c.law) if not math.isnan(v)]
    if data.log_x:
        last.set_xscale("log")
        sizes = [x for c in data.curves for x in c.x]
        log_ticks(last.xaxis, min(sizes), max(sizes))
    if values and min(values) > 0 and max(values) > (2 if data.axis is not None else 20) * min(values):
        top.set_yscale("log")
        log_ticks(top.yaxis, min(values), max(values))
        # Intervals that reach down to nothing leave the panel instead of flattening it.
        low, high = top.get_ylim()
        top.set_ylim(max(low, min(values) / FAR), min(high, max(values) * FAR))
    ratios = [v for c in data.curves for v in c.ratio if not math.isnan(v)]
    if data.wide_ratio and ratios and min(ratios) > 0 and max(ratios) > 3 * min(ratios):
        bottom.set_yscale("log")
        log_ticks(bottom.yaxis, min(ratios), max(ratios))
    _keep_readable(bottom, [*ratios, data.ratio_line, *(data.band or ())], least=0.02)
    if data.has_slopes:
        slopes = [s.slope for c in data.curves for s in c.slopes]
        exponents = [c.exponent for c in data.curves if not math.isnan(c.exponent)]
        _keep_readable(last, [*slopes, *exponents], least=0.2)
    if data.axis is None:
        last.xaxis.get_major_locator().set_params(integer=True)
        last.set_xlim(0.5, max(len(c.x) for c in data.curves) + 0.5)


def _keep_readable(axes: "Axes", shown: Sequence[float], *, least: float) -> None:
    """Intervals far wider than what the points show leave the panel instead of flattening it."""
    if axes.get_yscale() == "log" or not shown:
        return
    span = max(max(shown) - min(shown), least)
    low, high = axes.get_ylim()
    if high - low < ROUNDING:
        # What agrees to rounding is shown as equal: ticks at 1 + 1e-12 say nothing.
        low, high = min(shown) - least, max(shown) + least
    axes.set_ylim(max(low, min(shown) - 1.5 * span), min(high, max(shown) + 1.5 * span))


def _labels(panels: Any, data: FigureData) -> None:
    panels[-1].set_xlabel(data.x_label)
    for axes, words in zip(panels, (data.y_label, data.ratio_label, "local slope"), strict=False):
        axes.set_ylabel(words)
        axes.yaxis.set_label_coords(-0.105, 0.5)
        # 20.16 points below the panel: a tick, its number and two gaps.
        inches = axes.get_position().height * axes.figure.get_figheight()
        axes.xaxis.set_label_coords(0.5, -20.16 / 72 / inches)


def _columns(curves: Sequence[Curve]) -> int:
    longest = max(len(c.label) for c in curves)
    return 1 if longest > 34 else 2 if longest > 20 else 3 if longest > 12 else 4


def _legend(figure: "Figure", axes: "Axes", curves: Sequence[Curve]) -> None:
    handles, labels = axes.get_legend_handles_labels()
    handles, labels = handles[:MOST_NAMED], labels[:MOST_NAMED]
    if len(curves) > MOST_NAMED:
        labels[-1] += f" (and {len(curves) - MOST_NAMED} more)"
    look: dict[str, Any] = {"frameon": False, "fontsize": 8, "handletextpad": 0.3, "borderaxespad": 0.2}
    figure.legend(handles, labels, loc="upper left", ncols=_columns(curves), **look)


def log_ticks(axis: "Axis", low: float, high: float) -> None:
    """Ticks in plain text (parsing formulas would cost more than all the rest), at 1, 2, 5 where decades are few."""
    decades = math.log10(high / low) if high > low > 0 else 1.0
    axis.set_major_locator(ticker.LogLocator(subs=(1.0, 2.0, 5.0) if decades < 1.5 else (1.0,), numticks=8))
    axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: log_label(value)))
    axis.set_minor_formatter(ticker.NullFormatter())


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


def plain_ticks(figure: "Figure") -> None:
    """Put one line of marks and a text for each number in the place of the ticks; the limits must be final.

    matplotlib makes five artists of every tick and places them again in every format: the same picture would take 1.6
    times as long.
    """
    every = [axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)]
    # All are found before any is taken away: axes that share a size share its locator too.
    found = [(axis, _numbers(axis), [at for at in axis.get_minorticklocs() if _inside(axis, at)]) for axis in every]
    for axis, numbers, minor in found:
        axes, horizontal = axis.axes, axis is axis.axes.xaxis
        _marks(axis, list(numbers), *MAJOR)
        _marks(axis, minor, *MINOR)
        away = axes.get_xaxis_text1_transform if horizontal else axes.get_yaxis_text1_transform
        place, vertical, sideways = away(MAJOR[0] + GAP)
        for at, label in numbers.items():
            if label:
                x, y = (at, 0.0) if horizontal else (0.0, at)
                axes.text(x, y, label, transform=place, va=vertical, ha=sideways, color=INK)
        axis.set_major_locator(ticker.NullLocator())
        axis.set_minor_locator(ticker.NullLocator())


def _numbers(axis: "Axis") -> dict[float, str]:
    """Where an axis has its ticks, and what they say; a factor that they share goes into the axis's label."""
    formatter: Any = axis.get_major_formatter()
    places = list(axis.get_majorticklocs())
    labels = formatter.format_ticks(places)
    if formatter.get_offset() and axis.get_label_text():
        # matplotlib would write it above the panel, where there is no room.
        power = formatter.get_offset().replace("\u2212", "-").removeprefix("1e")
        axis.set_label_text(f"{axis.get_label_text()} / 10{power.translate(RAISED)}")
        axis.get_offset_text().set_visible(False)
    parameters = axis.get_tick_params(which="major")
    named = parameters.get("labelbottom") or parameters.get("labelleft")
    return {at: label if named else "" for at, label in zip(places, labels, strict=True) if _inside(axis, at)}


def _inside(axis: "Axis", at: float) -> bool:
    low, high, here = axis.get_transform().transform([*sorted(axis.get_view_interval()), at])
    return bool(low - 1e-10 * (high - low) <= here <= high + 1e-10 * (high - low))


def _marks(axis: "Axis", places: list[float], length: float, width: float) -> None:
    axes, zeros = axis.axes, [0.0] * len(places)
    horizontal = axis is axes.xaxis
    mark: Any = markers.TICKDOWN if horizontal else markers.TICKLEFT
    line = lines.Line2D(
        *((places, zeros) if horizontal else (zeros, places)),
        linestyle="none",
        marker=mark,
        color=INK,
        markersize=length,
        markeredgewidth=width,
        transform=axes.get_xaxis_transform() if horizontal else axes.get_yaxis_transform(),
        clip_on=False,
        zorder=2.01,
    )
    if places:
        axes.add_artist(line)
