"""How the figures look: one column wide, so that a telephone shows them; the colours of Okabe and Ito."""

import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.typing import RcKeyType

__all__ = [
    "COLOURS",
    "GREY",
    "INK",
    "MAP",
    "MARKERS",
    "curve",
    "file_bytes",
    "heat",
    "inline_svg",
    "log_ticks",
    "new",
    "styled",
    "theory",
]

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8A8A8A")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
GREY = "#7f7f7f"
INK = "#010203"
"""Axes and text are drawn in this colour; on the page it becomes that of the text."""
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
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, height * rows), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, **more)
    return figure, [row[0] for row in axes] if columns == 1 else axes.tolist()


def curve(axes: "Axes", s: dict[str, Any], index: int, *, joined: bool = True, **more: Any) -> None:
    """A measured series: its means, and its 95 % intervals as a band."""
    x = [float(v) for v in s["x"]]
    mean, low, high = ([float(p[k]) for p in s["points"]] for k in ("mean", "low", "high"))
    colour = COLOURS[index % len(COLOURS)]
    marker = MARKERS[index % len(MARKERS)]
    axes.plot(x, mean, color=colour, marker=marker, ms=3.8, lw=1.2 if joined else 0, label=more.get("label", s["name"]))
    # One or two runs have no band worth the name.
    if min(p["replicas"] for p in s["points"]) > 2 and any(h > b for b, h in zip(low, high, strict=True)):
        axes.fill_between(x, low, high, color=colour, alpha=0.2, lw=0)


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


def inline_svg(figure: "Figure", *, prefix: str, label: str) -> str:
    """The figure as SVG inside a page: ids of its own, ink in the colour of the text."""
    with styled():
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    prefix = re.sub(r"[^A-Za-z0-9_-]", "-", prefix)
    wanted = set(re.findall(r'(?:xlink:href="#|url\(#)([^")]+)', text))
    text = re.sub(r' id="([^"]+)"', lambda m: f' id="{prefix}-{m[1]}"' if m[1] in wanted else "", text)
    text = re.sub(r'(xlink:href="#|url\(#)', rf"\1{prefix}-", text)
    text = re.sub(r">\s+<", "><", text)
    text = re.sub(r"(\d\.\d\d)\d+", r"\1", text)
    return text.replace(INK, "currentColor").replace("<svg", f'<svg role="img" aria-label="{escape(label)}"', 1)


def file_bytes(figure: "Figure") -> dict[str, bytes]:
    """The figure as SVG, PNG and PDF on white paper, the same bytes every time."""
    found = {}
    metadata: dict[str, dict[str, Any]] = {
        "svg": {"Date": None, "Creator": None},
        "png": {"Software": None},
        "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    }
    with styled():
        for kind, known in metadata.items():
            buffer = io.BytesIO()
            figure.savefig(buffer, format=kind, dpi=200, facecolor="white", metadata=known)
            found[kind] = buffer.getvalue()
    return found
