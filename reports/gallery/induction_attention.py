"""Attention of a trained induction head on a sequence, layer by layer, and one layer against two."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from asymp.reports.gallery.checks import one_number
from asymp.reports.gallery.data import points_of, series
from asymp.reports.gallery.declare import FAILS, HOLDS, OPEN, Data, Figure, Finding, How, Statement
from asymp.reports.gallery.induction import INDUCTION, pictures

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

__all__ = ["FIGURE"]


def measure(settings: Mapping[str, Any], how: How) -> Data:
    """Models of one and of two layers; attention of the latter on a fresh sequence."""
    two, one = pictures(settings, how, staged=False), pictures(settings, how, layers=1)
    found = [
        series(name, run["steps"], points_of(np.array(run["accuracy"])))
        for name, run in (("two layers", two), ("one layer", one))
    ]
    rounded = [[[round(v, 5) for v in row] for row in pattern] for pattern in two["attention"]]
    final = {s["name"]: [row[-1] for row in run["accuracy"]] for s, run in zip(found, (two, one), strict=True)}
    return {
        "series": found,
        "final": final,
        "attention": rounded,
        "tokens": two["tokens"],
        "in_context": two["in_context"],
        "triggers": two["triggers"],
    }


def draw(data: Data) -> "Drawing":
    """The two patterns, and the accuracies."""
    from asymp.reports.gallery.style import COLOURS, WIDTH, above, curve, heat
    from asymp.reports.shown import ShownFigure as Canvas

    figure = Canvas(figsize=(WIDTH, 5.6), layout="constrained")
    grid = figure.add_gridspec(2, 2, height_ratios=(1, 0.8))
    top = []
    for i, pattern in enumerate(data["attention"]):
        ax = figure.add_subplot(grid[0, i])
        shown = heat(ax, pattern, vmin=0, vmax=1)
        ax.set(title=f"layer {i + 1}", xlabel="key position")
        ticks = range(0, len(pattern), max(1, len(pattern) // 4))
        ax.set_xticks(ticks)
        ax.set_yticks(ticks)
        if i == 0:
            ax.set_ylabel("query position")
        else:
            rows = [t for t, asked in enumerate(data["in_context"]) if asked]
            edge = ax.get_xlim()
            ax.plot([edge[1]] * len(rows), rows, ls="none", marker="<", ms=4.5, color=COLOURS[1], clip_on=False)
            ax.set_xlim(edge)
        top.append(ax)
    figure.colorbar(shown, ax=top, label="attention", pad=0.03)
    ax = figure.add_subplot(grid[1, :])
    for i, s in enumerate(data["series"]):
        curve(ax, {**s, "x": s["x"][::6], "points": s["points"][::6]}, i)
    ax.set(xlabel="training steps", ylabel="in-context accuracy", ylim=(0, 1.03))
    above(ax, columns=2)
    return figure


def _previous(data: Data) -> Finding:
    """The first position has nothing before it."""
    first = data["attention"][0]
    mean = sum(first[t][t - 1] for t in range(1, len(first))) / (len(first) - 1)
    return one_number(mean, 0.5, 1.0, what="Mean attention of layer 1 to the previous position")


def _after(data: Data) -> Finding:
    """At a trigger seen before: the mass on the positions that follow its earlier occurrences."""
    tokens, second = data["tokens"], data["attention"][1]
    masses = []
    for t, asked in enumerate(data["in_context"]):
        if asked and t < len(second):
            masses.append(sum(second[t][s + 1] for s in range(t) if tokens[s] == tokens[t]))
    if not masses:
        return Finding(OPEN, "No trigger occurs twice in this sequence.", {})
    return one_number(
        sum(masses) / len(masses),
        0.5,
        1.0,
        what=f"Mean attention of layer 2 to what followed the trigger before ({len(masses)} positions)",
    )


def _runs(values: list[float], low: float, high: float, what: str) -> Finding:
    """In every run, or in none: the unit is the run, as for orders of the ledger."""
    inside = sum(low <= v <= high for v in values)
    outcome = HOLDS if inside == len(values) >= 7 else FAILS if inside == 0 and len(values) >= 7 else OPEN
    listed = ", ".join(f"{v:.2f}" for v in sorted(values))
    words = f"{what} is between {low:g} and {high:g} in {inside} of {len(values)} runs: {listed}."
    return Finding(outcome, words, {"inside": inside, "runs": len(values)})


def _two(data: Data) -> Finding:
    return _runs(data["final"]["two layers"], 0.95, 1.0, "In-context accuracy of two layers")


def _one(data: Data) -> Finding:
    return _runs(data["final"]["one layer"], 0.45, 0.65, "In-context accuracy of one layer")


def _gap(data: Data) -> Finding:
    """Runs of the two are not paired: each run of two layers against the best of one."""
    best = max(data["final"]["one layer"])
    return _runs(
        [v - best for v in data["final"]["two layers"]], 0.2, 1.0, "Accuracy of two layers less the best of one layer"
    )


FIGURE = Figure(
    name="induction-attention",
    caption="A two-layer transformer trained on the bigram task. Above: attention of its two layers on a fresh "
    "sequence; arrows mark the positions whose next token is determined by the context. Below: in-context accuracy "
    "along training with one and with two layers; bands are 95 % intervals over runs.",
    alt="Two heat maps: layer 1 attends to the diagonal below the main one, layer 2 to single positions at the marked "
    "rows. Below, two layers reach accuracy one and one layer stays far below.",
    settings=INDUCTION,
    measure=measure,
    draw=draw,
    statements=(
        Statement("previous", "The first layer attends to the previous token.", _previous),
        Statement(
            "after",
            "The second layer attends to the output of the previous-token head: what followed the trigger before.",
            _after,
        ),
        Statement("two-layers", "Two layers succeed, with about 99 % accuracy (at least 95 %).", _two),
        Statement("one-layer", "One layer fails, with about 55 % accuracy (within 10 points).", _one),
        Statement("gap", "Two layers are better than one by at least 20 points.", _gap, by_us=True),
    ),
    notes=(
        "The 55 % and 99 % are the source's for characters of Shakespeare and 256 positions (`paper`); quick takes 16 "
        "uniform tokens and 16 positions, where one layer's accuracy is another number.",
    ),
)
