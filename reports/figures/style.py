"""How the figures look: the colours and marks of the claims' own, one column wide, so that a telephone shows them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from asymp.reports.page.drawing import points
from asymp.reports.page.style import COLOURS as COLOURS
from asymp.reports.page.style import INK as INK
from asymp.reports.page.style import MARKERS as MARKERS
from asymp.reports.page.style import STYLE as SHARED
from asymp.reports.page.style import saved
from asymp.reports.page.ticks import log_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage
    from matplotlib.typing import RcKeyType

    from asymp.reports.figures.declare import Data, Point, Series
    from asymp.reports.figures.declare import Figure as Declared

GREY = "#7f7f7f"
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
    figure = _figure(height * rows)
    return figure, [ax for row in figure.subplots(rows, columns, squeeze=False, **more) for ax in row]


def two_and_one(*, height: float, ratio: float) -> tuple["Figure", "list[Axes]", "Axes"]:
    """A figure of two panels side by side and a wide one below them, `ratio` times as high; `height` is that of all."""
    figure = _figure(height)
    panels = figure.subplot_mosaic([["left", "right"], ["wide", "wide"]], height_ratios=(1, ratio))
    return figure, [panels["left"], panels["right"]], panels["wide"]


def _figure(height: float) -> "Figure":
    from asymp.reports.shown import ShownFigure

    return ShownFigure(figsize=(WIDTH, height), layout="constrained")


def panel(
    axes: "Axes",
    data: "Data",
    name: str = "",
    *,
    x: str,
    y: str = "recall error",
    title: str = "",
    ticks: Iterable[float] = (),
    log: bool = True,
    first: int = 0,
    joined: bool = True,
    every: int = 1,
    floor: float | None = None,
    label: Callable[[str], str] = str,
    law: str | None = None,
) -> None:
    """All series of the panel `name`, each with the law of its name where there is one (dashed), on logarithmic axes.

    x, y, title    the names of the axes and of the panel
    ticks          the numbers along x, where they are not to be chosen from the data
    log            whether both axes are logarithmic
    first          the colour and mark of the first series
    joined, every, floor   as in `curve`
    label, law     from a series' name to what the legend says of it, and what it says of the laws
    """
    lines = {line["name"]: line for line in data.get("theory", [])}
    for i, s in enumerate([s for s in data["series"] if s["panel"] == name], start=first):
        curve(axes, s, i, joined=joined, every=every, floor=floor, label=label(s["name"]))
        if s["name"] in lines:
            own = lines[s["name"]]
            axes.plot(
                [float(v) for v in own["x"]], own["y"], color=COLOURS[i % len(COLOURS)], lw=1.2, ls="--", label=law
            )
    scale = "log" if log else "linear"
    axes.set(xscale=scale, yscale=scale, xlabel=x, ylabel=y, title=title)
    _only_ticks(axes, ticks)


def curve(
    axes: "Axes", s: "Series", index: int, *, joined: bool, every: int = 1, floor: float | None = None, label: str
) -> None:
    """A measured series: its means with 95 % intervals, a band along a line (`joined`) or a bar at each point.

    `index` chooses colour and mark; `every`: each how many points are drawn; means at or below `floor` have no place on a
    logarithmic axis.
    """
    live = [(x, p) for x, p in zip(s["x"], s["points"], strict=True) if floor is None or p["mean"] > floor][::every]
    if not live:
        return
    colour, marker = COLOURS[index % len(COLOURS)], MARKERS[index % len(MARKERS)]
    x, mean = [float(at) for at, _ in live], [p["mean"] for _, p in live]
    # One or two runs have no interval worth the name.
    known = min(p["replicas"] for _, p in live) > 2
    low, high = ([float(p[end]) if known else p["mean"] for _, p in live] for end in ("low", "high"))
    if not joined:
        points(axes, x, mean, low, high, colour, marker, label=label)
        return
    axes.plot(x, mean, color=colour, marker=marker, ms=3.6, lw=1.2, label=label)
    if low != high:
        axes.fill_between(x, low, high, color=colour, alpha=0.2, lw=0)


def above(*panels: "Axes", columns: int = 3) -> None:
    """The legends above their panels, so that they cover no data; a panel's title goes with its legend."""
    for axes in panels:
        title = axes.get_title()
        axes.set_title("")
        axes.legend(
            loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=columns, borderaxespad=0.2, handletextpad=0.4,
            columnspacing=1.2, title=title or None, alignment="left", title_fontsize=10.5,
        )  # fmt: skip


def _only_ticks(axes: "Axes", values: Iterable[float]) -> None:
    """Labels at these values only, within the limits of a logarithmic x axis; none given, the axis stays as it is."""
    from matplotlib.ticker import NullFormatter, NullLocator

    low, high = axes.get_xlim()
    shown = [v for v in values if low <= v <= high]
    if shown:
        axes.xaxis.set_ticks(shown, [f"{v:g}" for v in shown])
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.xaxis.set_minor_locator(NullLocator())


def heat(axes: "Axes", matrix: Sequence[Sequence[float]], **more: Any) -> "AxesImage":
    """A matrix as a picture, rows from the top; `more` goes to matplotlib's `imshow`."""
    shown = axes.imshow(matrix, aspect="auto", interpolation="nearest", cmap="cividis", **more)
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
    """A declared figure, drawn in this style; numbers at logarithmic axes are 1, 10, 100 or 1, 2, 5, never 6 x 10^-2."""
    from matplotlib.ticker import FixedLocator

    with styled():
        drawing = figure.draw(data)
        for axis in (axis for axes in drawing.axes for axis in (axes.xaxis, axes.yaxis)):
            if axis.get_scale() == "log" and not isinstance(axis.get_major_locator(), FixedLocator):
                log_ticks(axis, *axis.get_view_interval())
    return drawing
