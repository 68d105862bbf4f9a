"""The ticks of a finished figure as a few plain artists.

matplotlib makes five artists of every tick and places them anew in every format. A figure that is only written needs
one line of marks and a text for each number: the same picture in half the time.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

__all__ = ["RAISED", "fix_ticks"]

# matplotlib's own sizes, in points: (length, width) of a mark, and the gap between it and its number.
MAJOR, MINOR, GAP = (3.5, 0.8), (2.0, 0.6), 3.5
RAISED = str.maketrans("-0123456789", "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079")


def fix_ticks(figure: "Figure", *, colour: str) -> None:
    """Put plain marks and numbers in the place of the ticks, where they now stand; the limits must be final."""
    from matplotlib.ticker import NullLocator

    # All are found before any is taken away: axes that share a size share its locator too.
    found = [_ticks(axis) for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)]
    for ticks in found:
        _draw(*ticks, colour)
        ticks[0].set_major_locator(NullLocator())
        ticks[0].set_minor_locator(NullLocator())


def _ticks(axis: "Axis") -> tuple["Axis", dict[float, str], list[float]]:
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
    shown = parameters.get("labelbottom") or parameters.get("labelleft")
    major = {at: label if shown else "" for at, label in zip(places, labels, strict=True) if _inside(axis, at)}
    return axis, major, [at for at in axis.get_minorticklocs() if _inside(axis, at)]


def _inside(axis: "Axis", at: float) -> bool:
    low, high, here = axis.get_transform().transform([*sorted(axis.get_view_interval()), at])
    return bool(low - 1e-10 * (high - low) <= here <= high + 1e-10 * (high - low))


def _draw(axis: "Axis", major: dict[float, str], minor: list[float], colour: str) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.markers import TICKDOWN, TICKLEFT

    axes = axis.axes
    horizontal = axis is axes.xaxis
    mark: Any = TICKDOWN if horizontal else TICKLEFT
    for (length, width), places in ((MAJOR, list(major)), (MINOR, minor)):
        zeros = [0.0] * len(places)
        marks = Line2D(
            places if horizontal else zeros,
            zeros if horizontal else places,
            linestyle="none",
            marker=mark,
            color=colour,
            markersize=length,
            markeredgewidth=width,
            transform=axes.get_xaxis_transform() if horizontal else axes.get_yaxis_transform(),
            clip_on=False,
            zorder=2.01,
        )
        if places:
            axes.add_artist(marks)
    beside = axes.get_xaxis_text1_transform if horizontal else axes.get_yaxis_text1_transform
    place, vertical, sideways = beside(MAJOR[0] + GAP)
    for at, label in major.items():
        if label:
            where: tuple[float, float] = (at, 0.0) if horizontal else (0.0, at)
            axes.text(
                *where, label, transform=place, verticalalignment=vertical, horizontalalignment=sideways, color=colour
            )
