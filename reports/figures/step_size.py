"""The error of SGD with batch one against its step size, the weights that it gives, and smaller steps late in training."""

from typing import Any

import numpy as np

from asymp.reports.figures.declare import Data, Drawing, Figure, How, Settings, points_of, series
from asymp.reports.figures.style import GREY, above, new, panel
from asymp.reports.figures.training import GRID, trained

SETTINGS = {
    "quick": {"d": [10, 1000], "lr": [0.1, 1.0, 10.0], "T": 1000, "runs": 100, "weights_runs": 20},
    "paper": {"d": [10, 100, 1000], "lr": [0.01, 0.1, 1.0, 10.0, 100.0], "T": 10_240, "runs": 100, "weights_runs": 50},
}
SHOWN = 30
"""Inputs whose weights are drawn."""


def measure(settings: Settings, how: How) -> Data:
    """Errors over steps and dimensions; weights at the largest d; constant against late smaller steps at the smallest."""
    from asymp.montecarlo.samplers.memory_training.memory import train_memory

    T, first = settings["T"], settings["d"][0]
    common: dict[str, Any] = {**GRID, "batch": 1, "T": T, "init": "zero"}
    sizes: dict[str, dict[str, Any]] = {f"d = {d}": {"d": d} for d in settings["d"]}
    late = {f"d = {first},\nsmaller steps late": {"d": first, "schedule": [1.0] * (T // 2) + [0.1] * (T - T // 2)}}
    found = trained(how, settings, "lr", panels={"error": {}}, curves={**sizes, **late}, **common)
    for lr in (0.1, 10.0):
        q = train_memory(
            **common, d=settings["d"][-1], lr=lr, record="last", measure=("q",), replicas=settings["weights_runs"],
            seed=how.seed, device=how.device,
        ).q  # fmt: skip
        assert q is not None
        weights = q.values[:, -1] / q.values[:, -1, :1].mean()
        found.append(series(f"step {lr:g}", range(1, SHOWN + 1), points_of(weights[:, :SHOWN]), panel="weights"))
    # x is certain to be seen, all but once in e^20 runs, while p(x) T > 20.
    p = np.arange(1, 101) ** -2.0
    return {"series": found, "seen": int(np.searchsorted(-p / p.sum() * T, -20.0))}


def draw(data: Data) -> Drawing:
    """Errors above, weights below."""
    figure, (top, bottom) = new(2, height=3.0)
    panel(top, data, "error", x="step size", title="SGD, batch one")
    x, y = "input x (dotted: seen at least 20 times on average)", "weight relative to x = 1"
    panel(bottom, data, "weights", x=x, y=y, title="weights that SGD gives, d ≫ N", log=False, first=3)
    bottom.axvline(data["seen"], color=GREY, lw=0.8, ls=":")
    above(top, bottom)
    return figure


FIGURE = Figure("step-size", SETTINGS, measure, draw)
