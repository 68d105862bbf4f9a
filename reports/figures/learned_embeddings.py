"""Learned embeddings against fixed ones: the error against the dimension."""

from asymp.reports.figures.declare import Data, Drawing, Figure, How, Settings, line
from asymp.reports.figures.style import above, new, panel
from asymp.reports.figures.training import published_line, published_marks, trained
from asymp.theory import laws

SETTINGS = {
    "quick": {"d": [10, 100], "runs": 20, "exact_d": [2, 5, 10], "exact_M": [10, 100, 1000]},
    "paper": {"d": [10, 30, 100, 300, 1000], "runs": 40, "exact_d": [2, 5, 10, 20], "exact_M": [10, 100, 1000, 10_000]},
}
LEARNED: dict[str, dict[str, str]] = {"fixed embeddings": {}, "all learned": {"learn": "all"}}


def measure(settings: Settings, how: How) -> Data:
    """Training with both, and the construction in which the inputs take the outputs' embeddings."""
    M, law = settings["exact_M"], laws["learned-inputs:item-error"]
    found = trained(how, settings, "d", panels={"trained": {}}, curves=LEARNED, batch=16, lr=1.0, optimiser="sgd")
    lines = []
    for d in settings["exact_d"]:
        found.append(how.curve(f"d = {d}", "learned-error", 640, "M", M, panel="by hand", d=d))
        lines.append(line(f"d = {d}", M, [law(d=d, M=m) for m in M], law=law.id))
    return {"series": found, "theory": lines, "d": settings["d"], "published": published_line("all-learned")}


def draw(data: Data) -> Drawing:
    """Training above, the construction below."""
    figure, (top, bottom) = new(2, height=2.9)
    title, ticks = "trained: SGD, batch 16, step 1", [10, 30, 100, 300, 1000]
    panel(top, data, "trained", x="dimensions d", title=title, ticks=ticks)
    published_marks(top, data["published"], {d: d for d in data["d"]}, label="all learned,\npublished")
    title = "by hand: inputs = outputs' embeddings"
    panel(bottom, data, "by hand", x="outputs M", y="share of lost items", title=title, first=2, joined=False)
    above(top, bottom)
    return figure


FIGURE = Figure("learned-embeddings", SETTINGS, measure, draw)
