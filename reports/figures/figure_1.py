"""Figure 1 of the paper: the error against d and against T, equal weights on the inputs up to d/8."""

import math

from asymp.reports.figures.declare import Data, Drawing, Figure, How, Series, Settings, line, series
from asymp.reports.figures.style import new, panel
from asymp.reports.page.labels import tick_label
from asymp.theory import laws

ALPHA, M, K = 2, 5, 0.125
D = [8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096]
SETTINGS = {
    "quick": {"d": [16, 32, 64, 128, 256, 512, 1024], "T": [10, 100, 1000, 10_000, 100_000], "runs": 100},
    "paper": {
        "d": D,
        "T": [10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000, 1_000_000],
        "runs": 100,
    },
}
SHOWN = 5
"""Curves in a panel: more would hide one another."""
MANY = 10**9
"""Dimensions that stand for infinitely many: the input d/8 then has a mass below 1e-8."""


def measure(settings: Settings, how: How) -> Data:
    """Errors over the whole grid of d and T, infinitely many included, with the law at the same points."""
    law = laws["joint-law"]
    found = [
        *((f"T = {_number(T)}", "d", [(d, T) for d in settings["d"]]) for T in [*settings["T"], math.inf]),
        *((f"d = {_number(d)}", "T", [(d, T) for T in settings["T"]]) for d in [*settings["d"], MANY]),
    ]
    curves, lines = [], []
    for name, letter, sizes in found:
        x = [d if letter == "d" else T for d, T in sizes]
        points = [
            how.point("equal-weights-error", settings["runs"], alpha=ALPHA, N=math.inf, M=M, d=d, T=T, **_stored(d))
            for d, T in sizes
        ]
        curves.append(series(name, x, points, panel=letter))
        lines.append(line(name, x, [law(alpha=ALPHA, M=M, k=K, d=d, T=T) for d, T in sizes], law=law.id))
    return {"series": curves, "theory": lines}


def _stored(d: int) -> dict[str, float]:
    return {} if d == MANY else {"k": K}


def _number(value: float) -> str:
    return "∞" if value in (math.inf, MANY) else tick_label(value)


def _thinned(found: list[Series]) -> list[Series]:
    step = (len(found) - 1) / (min(SHOWN, len(found)) - 1)
    return [found[round(i * step)] for i in range(min(SHOWN, len(found)))]


def draw(data: Data) -> Drawing:
    """Two panels, each with the law behind its points."""
    figure, axes = new(2, height=3.1)
    for ax, letter, words, ticks in ((axes[0], "d", "dimensions d", D), (axes[1], "T", "samples T", ())):
        shown = _thinned([s for s in data["series"] if s["panel"] == letter])
        panel(ax, {**data, "series": shown}, letter, x=words, ticks=ticks, joined=False)
        ax.legend(loc="lower left", handletextpad=0.2)
    return figure


FIGURE = Figure("figure-1", SETTINGS, measure, draw)
