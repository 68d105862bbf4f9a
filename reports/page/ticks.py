"""Ticks in plain text: numbers as readers write them, drawn as one line of marks, which takes far less time."""

import math
from typing import TYPE_CHECKING, Any

from asymp.lazy import Lazy
from asymp.reports.page.labels import RAISED, tick_label
from asymp.reports.page.style import INK

if TYPE_CHECKING:
    from matplotlib import lines, markers, ticker
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
else:
    lines, markers, ticker = map(Lazy, ("matplotlib.lines", "matplotlib.markers", "matplotlib.ticker"))

# matplotlib's own sizes of ticks in points: (length, width) of a mark, and the gap between it and its number.
MAJOR, MINOR, GAP = (3.5, 0.8), (2.0, 0.6), 3.5
FEWEST = 3
LOG_TICKS = ((1.0,), (1.0, 3.0), (1.0, 2.0, 5.0), (1.0, 1.5, 2.0, 3.0, 5.0, 7.0))
"""Where a logarithmic axis may have ticks in every decade: the first of these that gives so many is taken."""


def log_ticks(axis: "Axis", low: float, high: float) -> None:
    """Ticks in plain text (parsing formulas would cost more than all the rest), three or more: at 1, 2, 5 where decades are few."""
    first, last = (math.log10(low), math.log10(high)) if high > low > 0 else (0.0, 1.0)

    def inside(sub: float) -> int:
        return math.floor(last - math.log10(sub)) - math.ceil(first - math.log10(sub)) + 1

    fewest = next((subs for subs in LOG_TICKS if sum(map(inside, subs)) >= FEWEST), LOG_TICKS[-1])
    axis.set_major_locator(ticker.LogLocator(subs=fewest, numticks=8))
    axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: tick_label(value)))
    axis.set_minor_formatter(ticker.NullFormatter())


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
