"""Figure 4 of the paper: the error of SGD along time, and that of its map."""

from typing import Any

from asymp.reports.figures.declare import Data, Drawing, Figure, How, Settings, points_of, series
from asymp.reports.figures.style import new, panel

N, M, ALPHA = 100, 5, 2
RUNS = 400
PANELS: tuple[dict[str, Any], ...] = (
    {"name": "one run, d = 100, γ = 10", "d": 100, "gamma": 10.0, "runs": 1, "batch": 1},
    {"name": "d = 100, γ = 1", "d": 100, "gamma": 1.0, "runs": RUNS, "batch": 1},
    {"name": "d = 10, γ = 1", "d": 10, "gamma": 1.0, "runs": RUNS, "batch": 1},
    {"name": "d = 100, γ = 1, batch 16", "d": 100, "gamma": 1.0, "runs": RUNS, "batch": 16},
)
SETTINGS = {
    "quick": {"steps": [1, 3, 10, 30, 100, 300, 1000], "batch_steps": [1, 3, 10, 30, 100]},
    "paper": {
        "steps": [1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500, 1000, 2000, 3000, 5000, 10_000],
        "batch_steps": [1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500, 1000],
    },
}


def measure(settings: Settings, how: How) -> Data:
    """Trajectories of both, panel by panel."""
    from asymp.montecarlo.samplers.memory_training.map_weights import map_errors
    from asymp.montecarlo.samplers.memory_training.memory import train_memory

    found = []
    for own in PANELS:
        steps = settings["steps"] if own["batch"] == 1 else settings["batch_steps"]
        common: dict[str, Any] = {"alpha": ALPHA, "N": N, "M": M, "d": own["d"], "batch": own["batch"]}
        common |= {"record": steps, "replicas": own["runs"], "seed": how.seed, "device": how.device}
        trained = train_memory(
            **common, T=steps[-1] * own["batch"], lr=own["gamma"], init="zero", measure=("error",)
        ).error
        assert trained is not None
        for kind, values in (("SGD", trained.values), ("map", map_errors(**common, gamma=own["gamma"]))):
            name = f"{kind}, {own['name']}"
            found.append(series(name, steps, points_of(values, (0.0, 1.0)), panel=own["name"]))
    return {"series": found}


def draw(data: Data) -> Drawing:
    """A panel for each setting."""
    figure, axes = new(2, height=2.9, columns=2, sharey=True)
    for i, (ax, own) in enumerate(zip(axes, PANELS, strict=True)):
        words = {"x": "steps" if i >= 2 else "", "y": "recall error" if i % 2 == 0 else "", "title": own["name"]}
        panel(ax, data, own["name"], **words, label=lambda curve: curve.split(", ")[0])
    axes[0].legend(loc="lower left")
    return figure


FIGURE = Figure("figure-4", SETTINGS, measure, draw)
