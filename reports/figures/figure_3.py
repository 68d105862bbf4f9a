"""Figure 3 of the paper: the error over d and T for equal weights and for counts, and against d with infinitely many samples."""

from asymp.reports.figures.declare import Data, Drawing, Figure, How, Settings, line, series
from asymp.reports.figures.style import GREY, heat, means, panel, two_and_one
from asymp.theory import recall_error

N, M = 100, 5
SETTINGS = {
    "quick": {
        "map_d": [5, 10, 20, 40, 80, 160, 320, 640],
        "map_T": [10, 30, 100, 300, 1000, 10_000],
        "d": [16, 32, 64, 128, 256, 512, 1024, 2048],
        "runs": 100,
        "slopes": 2000,
    },
    "paper": {
        "map_d": [5, 7, 10, 14, 20, 28, 40, 57, 80, 113, 160, 226, 320, 453, 640],
        "map_T": [10, 18, 32, 56, 100, 178, 316, 562, 1000, 1778, 3162, 5623, 10_000],
        "d": [16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096],
        "runs": 100,
        "slopes": 2000,
    },
}
SCHEMES = {"q₀": 0, "q₁": 1}
THRESHOLD = "q₀, P = d/8"
ACCURACY = 0.02
"""Of the exact law's numbers, relatively: less than a line's width."""
FLOOR = 1e-4
"""An error of zero has no place on the axis."""


def measure(settings: Settings, how: How) -> Data:
    """Two maps at alpha = 0.5 and three curves at alpha = 2, with the exact law beside them."""
    sizes = settings["d"]
    maps = [
        {
            "name": name,
            "d": settings["map_d"],
            "T": settings["map_T"],
            "cells": [
                [
                    how.point("recall-error", settings["runs"], alpha=0.5, N=N, M=M, d=d, T=T, rho=rho)
                    for d in settings["map_d"]
                ]
                for T in settings["map_T"]
            ],
        }
        for name, rho in SCHEMES.items()
    ]
    found, lines = [], []
    for name, rho in (*SCHEMES.items(), (THRESHOLD, 0)):
        stored = [{"P": d / 8} if name == THRESHOLD else {} for d in sizes]
        # Equal weights are measured with the spread within classes taken out: the runs in which the first input is lost are
        # rare and carry the mean.
        experiment, given = ("recall-error", {"rho": 1}) if rho else ("equal-weights-error", {})
        points = [
            how.point(experiment, settings["slopes"], alpha=2, N=N, M=M, d=d, **given, **own)
            for d, own in zip(sizes, stored, strict=True)
        ]
        exact = [
            recall_error(alpha=2, N=N, M=M, d=d, rho=rho, rel_error=ACCURACY, **own).value
            for d, own in zip(sizes, stored, strict=True)
        ]
        found.append(series(name, sizes, points, panel="d"))
        lines.append(line(name, sizes, exact, law="exact-recall-error"))
    return {"maps": maps, "series": found, "theory": lines}


def draw(data: Data) -> Drawing:
    """The two maps with one scale of colours, the curves below."""
    figure, axes, ax = two_and_one(height=6.0, ratio=1.15)
    for map_axes, m in zip(axes, data["maps"], strict=True):
        shown = heat(map_axes, means(m["cells"]), vmin=0, vmax=0.8, origin="lower")
        every = max(1, (len(m["d"]) + 5) // 6)
        map_axes.set_xticks(range(0, len(m["d"]), every), [f"{d}" for d in m["d"][::every]])
        every = max(1, (len(m["T"]) + 6) // 7)
        map_axes.set_yticks(range(0, len(m["T"]), every), [f"{T}" for T in m["T"][::every]])
        map_axes.set(title=f"{m['name']}, α = 0.5", xlabel="dimensions d")
    axes[0].set_ylabel("samples T")
    axes[1].tick_params(labelleft=False)
    figure.colorbar(shown, ax=axes, label="recall error", pad=0.02)
    ticks = [16, 64, 256, 1024, 4096]
    panel(ax, data, "d", x="dimensions d", title="T = ∞, α = 2", ticks=ticks, joined=False, floor=FLOOR)
    for at, words in ((N, " d = N"), (8 * N, " d = 8N")):
        ax.axvline(at, color=GREY, lw=0.8, ls=":")
        ax.text(at, 1.5, words, fontsize=8.5, va="top")
    ax.set(ylim=(FLOOR, 1.6))
    ax.legend(loc="lower left")
    return figure


FIGURE = Figure("figure-3", SETTINGS, measure, draw)
