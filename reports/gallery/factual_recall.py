"""Factual recall: accuracy of trained one-layer transformers over the number of heads and the width of the MLP."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from asymp.reports.gallery.data import plain, point
from asymp.reports.gallery.declare import FAILS, HOLDS, OPEN, Data, Figure, Finding, How, Statement

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

__all__ = ["FIGURE"]

SUCCESS = 0.99
"""The share of fresh sequences whose fact is recalled from which a model counts as storing its facts."""
CONSTANTS = (
    "The sources leave the constants of their conditions open, so that this is no contradiction: with constants of one, models on "
    "the line itself do not get to 99 % in a training of this length."
)
SETTINGS: dict[str, dict[str, Any]] = {
    "quick": {
        "task": {"S": 8, "R": 8, "D": 4, "T": 8, "d": 16, "d_h": 4, "steps": 300},
        "H": [1, 2, 4, 8], "m": [0, 4, 16, 64], "runs": 4,
    },
    "paper": {
        "task": {"S": 32, "R": 32, "D": 8, "T": 32, "d": 32, "d_h": 8, "batch": 1024, "steps": 16_000, "lr": 1e-2},
        "H": [1, 2, 4, 6, 8, 12, 16], "m": [0, 8, 16, 32, 64, 128, 256], "runs": 4,
    },
}  # fmt: skip


def measure(settings: Mapping[str, Any], how: How) -> Data:
    """Accuracies, run by run, in every cell of the grid."""
    from asymp.montecarlo.transformers.facts_trained import trained_facts_experiment

    task = settings["task"]
    cells = []
    for H in settings["H"]:
        row = []
        for m in settings["m"]:
            found = how.estimate(trained_facts_experiment, replicas=settings["runs"], **task, H=H, m=m)
            row.append({**point(found), "runs": found.values.tolist()})
        cells.append(row)
    sizes = {name: task[name] for name in ("S", "R", "D", "d", "d_h")}
    data: Data = plain({"sizes": sizes, "H": settings["H"], "m": settings["m"], "cells": cells})
    return data


def draw(data: Data) -> "Drawing":
    """The map of accuracies, with the conditions of the sources as lines."""
    from asymp.reports.gallery.style import COLOURS, heat, new

    figure, (ax,) = new(1, height=4.2)
    shown = heat(ax, [[c["mean"] for c in row] for row in data["cells"]], vmin=0, vmax=1, origin="lower")
    for i, row in enumerate(data["cells"]):
        for j, c in enumerate(row):
            ax.text(
                j,
                i,
                f"{c['mean']:.2f}",
                ha="center",
                va="center",
                fontsize=9,
                color="black" if c["mean"] > 0.6 else "white",
            )
    s = data["sizes"]
    ax.set_xticks(range(len(data["m"])), ["none" if m == 0 else str(m) for m in data["m"]])
    ax.set_yticks(range(len(data["H"])), [f"{H} ({H * s['d_h']})" for H in data["H"]])
    wall = _between(data["H"], (s["S"] + s["R"]) / s["d_h"])
    width = _between(data["m"], s["S"] * s["R"] / s["d"])
    ax.axhline(wall, color=COLOURS[1], lw=2, label="H $d_h$ = S + R")
    ax.axvline(width, color=COLOURS[5], lw=2, ls="--", label="m d = S R")
    ax.set(xlabel="width m of the MLP", ylabel="heads H (total size H $d_h$)")
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=2)
    figure.colorbar(shown, ax=ax, label="share of facts recalled", pad=0.02)
    return figure


def _between(values: list[int], at: float) -> float:
    """The edge below the first value that is at least `at`, in cells."""
    return next((i for i, v in enumerate(values) if v >= at), len(values)) - 0.5


def _where(data: Data, wanted: Callable[[int, int], bool], succeed: bool, what: str) -> Finding:
    """All runs of these cells succeed (or fail): a cell with no such run is a counterexample, a mixed one leaves it open."""
    against, mixed, cells = [], [], 0
    for H, row in zip(data["H"], data["cells"], strict=True):
        for m, cell in zip(data["m"], row, strict=True):
            if not wanted(H, m):
                continue
            cells += 1
            good = [(a >= SUCCESS) == succeed for a in cell["runs"]]
            if not any(good):
                against.append(f"H = {H}, m = {m} ({cell['mean']:.3f})")
            elif not all(good):
                mixed.append(f"H = {H}, m = {m} ({cell['mean']:.3f})")
    if not cells:
        return Finding(OPEN, "No cell of the grid tells.", {})
    outcome = FAILS if against else OPEN if mixed else HOLDS
    said = "; ".join(
        words
        for words in (
            f"against it: {', '.join(against)}" if against else "",
            f"only some runs: {', '.join(mixed)}" if mixed else "",
        )
        if words
    )
    return Finding(
        outcome,
        f"{what}: {cells} cells{', all runs as said' if not said else '; ' + said}.",
        {"cells": cells, "against": len(against), "mixed": len(mixed)},
    )


def _with_mlp(data: Data) -> Finding:
    s = data["sizes"]
    return _where(
        data,
        lambda H, m: H * s["d_h"] >= s["S"] + s["R"] and m * s["d"] >= s["S"] * s["R"],
        True,
        f"At least {SUCCESS:.0%} recalled where both conditions hold, constants taken as one",
    )


def _alone(data: Data) -> Finding:
    s = data["sizes"]
    if s["d"] < s["R"] + s["D"]:
        return Finding(OPEN, f"d = {s['d']} is below R + D = {s['R'] + s['D']}: the condition on d does not hold.", {})
    return _where(
        data,
        lambda H, m: m == 0 and H * s["d_h"] >= s["S"] + s["R"],
        True,
        f"At least {SUCCESS:.0%} recalled without MLP from H d_h = S + R on, constants taken as one",
    )


def _wall(data: Data) -> Finding:
    s = data["sizes"]
    return _where(
        data,
        lambda H, _: H * s["d_h"] < s["S"] + s["R"],
        False,
        f"Fewer than {SUCCESS:.0%} recalled below H d_h = S + R",
    )


def _trade(data: Data) -> Finding:
    """Attention alone needs more heads than with the widest MLP: the smallest H at which all runs succeed."""
    least = {}
    for j, m in ((0, "no MLP"), (len(data["m"]) - 1, "widest MLP")):
        least[m] = next(
            (H for H, row in zip(data["H"], data["cells"], strict=True) if min(row[j]["runs"]) >= SUCCESS), None
        )
    alone, wide = least["no MLP"], least["widest MLP"]
    if wide is None:
        return Finding(OPEN, "No number of heads suffices, even with the widest MLP.", {})
    without = "never" if alone is None else f"from H = {alone} on"
    words = f"All runs succeed from H = {wide} on with the widest MLP, {without} without."
    return Finding(HOLDS if alone is None or alone > wide else FAILS, words, {"alone": alone, "with": wide})


FIGURE = Figure(
    name="factual-recall",
    caption="The share of facts recalled after training one attention layer with H heads and an MLP of width m on "
    "sequences of noise tokens with a subject and a relation; random frozen embeddings. Lines: the sources' "
    "conditions with constants of one, H d_h = S + R (full) and m d = S R (dashed): above and to the right of them "
    "training should succeed.",
    alt="A heat map of accuracy over heads and width: dark at the lower left, bright at the upper right of the two lines.",
    settings=SETTINGS,
    measure=measure,
    draw=draw,
    statements=(
        Statement(
            "attention-mlp",
            "Attention and MLP succeed with H d_h >~ S + R and m d >~ S R (read with constants of one).",
            _with_mlp,
            why=CONSTANTS,
        ),
        Statement(
            "attention-only",
            "Attention alone succeeds with d >~ R + A_max and H d_h >~ S + R (read with constants of one).",
            _alone,
            why=CONSTANTS,
        ),
        Statement("wall", "Below H d_h = S + R there is a wall that no width crosses.", _wall),
        Statement("trade-off", "An MLP saves heads: without it more are needed.", _trade),
    ),
    notes=(
        "The conditions have no constants in the sources; they are taken as one here, so a failure near a line says little.",
    ),
)
