"""A statement's figure: measured points with the law along a size, or a row for each setting, one or two columns wide.

Nothing large is loaded here but matplotlib, so that processes that only draw start quickly. The same data give the same
bytes.
"""

import math
import textwrap
from collections.abc import Sequence
from copy import copy
from itertools import cycle
from typing import TYPE_CHECKING, Any

from asymp.lazy import Lazy
from asymp.reports.numbers import concise, plain
from asymp.reports.page.labels import tick_label
from asymp.reports.page.plotted import CORRECTED, FITTED, LAW, FigureData, Series, table
from asymp.reports.page.style import COLOURS, INK, MARGIN_COLOUR, MARKERS, ONE_COLUMN, STYLE, TWO_COLUMNS, saved
from asymp.reports.page.ticks import log_ticks, plain_ticks

if TYPE_CHECKING:
    import matplotlib
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from asymp.reports import shown
else:
    matplotlib = Lazy("matplotlib")
    shown = Lazy("asymp.reports.shown")

FORMATS = ("svg", "narrow.svg", "png", "pdf", "narrow.pdf", "csv")
# How far beyond what was measured, as a factor, an interval is drawn on a logarithmic axis.
FAR = 4
# A legend of more series than this would be larger than the figure.
MOST_NAMED = 12
# Inches: of a line of text, of a row, and the room at the left, right, bottom of a plot.
LINE, ROW, FRAME = 0.165, 0.3, (0.86, 0.12, 0.46)
LETTER = 0.068
"""The width of a letter in inches, on the average."""
NUMBERS = 0.52
"""The width of the numbers at an axis."""
STRONG, FAINT = 2.2, 0.7


def draw(data: FigureData, *, width: float = TWO_COLUMNS) -> "Figure":
    """The figure of one statement, so many inches wide."""
    with matplotlib.rc_context(STYLE):
        return _plot(data, width) if data.axis else _rows(data, width)


def files(data: FigureData) -> dict[str, bytes]:
    """The figure in every format, and its data."""
    found = {"csv": table(data).encode()}
    with matplotlib.rc_context(STYLE):
        for width, before, forms in (
            (TWO_COLUMNS, "", ("svg", "png", "pdf")),
            (ONE_COLUMN, "narrow.", ("svg", "pdf")),
        ):
            figure = draw(data, width=width)
            plain_ticks(figure)
            found |= {f"{before}{form}": body for form, body in saved(figure, forms=forms).items()}
    return found


def said(words: str) -> "Figure":
    """A sentence in the place of a figure."""
    lines = _wrapped(words, TWO_COLUMNS - 0.4)
    with matplotlib.rc_context(STYLE):
        figure = shown.ShownFigure(figsize=(TWO_COLUMNS, 0.3 + LINE * len(lines)))
        figure.text(0.5, 0.5, "\n".join(lines), ha="center", va="center", color=INK)
        return figure


# -- along a size ------------------------------------------------------------------------------------------------------


