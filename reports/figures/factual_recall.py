"""Factual recall: accuracy of trained one-layer transformers over the number of heads and the width of the MLP."""

from collections.abc import Sequence

from asymp.reports.figures.declare import Data, Drawing, Figure, How, Settings
from asymp.reports.figures.style import COLOURS, heat, means, new

SETTINGS = {
    "quick": {
        "task": {"S": 8, "R": 8, "D": 4, "T": 8, "d": 16, "d_h": 4, "steps": 300},
        "H": [1, 2, 4, 8], "m": [0, 4, 16, 64], "runs": 4,
    },
    "paper": {
        "task": {"S": 32, "R": 32, "D": 8, "T": 32, "d": 32, "d_h": 8, "batch": 1024, "steps": 16_000, "lr": 1e-2},
        "H": [1, 2, 4, 6, 8, 12, 16], "m": [0, 8, 16, 32, 64, 128, 256], "runs": 4,
    },
}  # fmt: skip


def measure(settings: Settings, how: How) -> Data:
    """Accuracies in every cell of the grid."""

    cells = [
        [how.point("trained-facts", settings["runs"], **settings["task"], H=H, m=m) for m in settings["m"]]
        for H in settings["H"]
    ]
    return {"task": settings["task"], "H": settings["H"], "m": settings["m"], "cells": cells}


def draw(data: Data) -> Drawing:
    """The map of accuracies, with the conditions of the sources as lines."""
    figure, (ax,) = new(1, height=4.2)
    shown = heat(ax, means(data["cells"]), vmin=0, vmax=1, origin="lower")
    for i, row in enumerate(means(data["cells"])):
        for j, mean in enumerate(row):
            colour = "black" if mean > 0.6 else "white"
            ax.text(j, i, f"{mean:.2f}", ha="center", va="center", fontsize=9, color=colour)
    s = data["task"]
    ax.set_xticks(range(len(data["m"])), ["none" if m == 0 else str(m) for m in data["m"]])
    ax.set_yticks(range(len(data["H"])), [f"{H} ({H * s['d_h']})" for H in data["H"]])
    ax.axhline(_edge(data["H"], (s["S"] + s["R"]) / s["d_h"]), color=COLOURS[1], lw=2, label="H $d_h$ = S + R")
    ax.axvline(_edge(data["m"], s["S"] * s["R"] / s["d"]), color=COLOURS[5], lw=2, ls="--", label="m d = S R")
    ax.set(xlabel="width m of the MLP", ylabel="heads H (total size H $d_h$)")
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=2)
    figure.colorbar(shown, ax=ax, label="share of facts recalled", pad=0.02)
    return figure


def _edge(values: Sequence[int], at: float) -> float:
    """The edge below the first value that is at least `at`, in cells."""
    return next((i for i, v in enumerate(values) if v >= at), len(values)) - 0.5


FIGURE = Figure("factual-recall", SETTINGS, measure, draw)
