"""The error of SGD with batch one against its step size, the weights that it gives, and smaller steps late in training."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from asymp.reports.gallery.checks import all_of, below, one_number
from asymp.reports.gallery.data import find, points_of, series
from asymp.reports.gallery.declare import Data, Figure, Finding, How, Statement
from asymp.reports.gallery.training import trained

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

__all__ = ["FIGURE"]

SETTINGS: dict[str, dict[str, Any]] = {
    "quick": {"d": [10, 1000], "lr": [0.1, 1.0, 10.0], "T": 1000, "runs": 100, "weights_runs": 20},
    "paper": {"d": [10, 100, 1000], "lr": [0.01, 0.1, 1.0, 10.0, 100.0], "T": 10_240, "runs": 100, "weights_runs": 50},
}
EVEN = 1.25
"""Weights between which no more than this factor lies are about equal."""


def measure(settings: Mapping[str, Any], how: How) -> Data:
    """Errors over steps and dimensions; weights at the largest d; constant against late smaller steps at the smallest."""
    from asymp.montecarlo.train.memory import train_memory

    T, runs = settings["T"], settings["runs"]
    common: dict[str, Any] = {"batch": 1, "T": T, "init": "zero"}
    errors = [
        series(
            f"d = {d}",
            settings["lr"],
            [trained(how, runs, **common, d=d, lr=lr) for lr in settings["lr"]],
            panel="error",
        )
        for d in settings["d"]
    ]
    half = T // 2
    schedule = [1.0] * half + [0.1] * (T - half)
    late = [trained(how, runs, **common, d=settings["d"][0], lr=lr, schedule=schedule) for lr in settings["lr"]]
    errors.append(series(f"d = {settings['d'][0]}, smaller steps late", settings["lr"], late, panel="error"))
    weights = []
    for lr in (0.1, 10.0):
        q = train_memory(
            alpha=2.0, N=100, M=5, d=settings["d"][-1], **common, lr=lr, record="last", measure=("q",),
            replicas=settings["weights_runs"], seed=how.seed, device=how.device,
        ).q  # fmt: skip
        assert q is not None
        values = q.values[:, -1] / q.values[:, -1, :1].mean()
        weights.append(series(f"step {lr:g}", list(range(1, 101)), points_of(values), panel="weights"))
    # x is certain to be seen, all but once in e^20 runs, while p(x) T > 20.
    p = np.arange(1, 101) ** -2.0
    seen = int(np.searchsorted(-p / p.sum() * T, -20.0))
    return {"series": errors + weights, "seen": seen}


def draw(data: Data) -> "Drawing":
    """Errors above, weights below."""
    from asymp.reports.gallery.style import above, curve, new

    figure, (top, bottom) = new(2, height=3.0)
    for i, s in enumerate([s for s in data["series"] if s["panel"] == "error"]):
        curve(top, s, i, label=s["name"].replace(", ", ",\n"))
    top.set(xscale="log", yscale="log", xlabel="step size", ylabel="recall error", title="SGD, batch one")
    above(top)
    for i, s in enumerate([s for s in data["series"] if s["panel"] == "weights"]):
        curve(bottom, {**s, "x": s["x"][:30], "points": s["points"][:30]}, i + 3)
    bottom.axvline(data["seen"], color="#7f7f7f", lw=0.8, ls=":")
    bottom.set(
        xlabel="input x (dotted: seen at least 20 times on average)",
        ylabel="weight relative to x = 1",
        title="weights that SGD gives, d ≫ N",
    )
    above(bottom)
    return figure


def _spread(data: Data, name: str) -> float:
    means: list[float] = [p["mean"] for p in find(data, name)["points"][: data["seen"]]]
    return max(means) / max(min(means), 1e-9)


def _even(data: Data) -> Finding:
    return one_number(
        _spread(data, "step 10"),
        1.0,
        EVEN,
        what=f"Largest over smallest weight of the first {data['seen']} inputs, step 10,",
    )


def _uneven(data: Data) -> Finding:
    return one_number(
        _spread(data, "step 0.1"),
        EVEN,
        float("inf"),
        what=f"Largest over smallest weight of the first {data['seen']} inputs, step 0.1,",
    )


def _large(data: Data) -> Finding:
    s = [s for s in data["series"] if s["panel"] == "error" and "late" not in s["name"]][-1]
    i, j = s["x"].index(10.0), s["x"].index(0.1)
    return below(s["points"][i], s["points"][j], what=f"Step 10 against 0.1 at {s['name']}")


def _late(data: Data) -> Finding:
    constant = next(s for s in data["series"] if s["panel"] == "error")
    late = next(s for s in data["series"] if "late" in s["name"])
    i = constant["x"].index(10.0)
    return all_of(
        [
            below(
                late["points"][i],
                constant["points"][i],
                what=f"Late smaller steps against constant ones at {constant['name']}, step 10",
            )
        ]
    )


FIGURE = Figure(
    name="step-size",
    caption="SGD with batch one from W = 0 on 100 Zipf inputs with exponent 2 and five outputs. Above: recall error "
    "at the end against the step size; with smaller steps late, those of the second half are a tenth as large. Below: "
    "the weight of each association relative to the first, where there are many more dimensions than inputs.",
    alt="Above, error against step size for several dimensions. Below, weights over the inputs: nearly equal for "
    "large steps, falling steeply for small ones.",
    settings=SETTINGS,
    measure=measure,
    draw=draw,
    statements=(
        Statement("even", "Batch one with a large step and d >> N: the weights are about equal (within 25 %).", _even),
        Statement("uneven", "With a small step they are not.", _uneven, by_us=True),
        Statement("large", "Where d >> N, large steps have the smaller error.", _large),
        Statement("late", "Where d <= N, smaller steps late in training help.", _late),
    ),
    notes=("The talks give no numbers: steps of 0.1 and 10, d = 10 and 1000 are taken here.",),
)
