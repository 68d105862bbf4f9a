"""Capacity of memories: the share of lost items against the load, for families whose capacity grows as d or as d^2."""

import math

from asymp.reports.figures.declare import Data, Drawing, Figure, How, Point, Settings, line, series
from asymp.reports.figures.style import above, new, panel
from asymp.theory import laws

SETTINGS = {
    "quick": {
        "injective": [16, 32, 64], "loads": [0.05, 0.1, 0.2, 0.35, 0.5, 1.0, 2.0], "runs": 1024,
        "linear": [32, 128], "linear_loads": [0.05, 0.1, 0.2, 0.5, 1.0, 2.0], "linear_runs": 256,
    },
    "paper": {
        "injective": [16, 32, 64, 128, 256], "loads": [0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0, 2.0], "runs": 4096,
        "linear": [32, 128, 512], "linear_loads": [0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0], "linear_runs": 1024,
    },
}  # fmt: skip
PANELS = {"all different": "N log N / d²", "two answers": "N / d", "Hopfield bits": "N / d"}
"""The families, each with its load: on these the sizes fall on one curve where the scaling is right."""


def measure(settings: Settings, how: How) -> Data:
    """Shares of lost items: all different answers, two answers, Hopfield nets; each with its law."""
    from asymp.montecarlo.samplers.capacity.injective_capacity import size_of_load

    found, lines = [], []

    def add(
        family: str, d: int, loads: list[float], points: list[Point], law: str, given: list[dict[str, object]]
    ) -> None:
        found.append(series(f"{family}, d = {d}", loads, points, panel=family))
        lines.append(line(f"{family}, d = {d}", loads, [laws[law](d=d, **own) for own in given], law=law))

    for d in settings["injective"]:
        sizes = sorted({*(size_of_load(load * d * d) for load in settings["loads"]), d * d})
        own = {"d": d, "inputs": "gaussian", "count": "lost"}
        points = [how.point("injective-item", settings["runs"], N=N, **own) for N in sizes]
        given: list[dict[str, object]] = [{"N": max(N, 3), "inputs": "gaussian", "outputs": "gaussian"} for N in sizes]
        loads = [N * math.log(N) / d**2 for N in sizes]
        add("all different", d, loads, points, "injective-capacity:item-error", given)
    runs = settings["linear_runs"]
    for d in settings["linear"]:
        sizes = sorted({max(2, round(load * d)) for load in settings["linear_loads"]})
        loads = [N / d for N in sizes]
        points = [how.point("binary-recall", runs, d=d, N=N) for N in sizes]
        add("two answers", d, loads, points, "binary-capacity:item-error", [{"N": N} for N in sizes])
        points = [how.point("bit-error", runs, d=d, N=N, kind="zero") for N in sizes]
        given = [{"N": N, "diagonal": "zero"} for N in sizes]
        add("Hopfield bits", d, loads, points, "hopfield-capacity:item-error", given)
    return {"series": found, "theory": lines}


def draw(data: Data) -> Drawing:
    """A panel for each family."""
    figure, axes = new(len(PANELS), height=2.6)
    for ax, (name, load) in zip(axes, PANELS.items(), strict=True):
        x, y = f"load {load}", "share lost"
        panel(ax, data, name, x=x, y=y, title=name, joined=False, floor=1e-5, label=lambda own: own.split(", ")[1])
        ax.set(ylim=(1e-4, 1.5))
    above(*axes, columns=5)
    return figure


FIGURE = Figure("capacity", SETTINGS, measure, draw)
