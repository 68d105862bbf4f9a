"""Large steps with correlated embeddings: oscillations of the loss, and the time to perfect accuracy."""

import math

import numpy as np

from asymp.reports.figures.declare import Data, Drawing, Figure, How, Settings, points_of, series
from asymp.reports.figures.style import COLOURS, GREY, MARKERS, above, new

FREQUENT = 0.75
SETTINGS = {
    "quick": {"a": 0.9, "steps": 60, "longest": 1000, "eta": [0.5, 1.0, 2.0, 5.0, 10.0, 20.0]},
    "paper": {"a": 0.9, "steps": 200, "longest": 4000, "eta": [0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]},
}


def _train(a: float, p: float, eta: float, steps: int, how: How) -> tuple[np.ndarray, np.ndarray]:
    """Losses (step) and margins (step, token) of full-batch steps on two tokens whose inputs overlap by a."""
    from asymp.montecarlo.samplers.memory_training.memory import train_memory

    run = train_memory(
        N=2, M=2, d=2, T=steps, lr=eta, population=True, p=[p, 1 - p], targets=[0, 1],
        inputs=[[1.0, 0.0], [a, math.sqrt(1 - a * a)]], outputs=[[1.0, 0.0], [0.0, 1.0]], init="zero",
        record="all", measure=("loss", "margins"), replicas=1, seed=how.seed, device=how.device, route="weights",
    )  # fmt: skip
    assert run.loss is not None
    assert run.margins is not None
    return run.loss.values[0], run.margins.values[0]


def _time(margins: np.ndarray) -> int | None:
    """Steps after which both tokens are right for good; None if the run ends too soon to say so."""
    wrong = np.flatnonzero((margins <= 0).any(axis=1))
    last = int(wrong[-1]) if len(wrong) else 0
    return last + 1 if 2 * (last + 1) <= len(margins) else None


def measure(settings: Settings, how: How) -> Data:
    """Losses and margins along training, and times to perfect accuracy over step sizes; nothing is random."""
    a, steps, sizes = settings["a"], settings["steps"], settings["eta"]
    found = []
    for eta in (1.0, 10.0):
        loss, margins = _train(a, FREQUENT, eta, steps, how)
        for panel, values in (("loss", loss), ("margin of rare token", margins[:, 1])):
            found.append(series(f"step {eta:g}", range(steps + 1), points_of(values[None]), panel=panel))
    times = {
        f"a = {overlap:g}, p = {p:g}": [_time(_train(overlap, p, eta, settings["longest"], how)[1]) for eta in sizes]
        for overlap, p in ((a, FREQUENT), (a, 0.55), (0.0, FREQUENT))
    }
    return {"series": found, "eta": sizes, "times": times}


def draw(data: Data) -> Drawing:
    """Losses, margins, times."""
    figure, axes = new(3, height=2.5)
    for ax, panel in zip(axes, ("loss", "margin of rare token"), strict=False):
        for i, s in enumerate([s for s in data["series"] if s["panel"] == panel]):
            means = [p["mean"] for p in s["points"]]
            ax.plot(s["x"], means, color=COLOURS[i], lw=1.4, ls=("-", "--")[i], label=s["name"])
        ax.set(xlabel="full-batch steps", ylabel=panel)
    axes[0].set(yscale="log")
    axes[0].legend(loc="upper right")
    axes[1].axhline(0, color=GREY, lw=0.8)
    for i, (name, times) in enumerate(data["times"].items()):
        live = [(e, t) for e, t in zip(data["eta"], times, strict=True) if t is not None]
        axes[2].plot(*zip(*live, strict=True), color=COLOURS[i + 2], marker=MARKERS[i], ms=4, lw=1.2, label=name)
    axes[2].set(xscale="log", yscale="log", xlabel="step size", ylabel="steps to accuracy 1")
    above(axes[2])
    return figure


FIGURE = Figure("oscillations", SETTINGS, measure, draw)