def _plot(data: FigureData, width: float) -> "Figure":
    title = _wrapped(data.title, width - 0.2)
    entries = _entries(data)
    columns = max(1, min(len(entries), int((width - 0.3) / (LETTER * max(map(len, entries)) + 0.4)))) if entries else 1
    above = LINE * (len(title) + math.ceil(len(entries) / columns)) + 0.16
    left, right, bottom = FRAME
    main, below, gap = (2.2, 0.85, 0.12) if width > ONE_COLUMN else (1.9, 0.8, 0.12)
    height = above + main + gap + below + bottom
    figure = shown.ShownFigure(figsize=(width, height))
    box = {"left": left / width, "right": 1 - right / width, "bottom": bottom / height, "top": 1 - above / height}
    ratio = {"height_ratios": (main, below), "hspace": gap / ((main + below) / 2)}
    top, bar = figure.subplots(2, 1, sharex=True, gridspec_kw={**box, **ratio})
    one_series = len(data.series) == 1
    for colour, marker, one in zip(cycle(COLOURS), cycle(MARKERS), data.series, strict=False):
        points(top, one.x, one.mean, one.low, one.high, colour, marker, thin=True)
        points(top, one.x, one.mean, one.near, one.far, colour, marker, label=one.label or "measured")
        _lines(top, one, data, colour, one_series)
    _scales(top, bar, data)
    _residuals(bar, data)
    _named(top, data, width, main)
    handles = dict(zip(*reversed(top.get_legend_handles_labels()), strict=True))
    shown_entries = [name for name in entries if name in handles]
    if not one_series:
        for name in {_line_name(name, data) for one in data.series for name in one.lines} & handles.keys():
            handles[name] = copy(handles[name])
            handles[name].set_color(INK)
    figure.legend(
        [handles[name] for name in shown_entries], shown_entries, loc="upper left", ncols=columns, frameon=False,
        fontsize=8.5, handletextpad=0.4, borderaxespad=0.0, columnspacing=1.2, labelspacing=0.25, handlelength=1.8,
        bbox_to_anchor=(0.08 / width, 1 - (0.07 + LINE * len(title)) / height),
    )  # fmt: skip
    figure.text(0.1 / width, 1 - 0.06 / height, "\n".join(title), va="top", fontsize=8.5, linespacing=1.15)
    numbers = max(
        NUMBERS, max(map(len, top.yaxis.get_major_formatter().format_ticks(list(top.get_yticks())))) * LETTER + 0.14
    )
    figure.subplots_adjust(left=(left + numbers - NUMBERS) / width)
    across = width - left - right - numbers + NUMBERS
    top.yaxis.set_label_coords(-numbers / across, 0.5)
    bar.yaxis.set_label_coords(-NUMBERS / across, 0.5)
    bar.xaxis.set_label_coords(0.5, -0.3 / below)
    return figure


def _entries(data: FigureData) -> list[str]:
    """The names in the legend: series, then lines."""
    named = [one.label or "measured" for one in data.series[:MOST_NAMED]]
    lines = dict.fromkeys(_line_name(name, data) for one in data.series for name in one.lines)
    return [*named, *lines]


def _line_name(name: str, data: FigureData) -> str:
    if name == LAW:
        return data.law_word + (", constant fitted" if data.open_constant else "")
    if name == FITTED and len(data.series) == 1:
        return f"fitted exponent {data.series[0].exponent:.3g}".replace("-", "\u2212")
    return {FITTED: "fitted exponents", CORRECTED: CORRECTED}.get(name, f"the {name}")


def _lines(axes: "Axes", one: Series, data: FigureData, colour: str, alone: bool) -> None:
    refuted = CORRECTED in one.lines
    for name, (x, y) in one.lines.items():
        look: dict[str, Any] = {"color": colour, "linewidth": 1.3}
        if name == LAW and refuted:
            look |= {"linestyle": (0, (4, 2)), "linewidth": 1.1}
        elif name == CORRECTED:
            look |= {"color": COLOURS[1] if alone else colour, "linewidth": 1.5}
        elif name == FITTED:
            look |= {"linestyle": (0, (1, 1.2)), "linewidth": 1.2}
        elif name != LAW:
            look |= {"linestyle": (0, (6, 1.5, 1, 1.5)), "linewidth": 1.1}
        low, high = data.bounds
        inside = [v if low <= v <= high else math.nan for v in y]
        axes.plot(x, inside, label=_line_name(name, data), **look)
    if one.fan is not None:
        x, low_end, high_end = one.fan
        axes.fill_between(x, low_end, high_end, color=colour, alpha=0.18, linewidth=0)


