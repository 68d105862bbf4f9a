"""Adam against SGD with large batches: the error against the step size."""

from asymp.reports.figures.declare import Data, Drawing, Figure, How, Settings
from asymp.reports.figures.style import above, curves, log_axes, new
from asymp.reports.figures.training import BATCH, NAMES, published_line, published_marks, trained

SETTINGS = {
    "quick": {"d": [10, 100], "lr": [0.1, 1.0, 10.0], "runs": 200},
    "paper": {"d": [10, 100, 1000], "lr": [0.01, 0.1, 1.0, 10.0], "runs": 100},
}


def measure(settings: Settings, how: How) -> Data:
    """Errors after ten steps of batches of 1024, both optimisers at each step size and dimension."""
    found = [
        trained(how, settings["runs"], name, "lr", settings["lr"], panel=f"d = {d}", d=d, batch=BATCH, optimiser=kind)
        for d in settings["d"]
        for kind, name in NAMES.items()
    ]
    return {"series": found, "d": settings["d"], "published": published_line("adam")}


def draw(data: Data) -> Drawing:
    """A panel for each dimension."""
    figure, axes = new(len(data["d"]), height=2.6, sharex=True)
    for ax, d in zip(axes, data["d"], strict=True):
        curves(ax, data, f"d = {d}")
        published_marks(ax, data["published"], {d: 1.0}, label="Adam, published")
        log_axes(ax, "learning rate" if d == data["d"][-1] else "", title=f"d = {d}, batch {BATCH}")
    above(axes[0])
    return figure


FIGURE = Figure("adam", SETTINGS, measure, draw)
