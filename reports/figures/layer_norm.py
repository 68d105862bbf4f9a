"""Layer norm with large batches: the error against the dimension, with and without it."""

from asymp.reports.figures.declare import Data, Drawing, Figure, How, Settings
from asymp.reports.figures.style import above, curves, log_axes, new
from asymp.reports.figures.training import BATCH, NAMES, published_line, published_marks, trained

SETTINGS = {
    "quick": {"d": [10, 30, 100], "lr": [0.1, 1.0], "runs": 240},
    "paper": {"d": [10, 30, 100, 300, 1000], "lr": [0.1, 1.0], "runs": 100},
}
NORMS: dict[str, dict[str, bool]] = {"": {}, " + norm": {"layer_norm": True}}


def measure(settings: Settings, how: How) -> Data:
    """Errors with and without layer norm, both optimisers."""
    sizes, runs = settings["d"], settings["runs"]
    found = [
        trained(
            how, runs, name + end, "d", sizes, panel=f"learning rate {lr:g}", batch=BATCH, lr=lr, optimiser=kind, **norm
        )
        for lr in settings["lr"]
        for kind, name in NAMES.items()
        for end, norm in NORMS.items()
    ]
    return {"series": found, "lr": settings["lr"], "d": sizes, "published": published_line("adam-norm")}


def draw(data: Data) -> Drawing:
    """A panel for each learning rate."""
    figure, axes = new(len(data["lr"]), height=2.8, sharex=True)
    for ax, lr in zip(axes, data["lr"], strict=True):
        curves(ax, data, f"learning rate {lr:g}")
        if lr == 1.0:
            published_marks(ax, data["published"], {d: d for d in data["d"]}, label="Adam + norm,\npublished")
        log_axes(ax, "", title=f"learning rate {lr:g}, batch {BATCH}", ticks=[10, 30, 100, 300, 1000])
    axes[-1].set_xlabel("dimensions d")
    above(axes[-1])
    return figure


FIGURE = Figure("layer-norm", SETTINGS, measure, draw)
