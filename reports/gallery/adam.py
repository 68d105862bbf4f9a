"""Adam against SGD with large batches: the error against the step size."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from asymp.reports.gallery.checks import all_of, below
from asymp.reports.gallery.data import find, series
from asymp.reports.gallery.declare import Data, Figure, Finding, How, Statement
from asymp.reports.gallery.training import published_line, published_marks, published_numbers, trained

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

__all__ = ["FIGURE"]

BATCH = 1024
SETTINGS: dict[str, dict[str, Any]] = {
    "quick": {"d": [10, 100], "lr": [0.1, 1.0, 10.0], "runs": 200},
    "paper": {"d": [10, 100, 1000], "lr": [0.01, 0.1, 1.0, 10.0], "runs": 100},
}
NAMES = {"sgd": "SGD", "sign": "Adam"}


def measure(settings: Mapping[str, Any], how: How) -> Data:
    """Errors after ten steps of batches of 1024, both optimisers at each step size and dimension."""
    found = [
        series(
            f"{name}, d = {d}",
            settings["lr"],
            [trained(how, settings["runs"], d=d, batch=BATCH, lr=lr, optimiser=kind) for lr in settings["lr"]],
            d=d,
            optimiser=kind,
        )
        for d in settings["d"]
        for kind, name in NAMES.items()
    ]
    return {"series": found, "published": published_line("adam")}


def draw(data: Data) -> "Drawing":
    """A panel for each dimension."""
    from asymp.reports.gallery.style import above, curve, new

    sizes = sorted({s["d"] for s in data["series"]})
    figure, axes = new(len(sizes), height=2.6, sharex=True)
    for ax, d in zip(axes, sizes, strict=True):
        for i, kind in enumerate(NAMES):
            curve(ax, next(s for s in data["series"] if s["d"] == d and s["optimiser"] == kind), i, label=NAMES[kind])
        published_marks(ax, data["published"], {d: 1.0}, label="Adam, published")
        ax.set(xscale="log", yscale="log", ylabel="recall error", title=f"d = {d}, batch {BATCH}")
    axes[-1].set_xlabel("learning rate")
    above(axes[0])
    return figure


def _helps(data: Data) -> Finding:
    """At every measured step of at most 1: the smaller ones of the published grid."""
    found = []
    for d in sorted({s["d"] for s in data["series"]}):
        adam, sgd = (find(data, f"{NAMES[k]}, d = {d}") for k in ("sign", "sgd"))
        found += [
            below(a, b, what=f"Adam against SGD at d = {d}, learning rate {lr:g}")
            for lr, a, b in zip(adam["x"], adam["points"], sgd["points"], strict=True)
            if lr <= 1
        ]
    return all_of(found)


def _published(data: Data) -> Finding:
    chosen = [s for s in data["series"] if s["optimiser"] == "sign"]
    points = [s["points"][s["x"].index(1.0)] for s in chosen]
    return published_numbers({"x": [s["d"] for s in chosen], "points": points}, data["published"])


FIGURE = Figure(
    name="adam",
    caption="Recall error after one pass over 10 240 samples in batches of 1024, against the learning rate: SGD, and "
    "Adam with both betas zero, as in the published grid, which is sign descent with steps of the learning rate over "
    "d. Crosses: published means.",
    alt="Panels for each dimension with two curves each: Adam lies below SGD at small learning rates.",
    settings=SETTINGS,
    measure=measure,
    draw=draw,
    statements=(
        Statement("helps", "Adam helps with large batches and small steps: its error is smaller than SGD's.", _helps),
        Statement("published", "The published errors of Adam with a learning rate of 1 come out.", _published),
    ),
    notes=("One learning rate means different steps for the two: lr for SGD, lr/d an entry for Adam.",),
)
