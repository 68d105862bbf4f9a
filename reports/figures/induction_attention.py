"""Attention of a trained induction head on a sequence, layer by layer, and one layer against two."""

import numpy as np

from asymp.reports.figures.declare import Data, Drawing, Figure, How, Settings, points_of, series
from asymp.reports.figures.induction import INDUCTION, pictures
from asymp.reports.figures.style import COLOURS, above, heat, panel, two_and_one


def measure(settings: Settings, how: How) -> Data:
    """Models of one and of two layers; attention of the latter on a fresh sequence."""
    two, one = pictures(settings, how, staged=False), pictures(settings, how, layers=1)
    found = [
        series(name, run["steps"], points_of(np.array(run["accuracy"])))
        for name, run in (("two layers", two), ("one layer", one))
    ]
    rounded = [[[round(v, 5) for v in row] for row in pattern] for pattern in two["attention"]]
    return {"series": found, "attention": rounded, "in_context": two["in_context"]}


def draw(data: Data) -> Drawing:
    """The two patterns, and the accuracies."""
    figure, top, bottom = two_and_one(height=5.6, ratio=0.8)
    for i, (ax, pattern) in enumerate(zip(top, data["attention"], strict=True)):
        shown = heat(ax, pattern, vmin=0, vmax=1)
        ticks = range(0, len(pattern), max(1, len(pattern) // 4))
        ax.set(title=f"layer {i + 1}", xlabel="key position", ylabel="" if i else "query position")
        ax.set(xticks=ticks, yticks=ticks)
    rows = [t for t, asked in enumerate(data["in_context"]) if asked]
    edge = top[1].get_xlim()
    top[1].plot([edge[1]] * len(rows), rows, ls="none", marker="<", ms=4.5, color=COLOURS[1], clip_on=False)
    top[1].set_xlim(edge)
    figure.colorbar(shown, ax=top, label="attention", pad=0.03)
    panel(bottom, data, x="training steps", y="in-context accuracy", log=False, every=6)
    bottom.set(ylim=(0, 1.03))
    above(bottom, columns=2)
    return figure


FIGURE = Figure("induction-attention", INDUCTION, measure, draw)
