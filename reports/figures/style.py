"""How the figures look: the colours and marks of the claims' own, one column wide, so that a telephone shows them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from asymp.reports.page.drawing import COLOURS, INK, MARKERS, saved
from asymp.reports.page.drawing import STYLE as SHARED
from asymp.reports.page.drawing import log_ticks as plain_log_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage
    from matplotlib.typing import RcKeyType

    from asymp.reports.figures.data import Line, Point, Series
    from asymp.reports.figures.declare import Data
    from asymp.reports.figures.declare import Figure as Declared

__all__ = [
    "COLOURS",
    "GREY",
    "INK",
    "MARKERS",
    "WIDTH",
    "above",
    "curve",
    "curves",
    "drawn",
    "file_bytes",
    "heat",
    "log_axes",
    "log_ticks",
    "means",
    "new",
    "styled",
    "theory",
]

GREY = "#7f7f7f"
MAP = "cividis"
WIDTH = 5.2
STYLE: "dict[RcKeyType, Any]" = {
    **SHARED,
    "font.size": 10.5,
    "legend.fontsize": 9,
    "legend.frameon": False,
    "axes.titlesize": 10.5,
    "axes.titlecolor": INK,
    "ytick.minor.visible": False,
}


@contextmanager
def styled() -> Iterator[None]:
    """Within it matplotlib draws as above."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        yield


def new(rows: int, *, height: float = 2.7, columns: int = 1, **more: Any) -> tuple["Figure", "list[Axes]"]:
    """A figure of so many panels, row by row; `height` is a row's in inches, `more` goes to matplotlib's `subplots`."""
    from asymp.reports.shown import ShownFigure

    figure = ShownFigure(figsize=(WIDTH, height * rows), layout="constrained")
    return figure, [ax for row in figure.subplots(rows, columns, squeeze=False, **more) for ax in row]


def curve(
    axes: "Axes",
    s: "Series",
    index: int,
    *,
    joined: bool = True,
    label: str | None = None,
    every: int = 1,
    floor: float | None = None,
) -> None:
    """A measured series: its means with 95 % intervals, a band along a line or a bar at each point.

    `index` chooses colour and mark; `every`: each how many points are drawn; means at or below `floor` have no place on a
    logarithmic axis.
    """
    live = [(x, p) for x, p in zip(s["x"], s["points"], strict=True) if floor is None or p["mean"] > floor][::every]
    if not live:
        return
    colour, marker = COLOURS[index % len(COLOURS)], MARKERS[index % len(MARKERS)]
    x, mean = [float(at) for at, _ in live], [p["mean"] for _, p in live]
    name = s["name"] if label is None else label
    # One or two runs have no interval worth the name.
    known = min(p["replicas"] for _, p in live) > 2
    low, high = ([float(p[end]) if known else p["mean"] for _, p in live] for end in ("low", "high"))
    if joined:
        axes.plot(x, mean, color=colour, marker=marker, ms=3.6, lw=1.2, label=name)
        if low != high:
            axes.fill_between(x, low, high, color=colour, alpha=0.2, lw=0)
        return
    reach = [[m - a for m, a in zip(mean, low, strict=True)], [b - m for m, b in zip(mean, high, strict=True)]]
    axes.errorbar(x, mean, yerr=reach, color=colour, fmt=marker, ms=3.6, elinewidth=1, capsize=2, label=name)


def curves(
    axes: "Axes",
    data: "Data",
    panel: str,
    *,
    first: int = 0,
    joined: bool = True,
    every: int = 1,
    floor: float | None = None,
    names: Mapping[str, str] | None = None,
) -> None:
    """All series of a panel, each with the law of its name where there is one; `names` are labels for them."""
    lines = {line["name"]: line for line in data.get("theory", [])}
    for i, s in enumerate([s for s in data["series"] if s["panel"] == panel], start=first):
        curve(axes, s, i, joined=joined, label=(names or {}).get(s["name"]), every=every, floor=floor)
        if s["name"] in lines:
            theory(axes, lines[s["name"]], i)


def theory(axes: "Axes", t: "Line", index: int | None = None, *, label: str | None = None) -> None:
    """A law's curve: dashed."""
    colour = INK if index is None else COLOURS[index % len(COLOURS)]
    axes.plot([float(v) for v in t["x"]], t["y"], color=colour, lw=1.2, ls="--", label=label)


def log_axes(axes: "Axes", x: str, y: str = "recall error", *, title: str = "", ticks: Sequence[float] = ()) -> None:
    """Two logarithmic axes with their names; `ticks` are the labels of x."""
    axes.set(xscale="log", yscale="log", xlabel=x, ylabel=y, title=title)
    if ticks:
        log_ticks(axes, ticks)


def above(axes: "Axes", *, columns: int = 3) -> None:
    """The legend above the panel, so that it covers no data; the panel's title goes with it."""
    title = axes.get_title()
    axes.set_title("")
    axes.legend(
        loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=columns, borderaxespad=0.2, handletextpad=0.4, columnspacing=1.2,
        title=title or None, alignment="left", title_fontsize=10.5,
    )  # fmt: skip


def log_ticks(axes: "Axes", values: Iterable[float]) -> None:
    """Labels at these values only, within the limits of a logarithmic x axis."""
    from matplotlib.ticker import NullFormatter, NullLocator

    low, high = axes.get_xlim()
    shown = [v for v in values if low <= v <= high]
    axes.xaxis.set_ticks(shown, [f"{v:g}" for v in shown])
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_minor_locator(NullLocator())


def heat(axes: "Axes", matrix: Sequence[Sequence[float]], **more: Any) -> "AxesImage":
    """A matrix as a picture, rows from the top; `more` goes to matplotlib's `imshow`."""
    shown = axes.imshow(matrix, aspect="auto", interpolation="nearest", cmap=MAP, **more)
    for side in ("top", "right"):
        axes.spines[side].set_visible(True)
    return shown


def means(cells: "Sequence[Sequence[Point]]") -> list[list[float]]:
    """The means of a table of points."""
    return [[cell["mean"] for cell in row] for row in cells]


def file_bytes(figure: "Figure") -> dict[str, bytes]:
    """The figure as SVG, PNG and PDF, the same bytes every time; SVG and PDF without paper of their own."""
    with styled():
        return saved(figure, dpi=200)


def drawn(figure: "Declared", data: "Data") -> "Figure":
    """A declared figure, drawn in this style."""
    with styled():
        drawing = figure.draw(data)
        _plain_ticks(drawing)
    return drawing


def _plain_ticks(figure: "Figure") -> None:
    """Logarithmic axes with labels at 1, 10, 100, or 1, 2, 5, 10 where they are short; nothing like 6 x 10^-2."""
    from matplotlib.ticker import FixedLocator

    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            if axis.get_scale() == "log" and not isinstance(axis.get_major_locator(), FixedLocator):
                plain_log_ticks(axis, *axis.get_view_interval())
