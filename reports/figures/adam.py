"""Adam against SGD with large batches: the error against the step size."""

from asymp.reports.figures.declare import Data, Drawing, Figure, How, Settings
from asymp.reports.figures.style import above, new, panel
from asymp.reports.figures.training import BATCH, NAMES, published_line, published_marks, trained

SETTINGS = {
    "quick": {"d": [10, 100], "lr": [0.1, 1.0, 10.0], "runs": 200},
    "paper": {"d": [10, 100, 1000], "lr": [0.01, 0.1, 1.0, 10.0], "runs": 100},
}


def measure(settings: Settings, how: How) -> Data:
    """Errors after ten steps of batches of 1024, both optimisers at each step size and dimension."""
    panels = {f"d = {d}": {"d": d} for d in settings["d"]}
    curves = {name: {"optimiser": kind} for kind, name in NAMES.items()}
    found = trained(how, settings, "lr", panels=panels, curves=curves, batch=BATCH)
    return {"series": found, "d": settings["d"], "published": published_line("adam")}


def draw(data: Data) -> Drawing:
    """A panel for each dimension."""
    figure, axes = new(len(data["d"]), height=2.6, sharex=True)
    for ax, d in zip(axes, data["d"], strict=True):
        x = "learning rate" if d == data["d"][-1] else ""
        panel(ax, data, f"d = {d}", x=x, title=f"d = {d}, batch {BATCH}")
        published_marks(ax, data["published"], {d: 1.0}, label="Adam, published")
    above(axes[0])
    return figure


FIGURE = Figure("adam", SETTINGS, measure, draw)
