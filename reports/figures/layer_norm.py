"""Layer norm with large batches: the error against the dimension, with and without it."""

from asymp.reports.figures.declare import Data, Drawing, Figure, How, Settings
from asymp.reports.figures.style import above, new, panel
from asymp.reports.figures.training import BATCH, NAMES, published_line, published_marks, trained

SETTINGS = {
    "quick": {"d": [10, 30, 100], "lr": [0.1, 1.0], "runs": 240},
    "paper": {"d": [10, 30, 100, 300, 1000], "lr": [0.1, 1.0], "runs": 100},
}
NORMS: dict[str, dict[str, bool]] = {"": {}, " + norm": {"layer_norm": True}}


def measure(settings: Settings, how: How) -> Data:
    """Errors with and without layer norm, both optimisers."""
    panels = {f"learning rate {lr:g}": {"lr": lr} for lr in settings["lr"]}
    curves = {name + e: {"optimiser": kind, **norm} for kind, name in NAMES.items() for e, norm in NORMS.items()}
    found = trained(how, settings, "d", panels=panels, curves=curves, batch=BATCH)
    return {"series": found, "lr": settings["lr"], "d": settings["d"], "published": published_line("adam-norm")}


def draw(data: Data) -> Drawing:
    """A panel for each learning rate."""
    figure, axes = new(len(data["lr"]), height=2.8, sharex=True)
    for ax, lr in zip(axes, data["lr"], strict=True):
        name, x = f"learning rate {lr:g}", "dimensions d" if lr == data["lr"][-1] else ""
        panel(ax, data, name, x=x, title=f"{name}, batch {BATCH}", ticks=[10, 30, 100, 300, 1000])
        if lr == 1.0:
            published_marks(ax, data["published"], {d: d for d in data["d"]}, label="Adam + norm,\npublished")
    above(axes[-1])
    return figure


FIGURE = Figure("layer-norm", SETTINGS, measure, draw)
