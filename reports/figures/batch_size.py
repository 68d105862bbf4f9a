"""The error of trained memories against the batch size, after one pass over the same number of samples."""

from asymp.reports.figures.declare import Data, Drawing, Figure, How, Settings
from asymp.reports.figures.style import above, new, panel
from asymp.reports.figures.training import published_line, published_marks, trained

SETTINGS = {
    "quick": {"d": [10, 100, 1000], "batch": [16, 64, 256, 1024], "lr": [1.0], "runs": 160},
    "paper": {"d": [10, 100, 1000], "batch": [1, 4, 16, 64, 256, 1024], "lr": [0.1, 1.0, 10.0], "runs": 100},
}


def measure(settings: Settings, how: How) -> Data:
    """Errors after one pass, by SGD with each batch, step and dimension."""
    panels = {f"SGD, step {lr:g}": {"lr": lr} for lr in settings["lr"]}
    curves = {f"d = {d}": {"d": d} for d in settings["d"]}
    found = trained(how, settings, "batch", panels=panels, curves=curves, optimiser="sgd")
    return {"series": found, "lr": settings["lr"], "d": settings["d"], "published": published_line("sgd")}


def draw(data: Data) -> Drawing:
    """A panel for each step size; the published numbers as crosses."""
    figure, axes = new(len(data["lr"]), height=3.2 if len(data["lr"]) == 1 else 2.7)
    for ax, lr in zip(axes, data["lr"], strict=True):
        name = f"SGD, step {lr:g}"
        panel(ax, data, name, x="batch size", title=name, ticks=[1, 4, 16, 64, 256, 1024])
        if lr == 1.0:
            published_marks(ax, data["published"], dict.fromkeys(data["d"], 64), label="published")
    above(axes[0])
    return figure


FIGURE = Figure("batch-size", SETTINGS, measure, draw)