def _scales(top: "Axes", bar: "Axes", data: FigureData) -> None:
    """Logarithmic axes where values span much, and limits that show the points; a probability ends at 1."""
    values = [v for one in data.series for v in (*one.mean, *one.law) if data.bounds[0] <= v <= data.bounds[1]]
    sizes = [x for one in data.series for x in one.x]
    if data.log_x:
        bar.set_xscale("log")
        log_ticks(bar.xaxis, min(sizes), max(sizes))
    ends = [v for one in data.series for pair in zip(one.near, one.far, strict=True) for v in pair if not math.isnan(v)]
    low, high = min(values, default=0.0), max(values, default=1.0)
    if low > 0 and high > 2 * low:
        top.set_yscale("log")
        near = [v for v in ends if v > 0]
        bottom, ceiling = max(min([low, *near]), low / FAR), min(max([high, *near]), high * FAR)
        room = max(1.15, (ceiling / bottom) ** 0.05)
        bottom, ceiling = bottom / room, ceiling * room
        log_ticks(top.yaxis, bottom, ceiling)
    else:
        span = max(high - low, 0.02 * abs(high), 1e-300)
        bottom, ceiling = max(min([low, *ends]), low - span), min(max([high, *ends]), high + span)
        room = 0.08 * max(ceiling - bottom, 1e-3 * abs(high))
        bottom, ceiling = bottom - room, ceiling + room
        if low >= 0 and bottom < 0:
            bottom = 0.0
    least, most = data.bounds
    logarithmic = top.get_yscale() == "log"
    if math.isfinite(most) and ceiling > most:
        ceiling = most * 1.03 if logarithmic else most + 0.02 * (most - bottom)
    if math.isfinite(least) and bottom < least and not logarithmic:
        bottom = least - 0.02 * (ceiling - least)
    top.set_ylim(bottom, ceiling)


def _residuals(axes: "Axes", data: FigureData) -> None:
    """Where the points lie on the scale of the statement; what lies beyond its ends is marked there with its value."""
    scale = data.scale
    ends = scale.ends or _limits([v for one in data.series for v in one.placed], scale.law)
    axes.set_ylim(*ends)
    if data.wedge:
        sizes = sorted({x for one in data.series for x in one.x})
        middle = math.sqrt(sizes[0] * sizes[-1])
        reach = math.log(sizes[-1] / middle)
        grid = (
            [sizes[0], middle, sizes[-1]]
            if data.log_x
            else [sizes[0] + (sizes[-1] - sizes[0]) * i / 40 for i in range(41)]
        )
        tilt = [abs(math.log(x / middle)) / reach for x in grid]
        axes.fill_between(grid, [-t for t in tilt], tilt, color=MARGIN_COLOUR, alpha=0.2, linewidth=0)
    else:
        low, high = (min(max(end, ends[0]), ends[1]) for end in scale.inside)
        axes.axhspan(low, high, color=MARGIN_COLOUR, alpha=0.16, linewidth=0)
    axes.axhline(scale.law, color=INK, linewidth=0.8)
    for colour, marker, one in zip(cycle(COLOURS), cycle(MARKERS), data.series, strict=False):
        for x, (value, low, high) in zip(one.x, one.placed, strict=True):
            _mark(
                axes, x, value, low, high, ends, colour, marker, crowded=sum(len(s.x) for s in data.series) > MOST_NAMED
            )
    if scale.ends == (-1.5, 1.5):
        axes.set_yticks([-1.5, -1, 0, 1, 1.5], ["\u22121.5", "\u22121", "0", "1", "1.5"])
    axes.set_ylabel("\n".join(textwrap.wrap(scale.label.replace(" from the law", ""), 16)))


def _limits(placed: Sequence[tuple[float, float, float]], line: float) -> tuple[float, float]:
    values = [v for v, _, _ in placed if math.isfinite(v)] + [line]
    ends = [v for _, *pair in placed for v in pair if math.isfinite(v)]
    span = max(max(values) - min(values), 0.05 * max(map(abs, values)), 1e-12)
    low, high = max(min([*values, *ends]), min(values) - span), min(max([*values, *ends]), max(values) + span)
    low = max(low, 0.0) if min(values) >= 0 else low
    return low - 0.08 * (high - low) * (low != 0), high + 0.08 * (high - low)


