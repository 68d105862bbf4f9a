"""Capacity of memories: the share of lost items against the load, for families whose capacity grows as d or as d^2."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from asymp.reports.gallery.checks import all_of, inside, one_number
from asymp.reports.gallery.data import find, line, point, series
from asymp.reports.gallery.declare import OPEN, Data, Figure, Finding, How, Statement

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

__all__ = ["FIGURE"]

SETTINGS: dict[str, dict[str, Any]] = {
    "quick": {
        "injective": [16, 32, 64], "loads": [0.05, 0.1, 0.2, 0.35, 0.5, 1.0, 2.0], "runs": 1024,
        "linear": [32, 128], "linear_loads": [0.05, 0.1, 0.2, 0.5, 1.0, 2.0], "linear_runs": 256,
    },
    "paper": {
        "injective": [16, 32, 64, 128, 256], "loads": [0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0, 2.0], "runs": 4096,
        "linear": [32, 128, 512], "linear_loads": [0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0], "linear_runs": 1024,
    },
}  # fmt: skip


def measure(settings: Mapping[str, Any], how: How) -> Data:
    """Shares of lost items: all different answers, two answers, Hopfield and dense nets; each with its law."""
    from asymp.montecarlo.capacities.binary import binary_recall_experiment
    from asymp.montecarlo.capacities.injective import injective_item_experiment, size_of_load
    from asymp.montecarlo.memories.patterns import bit_error_experiment
    from asymp.theory import laws

    found, lines = [], []

    def add(
        panel: str, d: int, sizes: list[int], loads: list[float], points: list[Any], law: str, values: list[float]
    ) -> None:
        name = f"{panel}, d = {d}"
        found.append(series(name, loads, points, panel=panel, d=d, N=sizes))
        lines.append(line(name, loads, values, law=law))

    for d in settings["injective"]:
        sizes = sorted({*(size_of_load(load * d * d) for load in settings["loads"]), d * d})
        loads = [N * math.log(N) / d**2 for N in sizes]
        points = [
            point(
                how.estimate(
                    injective_item_experiment, replicas=settings["runs"], d=d, N=N, inputs="gaussian", count="lost"
                )
            )
            for N in sizes
        ]
        law = "injective-capacity:item-error"
        values = [float(laws[law](d=d, N=max(N, 3), inputs="gaussian", outputs="gaussian")) for N in sizes]
        add("all different", d, sizes, loads, points, law, values)
    runs = settings["linear_runs"]
    for d in settings["linear"]:
        sizes = sorted({max(2, round(load * d)) for load in settings["linear_loads"]})
        loads = [N / d for N in sizes]
        two = [point(how.estimate(binary_recall_experiment, replicas=runs, d=d, N=N)) for N in sizes]
        law = "binary-capacity:item-error"
        add("two answers", d, sizes, loads, two, law, [float(laws[law](d=d, N=N)) for N in sizes])
        bits = [point(how.estimate(bit_error_experiment, replicas=runs, d=d, N=N, kind="zero")) for N in sizes]
        law = "hopfield-capacity:item-error"
        add("Hopfield bits", d, sizes, loads, bits, law, [float(laws[law](d=d, N=N, diagonal="zero")) for N in sizes])
    return {"series": found, "theory": lines}


def draw(data: Data) -> "Drawing":
    """A panel for each family; on these loads the sizes fall on one curve where the scaling is right."""
    from asymp.reports.gallery.style import above, curve, new, theory

    panels = list(dict.fromkeys(s["panel"] for s in data["series"]))
    figure, axes = new(len(panels), height=2.6)
    for ax, panel in zip(axes, panels, strict=True):
        for i, s in enumerate([s for s in data["series"] if s["panel"] == panel]):
            live = [(x, p) for x, p in zip(s["x"], s["points"], strict=True) if p["mean"] > 1e-5]
            curve(
                ax,
                {**s, "x": [x for x, _ in live], "points": [p for _, p in live]},
                i,
                joined=False,
                label=f"d = {s['d']}",
            )
            theory(ax, find(data, s["name"], "theory"), i)
        words = "N log N / d²" if panel == "all different" else "N / d"
        ax.set(xscale="log", yscale="log", xlabel=f"load {words}", ylabel="share lost", title=panel, ylim=(1e-4, 1.5))
        above(ax, columns=5)
    return figure


def _at(data: Data, panel: str, load: float) -> list[tuple[int, float, Any]]:
    """(d, load, point) of each size at the measured load nearest to the one asked for."""
    found = []
    for s in data["series"]:
        if s["panel"] == panel:
            i = min(range(len(s["x"])), key=lambda j: abs(math.log(s["x"][j] / load)))
            found.append((s["d"], s["x"][i], s["points"][i]))
    return found


def _squared(data: Data) -> Finding:
    """N ~ d^2 read as it stands: at N = d^2 less than half of the items are lost."""
    return all_of(
        inside(s["points"][s["N"].index(s["d"] ** 2)], 0.0, 0.5, what=f"Share lost with N = d² = {s['d'] ** 2}")
        for s in data["series"]
        if s["panel"] == "all different"
    )


def _half(data: Data) -> Finding:
    """One item is right half of the time at N log N = d^2/2: between 0.25 and 0.75 for every d, so that N grows as d^2/log d."""
    return all_of(
        inside(p, 0.25, 0.75, what=f"Share lost at N log N = {x:.2f} d², d = {d},")
        for d, x, p in _at(data, "all different", 0.5)
    )


def _linear(panel: str) -> Any:
    """N ~ d: at a fixed load N/d the share does not depend on d, within a factor of 1.25."""

    def check(data: Data) -> Finding:
        found = _at(data, panel, 1.0)
        means = [p["mean"] for _, _, p in found]
        words = ", ".join(f"{p['mean']:.3g} at d = {d}" for d, _, p in found)
        return one_number(
            max(means) / min(means), 1.0, 1.25, what=f"Shares lost at N = d: {words}; largest over smallest"
        )

    return check


def _laws(data: Data) -> Finding:
    """The worst point, of those whose mean is known within 10 %."""
    worst = None
    for s in data["series"]:
        for x, p, y in zip(s["x"], s["points"], find(data, s["name"], "theory")["y"], strict=True):
            if y > 0 and p["most"] - p["least"] < 0.2 * p["mean"]:
                r = {k: p[k] / y for k in ("mean", "least", "most")}
                if worst is None or abs(math.log(r["mean"])) > abs(math.log(worst[1]["mean"])):
                    worst = (f"{s['name']}, load {x:.2f}", r)
    if worst is None:
        return Finding(OPEN, "No share is known within 10 %.", {})
    return inside(worst[1], 0.8, 1.25, what=f"Measured over law at {worst[0]}, the worst point,")


FIGURE = Figure(
    name="capacity",
    caption="The share of lost items against the load, for memories W that are sums of outer products. Above: an "
    "answer of its own for each input, load N log N/d²; middle: two answers, load N/d; below: bits of a Hopfield net "
    "after one step, load N/d. Points: measured, with 95 % intervals; dashed: laws at finite size, with no free "
    "parameter.",
    alt="Three panels of curves rising with the load; within a panel the curves of different dimensions nearly coincide.",
    settings=SETTINGS,
    measure=measure,
    draw=draw,
    statements=(
        Statement(
            "squared",
            "With all answers different a memory stores up to N ~ d² associations: at N = d² most are right.",
            _squared,
            why="At N = d² the noise in every score is as large as the signal, and the best of N competitors is "
            "sqrt(2 log N) times larger: nearly every item is lost. The capacity has a logarithm, N log N = d²/2.",
            erratum="injective-capacity:source",
        ),
        Statement("with-log", "An item is right half of the time at N log N = d²/2, for every d.", _half, by_us=True),
        Statement("two-answers", "With two answers it stores N ~ d associations.", _linear("two answers")),
        Statement(
            "hopfield",
            "A Hopfield net stores N ~ d patterns: its bit error depends on N/d alone.",
            _linear("Hopfield bits"),
        ),
        Statement("laws", "The laws at finite size agree with the points (within 25 %).", _laws, by_us=True),
    ),
)
