"""The plateau in the training of a memory of facts: predictions by the relation alone."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from asymp.reports.gallery.checks import all_of, one_number
from asymp.reports.gallery.data import plain
from asymp.reports.gallery.declare import Data, Figure, Finding, How, Statement

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

__all__ = ["FIGURE"]

MANY, FEW = "many subjects", "few subjects"
SETTINGS: dict[str, dict[str, Any]] = {
    "quick": {MANY: {"S": 16, "R": 4, "D": 8}, FEW: {"S": 4, "R": 16, "D": 4}, "init": 1e-5},
    "paper": {MANY: {"S": 32, "R": 8, "D": 8}, FEW: {"S": 4, "R": 16, "D": 4}, "init": 1e-5},
}
NEAR = 0.1
"""How near to the plateau's value, relatively, counts as on it."""


def measure(settings: Mapping[str, Any], how: How) -> Data:
    """The flow with many and with few subjects, and the laws' times and plateaus."""
    from asymp.montecarlo.transformers.pictures import fact_flow
    from asymp.theory import laws

    found = {}
    for name in (MANY, FEW):
        sizes = settings[name]
        flow = fact_flow(**sizes, init=settings["init"], device=how.device)
        thin = max(1, len(flow["t"]) // 400)
        curves = {key: [*values[:-1:thin], values[-1]] for key, values in flow.items()}
        plateau = float(laws["hallucination-phase:plateau"](**_given("hallucination-phase:plateau", sizes)))
        found[name] = {"sizes": sizes, "curves": curves, "plateau": plateau}
    law = laws["hallucination-phase"]
    times = {
        token: float(law(**settings[MANY], init=settings["init"], token=token)) for token in ("relation", "subject")
    }
    data: Data = plain({"flows": found, "times": times, "law": law.id})
    return data


def _given(id: str, sizes: Mapping[str, Any]) -> dict[str, Any]:
    from asymp.theory import laws

    return {name: sizes[name] for name in laws[id].domain if name in sizes}


def draw(data: Data) -> "Drawing":
    """Loss and probabilities with many subjects; the loss with few."""
    from asymp.reports.gallery.style import COLOURS, GREY, above, new

    figure, axes = new(3, height=2.5)
    many, few = (data["flows"][name] for name in (MANY, FEW))
    curves = many["curves"]
    D = many["sizes"]["D"]
    axes[0].plot(curves["t"], curves["loss"], color=COLOURS[0], lw=1.5, label="loss")
    axes[0].axhline(math.log(D), color=GREY, lw=1, ls="--", label="log D: predicts p(a|r)")
    axes[0].set(xlabel="time t of the flow", ylabel="loss", ylim=(0, None))
    axes[1].plot(curves["t"], curves["relation"], color=COLOURS[1], lw=1.5, label="answers of the relation")
    axes[1].plot(curves["t"], curves["right"], color=COLOURS[2], lw=1.5, ls="-.", label="right answer, p(a|s,r)")
    axes[1].axhline(1 / D, color=GREY, lw=1, ls="--", label="1/D: predicts p(a|r)")
    for token, time in data["times"].items():
        axes[1].axvline(time, color=COLOURS[1 if token == "relation" else 2], lw=1, ls=":")
    axes[1].set(xlabel="time t of the flow (dotted: law)", ylabel="probability", ylim=(0, 1.05))
    own = few["curves"]
    axes[2].plot(own["t"], own["loss"], color=COLOURS[3], lw=1.5, label="loss, few subjects")
    axes[2].axhline(math.log(few["sizes"]["D"]), color=GREY, lw=1, ls="--", label="log D")
    axes[2].axhline(few["plateau"], color=COLOURS[4], lw=1, ls=":", label="law: log R")
    axes[2].set(xlabel="time t of the flow", ylabel="loss", ylim=(0, None))
    for ax in axes:
        above(ax, columns=2)
    return figure


def _stay(curves: Mapping[str, list[float]], level: float) -> float:
    """The share of the whole time that the loss spends within 10 % of a level."""
    t, loss = curves["t"], curves["loss"]
    near = [i for i, v in enumerate(loss) if abs(v / level - 1) <= NEAR]
    return sum(t[i + 1] - t[i] for i in near if i + 1 < len(t)) / t[-1]


def _zero(data: Data) -> Finding:
    loss = data["flows"][MANY]["curves"]["loss"]
    return one_number(loss[-1] / loss[0], 0.0, 0.01, what="The loss at the end over that at the start")


def _phase(name: str) -> Any:
    """A phase: at least a tenth of the time at the loss of predicting p(a|r), with nearly all mass on the relation's answers."""

    def check(data: Data) -> Finding:
        flow = data["flows"][name]
        curves, D = flow["curves"], flow["sizes"]["D"]
        level = math.log(D)
        i = min(range(len(curves["loss"])), key=lambda j: abs(curves["loss"][j] - level))
        return all_of(
            (
                one_number(_stay(curves, level), 0.1, 1.0, what=f"The share of time at the loss log {D}"),
                one_number(curves["relation"][i], 0.9, 1.0, what="There the probability of the relation's answers"),
                one_number(curves["right"][i] * D, 0.8, 1.25, what="and that of the right answer, times D,"),
            )
        )

    return check


def _swapped(data: Data) -> Finding:
    flow = data["flows"][FEW]
    return one_number(
        _stay(flow["curves"], flow["plateau"]),
        0.1,
        1.0,
        what=f"The share of time at the loss {flow['plateau']:.3f} = log R, with few subjects,",
    )


def _times(data: Data) -> Finding:
    curves, D = data["flows"][MANY]["curves"], data["flows"][MANY]["sizes"]["D"]
    assert D > 2
    findings = []
    for token, key in (("relation", "relation"), ("subject", "right")):
        i = next(j for j, v in enumerate(curves[key]) if v >= 0.5)
        findings.append(
            one_number(
                curves["t"][i] / data["times"][token],
                0.95,
                1.05,
                what=f"Time at which the {token} is learnt, over the law's,",
            )
        )
    return all_of(findings)


FIGURE = Figure(
    name="hallucination",
    caption="Gradient flow of a one-layer transformer with linear attention and one-hot embeddings on facts (subject, "
    "relation, answer), all entries starting at 1e-5. Above: the loss; middle: the probability given to the answers "
    "of the relation and to the right answer, with the times at which the law has them learnt; below: the loss with "
    "few subjects and many relations.",
    alt="The loss falls to a plateau at log D, stays, and falls to zero; on the plateau all probability is on the "
    "relation's answers and the right one has 1/D. With few subjects the plateau is at log R instead.",
    settings=SETTINGS,
    measure=measure,
    draw=draw,
    statements=(
        Statement("zero-loss", "The flow converges to zero loss.", _zero),
        Statement("phase", "An intermediate phase predicts with p(a|r) instead of p(a|s,r).", _phase(MANY)),
        Statement(
            "phase-few",
            "The same with few subjects and many relations.",
            _phase(FEW),
            why="With few subjects and many relations the subject is learnt first: the plateau predicts p(a|s), at the loss log R.",
            erratum="hallucination-phase:source",
        ),
        Statement(
            "swapped",
            "With few subjects the phase predicts from the subject alone, at the loss log R.",
            _swapped,
            by_us=True,
        ),
        Statement("times", "Relation and subject are learnt at the law's times (within 5 %).", _times, by_us=True),
    ),
)