def _mark(
    axes: "Axes", x: float, value: float, low: float, high: float, ends: tuple[float, float], colour: str, marker: str,
    *, crowded: bool = False, along_y: bool = True,
) -> None:  # fmt: skip
    """One point on the scale with its interval, cut at the ends; a point beyond is an arrow there, with its value."""
    if math.isnan(value):
        return
    bottom, top = ends
    inside = bottom <= value <= top
    at = min(max(value, bottom), top)
    reach = [min(max(v, bottom), top) if not math.isnan(v) else at for v in (low, high)]
    if reach[1] > reach[0]:
        axes.plot(*_way([x, x], reach, along_y), color=colour, linewidth=STRONG, solid_capstyle="butt")
    arrows = ("^", "v") if along_y else (">", "<")
    shape = marker if inside else arrows[0] if value > top else arrows[1]
    axes.plot(
        *_way([x], [at], along_y), color=colour, marker=shape, markersize=4.5, linestyle="none", clip_on=False, zorder=3
    )
    if inside or (crowded and along_y):
        return
    away = -1 if value > top else 1
    clear = not along_y and reach[1] > reach[0]  # below the bar
    axes.annotate(
        _short(value), _way_pair(x, at, along_y), fontsize=7.5, textcoords="offset points",
        xytext=(6, 3 * away) if along_y else (6 * away, -2 * clear),
        ha="left" if along_y or away > 0 else "right",
        va="top" if clear or (along_y and away < 0) else "bottom" if along_y else "center",
    )  # fmt: skip


def _way(x: list[float], y: list[float], along_y: bool) -> tuple[list[float], list[float]]:
    return (x, y) if along_y else (y, x)


def _way_pair(x: float, y: float, along_y: bool) -> tuple[float, float]:
    return (x, y) if along_y else (y, x)


def _short(value: float) -> str:
    return tick_label(float(f"{value:.2g}"))


def _named(axes: "Axes", data: FigureData, width: float, height: float) -> None:
    label = data.y_label
    if len(label.split("$")[0]) * LETTER > height:
        words, *rest = label.split("$", 1)
        label = "\n".join(textwrap.wrap(words.strip(), int(height / LETTER))) + (f" ${rest[0]}" if rest else "")
    axes.set_ylabel(label, linespacing=1.0)
    axes.figure.axes[-1].set_xlabel(data.x_label)


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
    thin: bool = False,
) -> None:
    """Points with error bars, or faint bars alone; an end of an interval that is unknown is not drawn, nor is a point."""
    live = [
        (at, m, 0.0 if math.isnan(a) else max(0.0, m - a), 0.0 if math.isnan(b) else max(0.0, b - m))
        for at, m, a, b in zip(x, mean, low, high, strict=True)
        if not math.isnan(m)
    ]
    if not live:
        return
    at, m, below, above = zip(*live, strict=True)
    look: dict[str, Any] = (
        {"fmt": "none", "linewidth": FAINT, "alpha": 0.45} if thin else {"fmt": marker, "linewidth": STRONG}
    )
    axes.errorbar(at, m, yerr=[below, above], label=label, markersize=4.0, color=colour, ecolor=colour, **look)


# -- rows --------------------------------------------------------------------------------------------------------------


