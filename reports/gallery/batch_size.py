"""The error of trained memories against the batch size, after one pass over the same number of samples."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from asymp.reports.gallery.checks import all_of, below
from asymp.reports.gallery.data import series
from asymp.reports.gallery.declare import Data, Figure, Finding, How, Statement
from asymp.reports.gallery.training import published_line, published_marks, published_numbers, trained

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

__all__ = ["FIGURE"]

SETTINGS: dict[str, dict[str, Any]] = {
    "quick": {"d": [10, 100, 1000], "batch": [16, 64, 256, 1024], "lr": [1.0], "runs": 160},
    "paper": {"d": [10, 100, 1000], "batch": [1, 4, 16, 64, 256, 1024], "lr": [0.1, 1.0, 10.0], "runs": 100},
}


def measure(settings: Mapping[str, Any], how: How) -> Data:
    """Errors after one pass, by SGD with each batch, step and dimension."""
    found = [
        series(
            f"d = {d}, step {lr:g}",
            settings["batch"],
            [trained(how, settings["runs"], d=d, batch=B, lr=lr, optimiser="sgd") for B in settings["batch"]],
            d=d,
            lr=lr,
        )
        for lr in settings["lr"]
        for d in settings["d"]
    ]
    return {"series": found, "published": published_line("sgd")}


def draw(data: Data) -> "Drawing":
    """A panel for each step size; the published numbers as crosses."""
    from asymp.reports.gallery.style import above, curve, log_ticks, new

    rates = sorted({s["lr"] for s in data["series"]})
    figure, axes = new(len(rates), height=3.2 if len(rates) == 1 else 2.7)
    for ax, lr in zip(axes, rates, strict=True):
        for i, s in enumerate([s for s in data["series"] if s["lr"] == lr]):
            curve(ax, s, i, label=f"d = {s['d']}")
        if lr == 1.0:
            sizes = [s["d"] for s in data["series"]]
            published_marks(ax, data["published"], dict.fromkeys(sizes, 64), label="published")
        ax.set(xscale="log", yscale="log", xlabel="batch size", ylabel="recall error", title=f"SGD, step {lr:g}")
        log_ticks(ax, [1, 4, 16, 64, 256, 1024])
    above(axes[0])
    return figure


def _order(data: Data) -> Finding:
    """The smallest batch of at least 16 (the published grid's) against the largest, everywhere."""
    found = []
    for s in data["series"]:
        first = next(i for i, B in enumerate(s["x"]) if B >= 16)
        words = f"{s['name']}, batch {s['x'][first]} against {s['x'][-1]}"
        found.append(below(s["points"][first], s["points"][-1], what=words))
    return all_of(found)


def _published(data: Data) -> Finding:
    chosen = [s for s in data["series"] if s["lr"] == 1.0]
    points = [s["points"][s["x"].index(64)] for s in chosen]
    return published_numbers({"x": [s["d"] for s in chosen], "points": points}, data["published"])


FIGURE = Figure(
    name="batch-size",
    caption="Recall error after one pass of SGD over 10 240 samples in consecutive batches, against the batch size, for three "
    "dimensions; 100 Zipf inputs with exponent 2, five outputs, random fixed embeddings. Crosses: published means of ten seeds.",
    alt="Three rising curves of error against batch size, lower for higher dimensions; the published crosses at batch "
    "64 lie on them.",
    settings=SETTINGS,
    measure=measure,
    draw=draw,
    statements=(
        Statement("small-batches", "After one pass small batches have a smaller error than large ones.", _order),
        Statement("published", "The published errors at batch 64 with a step of 1 come out.", _published),
    ),
)
