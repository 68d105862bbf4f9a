"""How the figures look: one column wide, so that a telephone shows them; the colours of Okabe and Ito."""

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from asymp.reports.pages.drawing import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.typing import RcKeyType

    from asymp.reports.gallery.declare import Data
    from asymp.reports.gallery.declare import Figure as Declared

__all__ = [
    "COLOURS",
    "GREY",
    "INK",
    "MAP",
    "MARKERS",
    "curve",
    "drawn",
    "file_bytes",
    "heat",
    "log_ticks",
    "new",
    "styled",
    "theory",
]

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8A8A8A")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
GREY = "#7f7f7f"
MAP = "cividis"
WIDTH = 5.2
STYLE: "dict[RcKeyType, Any]" = {
    "svg.fonttype": "none",
    "svg.hashsalt": "asymp",
    "font.family": "sans-serif",
    "font.size": 10.5,
    "legend.fontsize": 9,
    "legend.frameon": False,
    "axes.titlesize": 10.5,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.minor.visible": False,
    "ytick.minor.visible": False,
}


@contextmanager
def styled() -> Iterator[None]:
    """Within it matplotlib draws as above."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        yield


def new(rows: int, *, height: float = 2.7, columns: int = 1, **more: Any) -> tuple["Figure", Any]:
    """A figure of so many panels, one below the other; the axes as a list (of lists)."""
    from asymp.reports.shown import ShownFigure

    figure = ShownFigure(figsize=(WIDTH, height * rows), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, **more)
    return figure, [row[0] for row in axes] if columns == 1 else axes.tolist()


def curve(axes: "Axes", s: dict[str, Any], index: int, *, joined: bool = True, **more: Any) -> None:
    """A measured series: its means with 95 % intervals, a band along a line or a bar at each point."""
    x = [float(v) for v in s["x"]]
    mean, low, high = ([float(p[k]) for p in s["points"]] for k in ("mean", "low", "high"))
    colour = COLOURS[index % len(COLOURS)]
    marker = MARKERS[index % len(MARKERS)]
    label = more.get("label", s["name"])
    # One or two runs have no interval worth the name.
    known = bool(x) and min(p["replicas"] for p in s["points"]) > 2
    if joined:
        axes.plot(x, mean, color=colour, marker=marker, ms=3.8, lw=1.2, label=label)
        if known and any(h > b for b, h in zip(low, high, strict=True)):
            axes.fill_between(x, low, high, color=colour, alpha=0.2, lw=0)
        return
    reach = [[m - a for m, a in zip(mean, low, strict=True)], [b - m for m, b in zip(mean, high, strict=True)]]
    axes.errorbar(
        x, mean, yerr=reach if known else None, color=colour, fmt=marker, ms=3.8, elinewidth=1, capsize=2, label=label
    )


def theory(
    axes: "Axes", t: dict[str, Any], index: int | None = None, *, label: str | None = None, dash: str = "--"
) -> None:
    """A law's curve: dashed."""
    colour = INK if index is None else COLOURS[index % len(COLOURS)]
    axes.plot([float(v) for v in t["x"]], [float(v) for v in t["y"]], color=colour, lw=1.2, ls=dash, label=label)


def above(axes: "Axes", *, columns: int = 3) -> None:
    """The legend above the panel, so that it covers no data; the panel's title goes with it."""
    title = axes.get_title()
    axes.set_title("")
    axes.legend(
        loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=columns, borderaxespad=0.2, handletextpad=0.4, columnspacing=1.2,
        title=title or None, alignment="left", title_fontsize=10.5,
    )  # fmt: skip


def log_ticks(axes: "Axes", values: Sequence[float], *, which: str = "x") -> None:
    """Labels at these values only, within the limits of a logarithmic axis."""
    from matplotlib.ticker import NullFormatter, NullLocator

    axis = axes.xaxis if which == "x" else axes.yaxis
    low, high = axes.get_xlim() if which == "x" else axes.get_ylim()
    kept = [v for v in values if low <= v <= high]
    axis.set_ticks(kept, [f"{v:g}" for v in kept])
    axis.set_minor_formatter(NullFormatter())
    axis.set_minor_locator(NullLocator())


def heat(axes: "Axes", matrix: Sequence[Sequence[float]], **more: Any) -> Any:
    """A matrix as a picture, rows from the top."""
    shown = axes.imshow(matrix, aspect="auto", interpolation="nearest", cmap=more.pop("cmap", MAP), **more)
    for side in ("top", "right"):
        axes.spines[side].set_visible(True)
    return shown


def file_bytes(figure: "Figure") -> dict[str, bytes]:
    """The figure as SVG, PNG and PDF, the same bytes every time; SVG and PDF without paper of their own."""
    from asymp.reports.pages.drawing import METADATA

    found = {}
    with styled():
        for kind, known in METADATA.items():
            buffer = io.BytesIO()
            paper: dict[str, Any] = {"facecolor": "white"} if kind == "png" else {"transparent": True}
            figure.savefig(buffer, format=kind, dpi=200, metadata=known, **paper)
            found[kind] = buffer.getvalue()
    return found


def drawn(figure: "Declared", data: "Data") -> "Figure":
    """A declared figure, drawn in this style."""
    with styled():
        drawing = figure.draw(data)
        _plain_ticks(drawing)
    return drawing


def _plain_ticks(figure: "Figure") -> None:
    """Logarithmic axes with labels at 1, 10, 100, or 1, 2, 5, 10 where they are short; nothing like 6 x 10^-2."""
    from matplotlib.ticker import FixedLocator

    from asymp.reports.pages.drawing import log_ticks as plain_log_ticks

    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            if axis.get_scale() == "log" and not isinstance(axis.get_major_locator(), FixedLocator):
                plain_log_ticks(axis, *axis.get_view_interval())