def _rows(data: FigureData, width: float) -> "Figure":
    """A row for each setting: what it is, where it lies on the scale, and the numbers."""
    (one,) = data.series
    narrow, count = width <= ONE_COLUMN, len(one.x)
    texts = [_numbers(one, i, data) for i in range(count)]
    column = LETTER * max(len(t) for t in [*texts, data.law_word]) + 0.15
    longest = max(map(len, one.labels))
    room = width - 0.2 if narrow else min(LETTER * longest + 0.15, width - column - 2.2)
    labels = [_wrapped(label, room - (column if narrow else 0)) or ["all"] for label in one.labels]
    tall = [ROW + (LINE * len(lines) if narrow else LINE * max(0, len(lines) - 1)) for lines in labels]
    title = _wrapped(data.title, width - 0.2)
    above, bottom = LINE * len(title) + 0.1 + LINE, 0.46
    height = above + sum(tall) + bottom
    left, right = (0.16, 0.16) if narrow else (room + 0.1, column + 0.1)
    figure = shown.ShownFigure(figsize=(width, height))
    axes = figure.add_axes((left / width, bottom / height, (width - left - right) / width, sum(tall) / height))
    scale = data.scale
    ends = scale.ends or _limits(one.placed, scale.law)
    axes.set_xlim(*ends)
    axes.set_ylim(sum(tall), 0)
    low, high = (min(max(end, ends[0]), ends[1]) for end in scale.inside)
    at = 0.0
    for i, (size, lines) in enumerate(zip(tall, labels, strict=True)):
        middle = at + size / 2 if not narrow else at + size - ROW / 2
        # In a narrow figure the words stand above the marks, and nothing is drawn behind them.
        band = (at, at + size) if not narrow else (middle - 0.4 * ROW, middle + 0.4 * ROW)
        axes.fill_betweenx(band, low, high, color=MARGIN_COLOUR, alpha=0.16, linewidth=0)
        axes.plot([scale.law] * 2, band, color=INK, linewidth=0.9)
        _mark(axes, middle, *one.placed[i], ends, COLOURS[0], "o", along_y=False)
        where: dict[str, Any] = {"transform": figure.dpi_scale_trans, "fontsize": 8.5}
        y = height - above - (middle if not narrow else at + LINE * len(lines) / 2 + 0.04)
        figure.text(0.1, y, "\n".join(lines), va="center", linespacing=1.1, **where)
        figure.text(width - 0.1, y, texts[i], va="center", ha="right", **where)
        at += size
    if one.labels:
        head = height - above + 0.08
        figure.text(
            width - 0.1, head, _heading(data), va="center", ha="right", transform=figure.dpi_scale_trans, fontsize=8
        )
    figure.text(0.1, height - 0.06, "\n".join(title), va="top", transform=figure.dpi_scale_trans, fontsize=8.5)
    axes.spines["left"].set_visible(False)
    axes.set_yticks([])
    if scale.ends == (-1.5, 1.5):
        axes.set_xticks([-1.5, -1, 0, 1, 1.5], ["\u22121.5", "\u22121", "0", "1", "1.5"])
    elif scale.ends is None:
        axes.locator_params(axis="x", nbins=4 if narrow else 6)
    axes.set_xlabel(data.x_label)
    axes.xaxis.set_label_coords(0.5, -0.29 / sum(tall))
    return figure


def _heading(data: FigureData) -> str:
    return "runs" if data.scale.ends == (0.0, 1.0) else f"measured, {data.law_word}"


def _numbers(one: Series, i: int, data: FigureData) -> str:
    if data.scale.ends == (0.0, 1.0):
        return one.counts[i] if one.counts else f"{one.placed[i][0]:.0%}"
    reach = max(one.far[i] - one.mean[i], one.mean[i] - one.near[i])
    return f"{_readable(concise(one.mean[i], reach))}, {_readable(plain(one.law[i]))}"


def _readable(number: str) -> str:
    """A number with a power of ten as readers write it, and a true minus sign."""
    digits, power, exponent = number.partition("e")
    raised = f"·10{tick_label(10.0 ** int(exponent))[2:]}" if power and abs(int(exponent)) > 3 else power + exponent
    return (digits + raised).replace("-", "\u2212")


def _wrapped(text: str, inches: float) -> list[str]:
    return textwrap.wrap(text, max(12, int(inches / LETTER)), break_long_words=False)
