"""Large steps with correlated embeddings: oscillations of the loss, and the time to perfect accuracy."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from asymp.reports.gallery.checks import all_of, one_number
from asymp.reports.gallery.data import find, line, points_of, series
from asymp.reports.gallery.declare import Data, Figure, Finding, How, Statement

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

__all__ = ["FIGURE"]

FREQUENT = 0.75
SETTINGS: dict[str, dict[str, Any]] = {
    "quick": {"a": 0.9, "steps": 60, "longest": 1000, "orthogonal": 10_000, "eta": [0.5, 1.0, 2.0, 5.0, 10.0, 20.0]},
    "paper": {
        "a": 0.9,
        "steps": 200,
        "longest": 4000,
        "orthogonal": 10_000,
        "eta": [0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0],
    },
}


def _train(a: float, p: float, eta: float, steps: int, how: How) -> Any:
    """Full-batch steps on two tokens whose inputs overlap by a; outputs orthonormal."""
    from asymp.montecarlo.train.memory import train_memory

    inputs = [[1.0, 0.0], [a, math.sqrt(1 - a * a)]]
    return train_memory(
        N=2, M=2, d=2, T=steps, lr=eta, population=True, p=[p, 1 - p], targets=[0, 1], inputs=inputs,
        outputs=[[1.0, 0.0], [0.0, 1.0]], init="zero", record="all", measure=("loss", "margins"), replicas=1,
        seed=how.seed, device=how.device, route="weights",
    )  # fmt: skip


def _time(margins: Any) -> int | None:
    """Steps after which both tokens are right for good; None if the run ends too soon to say so."""
    wrong = np.flatnonzero((margins <= 0).any(axis=1))
    last = int(wrong[-1]) if len(wrong) else 0
    return last + 1 if 2 * (last + 1) <= len(margins) else None


def measure(settings: Mapping[str, Any], how: How) -> Data:
    """Losses and margins along training, and times to perfect accuracy over step sizes; nothing is random."""
    from asymp.theory import laws

    a, steps = settings["a"], settings["steps"]
    found = []
    for eta in (1.0, 10.0):
        run = _train(a, FREQUENT, eta, steps, how)
        found.append(series(f"step {eta:g}", list(range(steps + 1)), points_of(run.loss.values), panel="loss"))
        found.append(
            series(
                f"rare token, step {eta:g}",
                list(range(steps + 1)),
                points_of(run.margins.values[:, :, 1]),
                panel="margin",
            )
        )
    times = {}
    for name, overlap, p in (
        ("a = 0.9, p = 0.75", a, FREQUENT),
        ("a = 0.9, p = 0.55", a, 0.55),
        ("a = 0, p = 0.75", 0.0, FREQUENT),
    ):
        times[name] = [
            _time(_train(overlap, p, eta, settings["longest"], how).margins.values[0]) for eta in settings["eta"]
        ]
    orthogonal = _train(0.0, FREQUENT, 10.0, settings["orthogonal"], how).margins.values[:, :, 0]
    marks = sorted({int(v) for v in np.geomspace(1, settings["orthogonal"], 25)})
    steps_law = laws["margin-growth:steps"]
    grown = [float(steps_law(**_given(steps_law, n))) for n in marks]
    return {
        "series": [*found, series("orthogonal", marks, points_of(orthogonal[:, marks]), panel="growth")],
        "theory": [line("orthogonal", marks, grown, law=steps_law.id, eta=10.0, p=FREQUENT, M=2)],
        "times": {"eta": settings["eta"], "steps": times},
        "largest stable step": float(laws["oscillation"](a=a, p=FREQUENT)),
    }


def _given(law: Any, n: int) -> dict[str, Any]:
    known = {"n": n, "eta": 10.0, "gamma": 10.0, "p": FREQUENT, "M": 2}
    return {name: known[name] for name in law.domain}


def draw(data: Data) -> "Drawing":
    """Losses, margins, times."""
    from asymp.reports.gallery.style import COLOURS, MARKERS, above, new

    figure, axes = new(3, height=2.5)
    for ax, panel, words in ((axes[0], "loss", "loss"), (axes[1], "margin", "margin of rare token")):
        for i, s in enumerate([s for s in data["series"] if s["panel"] == panel]):
            ax.plot(
                s["x"],
                [p["mean"] for p in s["points"]],
                color=COLOURS[i],
                lw=1.4,
                ls=("-", "--")[i],
                label=s["name"].split(", ")[-1],
            )
        ax.set(xlabel="full-batch steps", ylabel=words)
    axes[0].set(yscale="log")
    axes[0].legend(loc="upper right")
    axes[1].axhline(0, color="#7f7f7f", lw=0.8)
    for i, (name, times) in enumerate(data["times"]["steps"].items()):
        live = [(e, t) for e, t in zip(data["times"]["eta"], times, strict=True) if t is not None]
        axes[2].plot(*zip(*live, strict=True), color=COLOURS[i + 2], marker=MARKERS[i], ms=4, lw=1.2, label=name)
    axes[2].set(xscale="log", yscale="log", xlabel="step size", ylabel="steps to accuracy 1")
    above(axes[2])
    return figure


def _rises(data: Data, name: str) -> float:
    loss = np.array([p["mean"] for p in find(data, name)["points"]])
    return float(np.diff(loss).max())


def _oscillates(data: Data) -> Finding:
    return one_number(
        _rises(data, "step 10"), 1e-9, math.inf, what="The largest rise of the loss in one step of size 10"
    )


def _calm(data: Data) -> Finding:
    limit = data["largest stable step"]
    return one_number(
        _rises(data, "step 1"), -math.inf, 0.0, what=f"The largest rise in a step of size 1, where 2/L = {limit:.2f},"
    )


def _faster(name: str) -> Any:
    def check(data: Data) -> Finding:
        times, eta = data["times"]["steps"][name], data["times"]["eta"]
        large, small = (times[eta.index(e)] or math.inf for e in (10.0, 1.0))
        return one_number(
            large / small if math.isfinite(small) else 0.0,
            0.0,
            1.0,
            what=f"Steps to perfect accuracy at {name}, size 10 ({large:g}) over size 1 ({small:g}),",
        )

    return check


def _growth(data: Data) -> Finding:
    """Logarithmic growth: equal gains for equal ratios of time, over the last decade, within 10 %; and no way back."""
    s, t = find(data, "orthogonal"), find(data, "orthogonal", "theory")
    m = np.array([p["mean"] for p in s["points"]])
    x = np.log(np.array(s["x"], dtype=float))
    late = x > x[-1] - math.log(10)
    slope = np.polyfit(x[late], m[late], 1)[0]
    return all_of(
        (
            one_number(
                float(slope), 0.9, 1.1, what="Gain of the margin per factor e in time, orthogonal inputs, step 10,"
            ),
            one_number(
                float(np.abs(m / np.array(t["y"]) - 1).max()),
                0.0,
                1e-9,
                what="The largest distance from the exact law of the steps",
            ),
        )
    )


FIGURE = Figure(
    name="oscillations",
    caption="Two tokens with frequencies 3/4 and 1/4 whose inputs overlap by 0.9, trained by full-batch steps of size "
    "1 and 10 from W = 0. Above: the loss; middle: the margin of the rare token, right where positive; below: the "
    "number of steps after which both tokens are right for good, against the step size, for other overlaps and "
    "frequencies too.",
    alt="The loss falls smoothly with steps of 1 and in jumps with steps of 10, and the rare token's margin swings "
    "below zero first. Below, the time to perfect accuracy against the step size.",
    settings=SETTINGS,
    measure=measure,
    draw=draw,
    statements=(
        Statement(
            "oscillation", "Correlated embeddings and imbalance give oscillations with large steps.", _oscillates
        ),
        Statement("stable", "Below the step 2/L the loss does not rise.", _calm, by_us=True),
        Statement(
            "faster",
            "Large steps reach perfect accuracy faster despite the oscillations.",
            _faster("a = 0.9, p = 0.75"),
        ),
        Statement(
            "faster-balanced",
            "The same with little imbalance (p = 0.55).",
            _faster("a = 0.9, p = 0.55"),
            why="Without imbalance small steps have nothing to make up for and arrive first, while large ones oscillate on.",
            erratum="oscillation:source",
        ),
        Statement("logarithmic", "Orthogonal embeddings: margins grow logarithmically, for a step of 10 too.", _growth),
    ),
    notes=("The talk gives no numbers; frequencies 3/4 and 1/4 and steps of 10 and 1 are the ledger's.",),
)
