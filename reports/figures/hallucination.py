"""The plateau in the training of a memory of facts: predictions by the relation alone."""

import math

from asymp.reports.figures.declare import Data, Drawing, Figure, How, Settings
from asymp.reports.figures.style import COLOURS, GREY, above, new
from asymp.theory import laws

MANY, FEW = "many subjects", "few subjects"
SETTINGS = {
    "quick": {MANY: {"S": 16, "R": 4, "D": 8}, FEW: {"S": 4, "R": 16, "D": 4}, "init": 1e-5},
    "paper": {MANY: {"S": 32, "R": 8, "D": 8}, FEW: {"S": 4, "R": 16, "D": 4}, "init": 1e-5},
}


def measure(settings: Settings, how: How) -> Data:
    """The flow with many and with few subjects, and the laws' times and plateaus."""
    from asymp.montecarlo.samplers.transformers.pictures import fact_flow

    init, plateau, law = settings["init"], laws["hallucination-phase:plateau"], laws["hallucination-phase"]
    found = {}
    for name in (MANY, FEW):
        sizes = settings[name]
        flow = fact_flow(**sizes, init=init, device=how.device)
        thin = max(1, len(flow["t"]) // 400)
        curves = {key: [*values[:-1:thin], values[-1]] for key, values in flow.items()}
        own = {letter: size for letter, size in sizes.items() if letter in plateau.domain}
        found[name] = {"D": sizes["D"], "curves": curves, "plateau": float(plateau(**own))}
    times = {token: float(law(**settings[MANY], init=init, token=token)) for token in ("relation", "subject")}
    return {"flows": found, "times": times}


def draw(data: Data) -> Drawing:
    """Loss and probabilities with many subjects; the loss with few."""
    figure, axes = new(3, height=2.5)
    many, few = (data["flows"][name] for name in (MANY, FEW))
    curves, D, own = many["curves"], many["D"], few["curves"]
    axes[0].plot(curves["t"], curves["loss"], color=COLOURS[0], lw=1.5, label="loss")
    axes[0].axhline(math.log(D), color=GREY, lw=1, ls="--", label="log D: predicts p(a|r)")
    axes[0].set(xlabel="time t of the flow", ylabel="loss", ylim=(0, None))
    axes[1].plot(curves["t"], curves["relation"], color=COLOURS[1], lw=1.5, label="answers of the relation")
    axes[1].plot(curves["t"], curves["right"], color=COLOURS[2], lw=1.5, ls="-.", label="right answer, p(a|s,r)")
    axes[1].axhline(1 / D, color=GREY, lw=1, ls="--", label="1/D: predicts p(a|r)")
    for token, time in data["times"].items():
        axes[1].axvline(time, color=COLOURS[1 if token == "relation" else 2], lw=1, ls=":")
    axes[1].set(xlabel="time t of the flow (dotted: law)", ylabel="probability", ylim=(0, 1.05))
    axes[2].plot(own["t"], own["loss"], color=COLOURS[3], lw=1.5, label="loss, few subjects")
    axes[2].axhline(math.log(few["D"]), color=GREY, lw=1, ls="--", label="log D")
    axes[2].axhline(few["plateau"], color=COLOURS[4], lw=1, ls=":", label="law: log R")
    axes[2].set(xlabel="time t of the flow", ylabel="loss", ylim=(0, None))
    above(*axes, columns=2)
    return figure


FIGURE = Figure("hallucination", SETTINGS, measure, draw)
