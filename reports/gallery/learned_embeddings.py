"""Learned embeddings against fixed ones: the error against the dimension."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from asymp.reports.gallery.checks import all_of, below, inside, ratio
from asymp.reports.gallery.data import find, line, point, series
from asymp.reports.gallery.declare import Data, Figure, Finding, How, Statement
from asymp.reports.gallery.training import published_line, published_marks, published_numbers, trained

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

__all__ = ["FIGURE"]

BATCH = 16
SETTINGS: dict[str, dict[str, Any]] = {
    "quick": {"d": [10, 100], "runs": 20, "exact_d": [2, 5, 10], "exact_M": [10, 100, 1000]},
    "paper": {"d": [10, 30, 100, 300, 1000], "runs": 40, "exact_d": [2, 5, 10, 20], "exact_M": [10, 100, 1000, 10_000]},
}
NAMES = {"W": "fixed embeddings", "all": "all learned"}


def measure(settings: Mapping[str, Any], how: How) -> Data:
    """Training with both, and the construction in which the inputs take the outputs' embeddings."""
    from asymp.montecarlo.capacities.lookup import learned_error_experiment
    from asymp.theory import laws

    trains = [
        series(
            name,
            settings["d"],
            [
                trained(
                    how,
                    settings["runs"],
                    d=d,
                    batch=BATCH,
                    lr=1.0,
                    optimiser="sgd",
                    **({"learn": "all"} if learn == "all" else {}),
                )
                for d in settings["d"]
            ],
        )
        for learn, name in NAMES.items()
    ]
    law = laws["learned-inputs:item-error"]
    by_hand, lines = [], []
    for d in settings["exact_d"]:
        M = settings["exact_M"]
        by_hand.append(
            series(f"d = {d}", M, [point(how.estimate(learned_error_experiment, replicas=640, d=d, M=m)) for m in M])
        )
        lines.append(line(f"d = {d}", M, [float(law(d=d, M=m)) for m in M], law=law.id))
    return {"series": trains, "by_hand": by_hand, "theory": lines, "published": published_line("all-learned")}


def draw(data: Data) -> "Drawing":
    """Training above, the construction below."""
    from asymp.reports.gallery.style import above, curve, log_ticks, new, theory

    figure, (top, bottom) = new(2, height=2.9)
    for i, s in enumerate(data["series"]):
        curve(top, s, i)
    published_marks(top, data["published"], {d: d for d in data["series"][0]["x"]}, label="all learned,\npublished")
    top.set(
        xscale="log", yscale="log", xlabel="dimensions d", ylabel="recall error", title="trained: SGD, batch 16, step 1"
    )
    log_ticks(top, [10, 30, 100, 300, 1000])
    above(top)
    for i, s in enumerate(data["by_hand"]):
        curve(bottom, s, i + 2, joined=False)
        theory(bottom, find(data, s["name"], "theory"), i + 2)
    bottom.set(
        xscale="log",
        yscale="log",
        xlabel="outputs M",
        ylabel="share of lost items",
        title="by hand: inputs = outputs' embeddings",
    )
    above(bottom)
    return figure


def _far_below(data: Data) -> Finding:
    fixed, learned = (find(data, name) for name in NAMES.values())
    return all_of(
        below(b, a, what=f"Learned against fixed at d = {d}")
        for d, a, b in zip(fixed["x"], fixed["points"], learned["points"], strict=True)
    )


def _few(data: Data) -> Finding:
    """Exponential capacity shows in ten dimensions: a tenth of the error of fixed embeddings in ten times as many."""
    fixed, learned = (find(data, name) for name in NAMES.values())
    found = ratio(learned["points"][learned["x"].index(10)], fixed["points"][fixed["x"].index(100)])
    return inside(found, 0.0, 1.0, what="Error of learned embeddings at d = 10 over that of fixed ones at d = 100")


def _published(data: Data) -> Finding:
    return published_numbers(find(data, "all learned"), data["published"])


def _law(data: Data) -> Finding:
    found = []
    for s in data["by_hand"]:
        for M, p, y in zip(s["x"], s["points"], find(data, s["name"], "theory")["y"], strict=True):
            found.append(
                (
                    abs(p["mean"] / y - 1),
                    inside(
                        {k: p[k] / y for k in ("mean", "least", "most")},
                        0.8,
                        1.25,
                        what=f"Measured over law at {s['name']}, M = {M}",
                    ),
                )
            )
    return max(found, key=lambda f: f[0])[1]


FIGURE = Figure(
    name="learned-embeddings",
    caption="Above: recall error after one pass of SGD over 10 240 samples in batches of 16, with the embeddings "
    "fixed at random and with everything learned; crosses: published means of ten seeds. Below: inputs given the "
    "embeddings of their outputs by hand (W = I): the share of lost items against the number of outputs; dashed: the "
    "exact law for gaussian outputs.",
    alt="Above, the error with learned embeddings lies more than ten times below that with fixed ones. Below, the "
    "share of lost items rises slowly with the number of outputs, and falls steeply with the dimension.",
    settings=SETTINGS,
    measure=measure,
    draw=draw,
    statements=(
        Statement("better", "Learning the embeddings lowers the error.", _far_below),
        Statement("capacity", "It lifts capacity: ten learned dimensions are better than a hundred fixed ones.", _few),
        Statement("published", "The published errors with everything learned come out.", _published),
        Statement(
            "by-hand",
            "With inputs equal to the outputs' embeddings the share of lost items is that of the law.",
            _law,
            by_us=True,
        ),
    ),
)
