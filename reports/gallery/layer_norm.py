"""Layer norm with large batches: the error against the dimension, with and without it."""

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
    "quick": {"d": [10, 30, 100], "lr": [0.1, 1.0], "runs": 240},
    "paper": {"d": [10, 30, 100, 300, 1000], "lr": [0.1, 1.0], "runs": 100},
}
NAMES = {"sgd": "SGD", "sign": "Adam"}


def measure(settings: Mapping[str, Any], how: How) -> Data:
    """Errors with and without layer norm, both optimisers."""
    found = [
        series(
            f"{NAMES[kind]}{' + norm' if norm else ''}, rate {lr:g}",
            settings["d"],
            [
                trained(
                    how,
                    settings["runs"],
                    d=d,
                    batch=BATCH,
                    lr=lr,
                    optimiser=kind,
                    **({"layer_norm": True} if norm else {}),
                )
                for d in settings["d"]
            ],
            lr=lr,
            optimiser=kind,
            norm=norm,
        )
        for lr in settings["lr"]
        for kind in NAMES
        for norm in (False, True)
    ]
    return {"series": found, "published": published_line("adam-norm")}


def draw(data: Data) -> "Drawing":
    """A panel for each learning rate."""
    from asymp.reports.gallery.style import above, curve, log_ticks, new

    rates = sorted({s["lr"] for s in data["series"]})
    figure, axes = new(len(rates), height=2.8, sharex=True)
    for ax, lr in zip(axes, rates, strict=True):
        for i, s in enumerate([s for s in data["series"] if s["lr"] == lr]):
            curve(ax, s, i, label=s["name"].split(",")[0])
        if lr == 1.0:
            sizes = data["series"][0]["x"]
            published_marks(ax, data["published"], {d: d for d in sizes}, label="Adam + norm,\npublished")
        ax.set(xscale="log", yscale="log", ylabel="recall error", title=f"learning rate {lr:g}, batch {BATCH}")
        log_ticks(ax, [10, 30, 100, 300, 1000])
    axes[-1].set_xlabel("dimensions d")
    above(axes[-1])
    return figure


def _helps(kind: str, lr: float) -> Any:
    def check(data: Data) -> Finding:
        plain, normed = (find(data, f"{NAMES[kind]}{end}, rate {lr:g}") for end in ("", " + norm"))
        return all_of(
            below(b, a, what=f"With against without at d = {d}")
            for d, a, b in zip(plain["x"], plain["points"], normed["points"], strict=True)
        )

    return check


def _published(data: Data) -> Finding:
    return published_numbers(find(data, "Adam + norm, rate 1"), data["published"])


FIGURE = Figure(
    name="layer-norm",
    caption="Recall error after one pass over 10 240 samples in batches of 1024, with and without a layer norm between the memory "
    "and the output embeddings, for SGD and for Adam (both betas zero). Crosses: published means of ten seeds.",
    alt="Two panels of error against dimension with four curves each: with and without layer norm, SGD and Adam.",
    settings=SETTINGS,
    measure=measure,
    draw=draw,
    statements=(
        Statement("adam-1", "Layer norm helps Adam with large batches at a learning rate of 1.", _helps("sign", 1.0)),
        Statement("adam-small", "It helps Adam with smaller steps, a learning rate of 0.1.", _helps("sign", 0.1)),
        Statement("sgd-1", "It helps SGD with large batches at a learning rate of 1.", _helps("sgd", 1.0)),
        Statement("sgd-small", "It helps SGD with smaller steps, a learning rate of 0.1.", _helps("sgd", 0.1)),
        Statement("published", "The published errors of Adam with layer norm come out.", _published),
    ),
)
