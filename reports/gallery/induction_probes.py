"""Memories of an induction head along training: probes of its three matrices, and its accuracy."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from asymp.reports.gallery.checks import all_of, one_number
from asymp.reports.gallery.data import points_of, series
from asymp.reports.gallery.declare import FAILS, HOLDS, OPEN, Data, Figure, Finding, How, Statement
from asymp.reports.gallery.induction import INDUCTION, pictures

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

__all__ = ["FIGURE"]

ONSET = 1.0
NAMES = {"OV2": "W_OV of layer 2", "KQ2": "W_KQ of layer 2", "KQ1": "W_KQ of layer 1"}


def measure(settings: Mapping[str, Any], how: How) -> Data:
    """Joint and staged training, several seeds at once."""
    from asymp.montecarlo.transformers.pictures import PROBES

    joint, staged = (pictures(settings, how, staged=s) for s in (False, True))
    probes = np.array(joint["probes"])
    found = [
        series(NAMES[name], joint["steps"], points_of(probes[:, :, i]), panel="probes") for i, name in enumerate(PROBES)
    ]
    for name, run in (("all at once", joint), ("one after the other", staged)):
        found.append(series(name, run["steps"], points_of(np.array(run["accuracy"])), panel="accuracy"))
    onsets = {name: _onsets(probes[:, :, i], joint["steps"]) for i, name in enumerate(PROBES)}
    times = {
        name: _onsets(np.array(run["accuracy"]) - 0.9 + ONSET, run["steps"])
        for name, run in (("joint", joint), ("staged", staged))
    }
    return {"series": found, "onsets": onsets, "times to 90 %": times}


def _onsets(values: Any, steps: list[int]) -> list[int | None]:
    """The first recorded step, run by run, at which the value exceeds the onset."""
    return [next((s for s, v in zip(steps, row, strict=True) if v > ONSET), None) for row in values]


def draw(data: Data) -> "Drawing":
    """Probes above, accuracy below."""
    from asymp.reports.gallery.style import GREY, above, curve, new

    figure, axes = new(2, height=3.0, sharex=True)
    for ax, panel, first in ((axes[0], "probes", 0), (axes[1], "accuracy", 3)):
        for i, s in enumerate([s for s in data["series"] if s["panel"] == panel]):
            shown = {**s, "x": s["x"][::3], "points": s["points"][::3]}
            curve(ax, shown, i + first, label=re.sub(r"W_(\w+)", r"$W_{\1}$", s["name"]))
    axes[0].axhline(ONSET, color=GREY, lw=0.8, ls=":")
    axes[0].set(ylabel="margin of the memory\n(standard deviations)")
    axes[1].set(xlabel="training steps", ylabel="in-context accuracy", ylim=(0, 1.03))
    above(axes[0], columns=2)
    above(axes[1], columns=2)
    return figure


def _before(first: str, second: str) -> Any:
    """In every run; the unit is the run, and ties of the recording step decide nothing."""

    def check(data: Data) -> Finding:
        pairs = list(zip(data["onsets"][first], data["onsets"][second], strict=True))
        late = 10**9
        wins = sum((a or late) < (b or late) for a, b in pairs)
        losses = sum((a or late) > (b or late) for a, b in pairs)
        # In all of at least 7 runs, as for orders of the ledger; against it as many.
        outcome = HOLDS if wins == len(pairs) >= 7 else FAILS if losses == len(pairs) >= 7 else OPEN
        return Finding(
            outcome,
            f"{NAMES[first]} sets in before {NAMES[second]} in {wins} of {len(pairs)} runs, after it in {losses}.",
            {"before": wins, "after": losses},
        )

    return check


def _joint(data: Data) -> Finding:
    times = data["times to 90 %"]
    late = 10**9
    pairs = list(zip(times["joint"], times["staged"], strict=True))
    # Replicas of the two are not paired: the slowest joint run against the fastest staged one.
    slowest, fastest = max(a or late for a, _ in pairs), min(b or late for _, b in pairs)
    if slowest == late:
        return Finding(OPEN, "Not every joint run reaches 90 % accuracy.", {})
    outcome = HOLDS if slowest < fastest else OPEN
    if min(a or late for a, _ in pairs) > max(b or late for _, b in pairs):
        outcome = FAILS
    said = "never" if fastest == late else f"at the earliest after {fastest} steps"
    return Finding(
        outcome,
        f"90 % accuracy: joint training at the latest after {slowest} steps, staged training {said}.",
        {"joint": slowest},
    )


def _solved(data: Data) -> Finding:
    last = next(s for s in data["series"] if s["name"] == "all at once")["points"][-1]
    return all_of([one_number(last["mean"], 0.95, 1.0, what="In-context accuracy at the end")])


FIGURE = Figure(
    name="induction-probes",
    caption="A two-layer transformer learns the bigram task with triggers whose outputs are drawn afresh in every "
    "sequence; only its two key-query matrices and the values of the second layer learn. Above: how far each of the "
    "three stands out as the memory that an induction head needs, in standard deviations. Below: in-context accuracy, "
    "learning all three at once or one after the other.",
    alt="Three rising curves, first the values of layer 2, then its key-query matrix, then that of layer 1; accuracy "
    "rises to one when all learn at once.",
    settings=INDUCTION,
    measure=measure,
    draw=draw,
    statements=(
        Statement("solved", "Training these three matrices solves the task.", _solved),
        Statement("order-1", "W_OV of layer 2 is learned before W_KQ of layer 2.", _before("OV2", "KQ2")),
        Statement("order-2", "W_KQ of layer 2 is learned before W_KQ of layer 1.", _before("KQ2", "KQ1")),
        Statement("joint", "Joint learning is faster.", _joint),
    ),
    notes=(
        "A memory sets in when its margin first exceeds one standard deviation: hit rates start high by chance where "
        "items are few.",
        "One after the other: each third of the steps is one matrix's, in the order in which they are learned.",
    ),
)
