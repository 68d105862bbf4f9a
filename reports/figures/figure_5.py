"""Figure 5 of the paper: the weights that SGD with batch one gives, step by step and over the inputs."""

import numpy as np

from asymp.reports.figures.declare import Data, Drawing, Figure, How, Settings, line
from asymp.reports.figures.style import COLOURS, above, new, panel
from asymp.theory import laws

M = 5
PAIRS = ((10.0, 0.05), (0.1, 0.35), (0.001, 1.0))
SETTINGS = {
    "quick": {"gamma": [10.0, 1.0, 0.1, 0.01], "n": [1, 2, 3, 5, 10, 20, 50, 100, 200], "N": 100},
    "paper": {"gamma": [10.0, 1.0, 0.1, 0.01, 0.001], "n": [1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000], "N": 100},
}


def measure(settings: Settings, how: How) -> Data:
    """Weights after n sights by automatic differentiation, beside the map; the map's weights at counts that follow p."""
    from asymp.montecarlo.samplers.memory_training.map_weights import map_weights

    law, n, N = laws["sgd-map"], settings["n"], settings["N"]
    found, lines = [], []
    for gamma in settings["gamma"]:
        name = f"γ = {gamma:g}"
        found.append(how.curve(name, "sgd-weight", 4, "n", n, panel="n", gamma=gamma, M=M, written="target"))
        lines.append(line(name, n, [law(gamma=gamma, M=M, n=k) for k in n], law=law.id))
    found.append(how.curve("SGD, γ = 1", "sgd-weight", 4, "n", n, panel="itself", gamma=1.0, M=M, written="all"))
    x = np.arange(1, N + 1)
    counts = ((N + 3) / (x + 3)) ** 2
    most = int(np.ceil(counts.max()))
    over = []
    for gamma, rho in PAIRS:
        # A weight between whole numbers of sights is interpolated.
        q = np.interp(counts, np.arange(most + 1), map_weights(gamma=gamma, M=M, most=most).numpy())
        power = counts**rho
        over.append({"gamma": gamma, "rho": rho, "x": x, "q": q / q[0], "power": power / power[0]})
    return {"series": found, "theory": lines, "weights": over}


def draw(data: Data) -> Drawing:
    """Weights against sights above, over the inputs below."""
    figure, axes = new(2, height=3.0)
    panel(axes[0], data, "n", x="times n that the input was seen", y="weight $f^n(0)$", joined=False)
    (itself,) = (s for s in data["series"] if s["panel"] == "itself")
    means = [p["mean"] for p in itself["points"]]
    axes[0].plot(itself["x"], means, color=COLOURS[1], marker="x", ms=5, lw=0, label=itself["name"])
    for i, w in enumerate(data["weights"]):
        colour = COLOURS[(0, 2, 4)[i]]
        axes[1].plot(w["x"], w["q"], color=colour, lw=1.6, label=f"γ = {w['gamma']:g}")
        axes[1].plot(w["x"], w["power"], color=colour, lw=1.2, ls="--", label=f"ρ = {w['rho']:g}")
    axes[1].set(xlabel="input x", ylabel="weight relative to x = 1", ylim=(0, 1.05))
    above(*axes)
    return figure


FIGURE = Figure("figure-5", SETTINGS, measure, draw)
