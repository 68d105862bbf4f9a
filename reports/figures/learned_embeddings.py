"""Learned embeddings against fixed ones: the error against the dimension."""

from asymp.reports.figures.data import line
from asymp.reports.figures.declare import Data, Drawing, Figure, How, Settings
from asymp.reports.figures.style import above, curves, log_axes, new
from asymp.reports.figures.training import published_line, published_marks, trained
from asymp.theory import laws

SETTINGS = {
    "quick": {"d": [10, 100], "runs": 20, "exact_d": [2, 5, 10], "exact_M": [10, 100, 1000]},
    "paper": {"d": [10, 30, 100, 300, 1000], "runs": 40, "exact_d": [2, 5, 10, 20], "exact_M": [10, 100, 1000, 10_000]},
}
LEARNED: dict[str, dict[str, str]] = {"fixed embeddings": {}, "all learned": {"learn": "all"}}


def measure(settings: Settings, how: How) -> Data:
    """Training with both, and the construction in which the inputs take the outputs' embeddings."""
    sizes, M, law = settings["d"], settings["exact_M"], laws["learned-inputs:item-error"]
    found = [
        trained(how, settings["runs"], name, "d", sizes, panel="trained", batch=16, lr=1.0, optimiser="sgd", **learn)
        for name, learn in LEARNED.items()
    ]
    lines = []
    for d in settings["exact_d"]:
        found.append(how.curve(f"d = {d}", "learned-error", 640, "M", M, panel="by hand", d=d))
        lines.append(line(f"d = {d}", M, [law(d=d, M=m) for m in M], law=law.id))
    return {"series": found, "theory": lines, "d": sizes, "published": published_line("all-learned")}


def draw(data: Data) -> Drawing:
    """Training above, the construction below."""
    figure, (top, bottom) = new(2, height=2.9)
    curves(top, data, "trained")
    published_marks(top, data["published"], {d: d for d in data["d"]}, label="all learned,\npublished")
    log_axes(top, "dimensions d", title="trained: SGD, batch 16, step 1", ticks=[10, 30, 100, 300, 1000])
    curves(bottom, data, "by hand", first=2, joined=False)
    log_axes(bottom, "outputs M", "share of lost items", title="by hand: inputs = outputs' embeddings")
    for ax in (top, bottom):
        above(ax)
    return figure


FIGURE = Figure("learned-embeddings", SETTINGS, measure, draw)
