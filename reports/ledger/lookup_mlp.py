"""lookup-mlp: one neuron for each stored input, which fires only near it; and what that costs."""

from collections.abc import Mapping
from typing import Any

from asymp.montecarlo.memories.lookup import (
    lookup_cost_experiment,
    lookup_noise_experiment,
    lookup_recall_experiment,
    lookup_silence_experiment,
    lookup_silenced_experiment,
)
from asymp.montecarlo.memories.trained import learning_steps_experiment
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

Grid = dict[str, list[dict[str, Any]]]

# Around the sizes at which all items are right half of the time: far beyond exp(d b^2/4).
ALL = {8: 16, 12: 50, 16: 150, 20: 420}
FACTORS = tuple(2 ** (j / 3) for j in range(-4, 5))
CAPACITY: Grid = {
    preset: [{"d": d, "b": 0.5, "N": max(2, round(ALL[d] * f)), "items": "all"} for d in sizes for f in FACTORS]
    for preset, sizes in {"quick": (8, 12, 16), "standard": (8, 12, 16, 20)}.items()
}
SILENT: Grid = {
    "quick": [{"d": 16, "N": 64, "b": 0.5}, {"d": 24, "N": 32, "b": 0.3}],
    "standard": [{"d": d, "N": N, "b": b} for d, N, b in ((8, 16, 0.5), (16, 64, 0.5), (24, 32, 0.3), (32, 256, 0.5))],
}
NOISE: Grid = {
    "quick": [{"d": 16, "b": 0.5, "s": 1.5}, {"d": 64, "b": 0.7, "s": 2.0}],
    "standard": [
        {"d": d, "b": b, "s": s}
        for d, b, s in ((8, 0.3, 2.0), (8, 0.5, 2.0), (32, 0.5, 4.0), (64, 0.5, 4.0), (64, 0.7, 2.0))
    ],
}
COST: Grid = {
    "quick": [{"d": 16, "N": N} for N in (8, 64, 512)],
    "standard": [{"d": d, "N": N} for d in (16, 32, 64) for N in (8, 64, 512, 4096)],
}
# Few items beside the dimensions, and a threshold near one: the regime of a large capacity.
FEW: Grid = {
    "quick": [{"d": 64, "N": 8, "b": 0.7, "s": s} for s in (1.5, 2.0)],
    "standard": [{"d": d, "N": N, "b": 0.7, "s": s} for d, N in ((64, 8), (128, 16)) for s in (1.5, 2.0)],
}
MANY: Grid = {
    "quick": [{"d": 64, "N": N, "b": 0.5, "s": 1.0} for N in (64, 128)],
    "standard": [{"d": d, "N": N, "b": 0.5, "s": s} for d in (64, 128) for N in (d, 2 * d) for s in (1.0, 2.0)],
}
LEARNING: Grid = {
    "quick": [{"d": 16, "N": 32, "b": 0.5}],
    "standard": [{"d": d, "N": N, "b": 0.5} for d, N in ((16, 32), (24, 48), (32, 64))],
}
for grid in (CAPACITY, SILENT, NOISE, COST, FEW, MANY, LEARNING):
    grid["paper"] = grid["standard"]


def bias(params: Mapping[str, Any]) -> dict[str, Any]:
    """d and b alone."""
    return {"d": params["d"], "b": params["b"]}


CLAIM = Claim(
    id="lookup-mlp",
    simulation="The layer is formed and asked about all of its items. Its warnings: operations counted while it answers; noisy "
    "inputs given to it and to a linear memory of the same items; steps of training from random neurons against those of a "
    "matrix.",
    parts=(
        part(
            "source",
            kind="capacity",
            law=laws["lookup-mlp"],
            experiment=lookup_recall_experiment,
            statement="All items are right beyond exp(d b^2/4) of them: exponentially many in d.",
            grid=CAPACITY,
            replicas={"quick": 64, "standard": 128, "paper": 512},
            to_law=bias,
            size="N",
            threshold=0.5,
            margin=0.1,
        ),
        part(
            "silent",
            kind="identity",
            law=laws["lookup-mlp:silent"],
            experiment=lookup_silence_experiment,
            statement="No other neuron fires with the probability that N - 1 inner products give.",
            grid=SILENT,
            replicas={"quick": 16384, "standard": 16384, "paper": 65536},
            margin=0.02,
        ),
        part(
            "cost",
            kind="identity",
            law=laws["lookup-mlp:cost"],
            experiment=lookup_cost_experiment,
            statement="An answer takes 2 N/d times the operations of a linear memory.",
            grid=COST,
            replicas=dict.fromkeys(("quick", "standard", "paper"), 2),
            margin=0.02,
        ),
        part(
            "noise",
            kind="identity",
            law=laws["lookup-mlp:noise"],
            experiment=lookup_silenced_experiment,
            statement="Noise of size s silences the right neuron with the probability of a normal tail.",
            grid=NOISE,
            replicas={"quick": 8192, "standard": 16384, "paper": 65536},
            margin=0.02,
        ),
        part(
            "noise-few",
            kind="order",
            law=laws["lookup-mlp:noise-source"],
            experiment=lookup_noise_experiment,
            statement="With few items, N << d, and b = 0.7 noise makes it lose more items than a linear memory.",
            grid=FEW,
            replicas={"quick": 32, "standard": 48, "paper": 64},
        ),
        part(
            "noise-many",
            kind="order",
            law=laws["lookup-mlp:noise-source"],
            experiment=lookup_noise_experiment,
            statement="With as many items as dimensions noise makes it lose more items than a linear memory.",
            grid=MANY,
            replicas={"quick": 32, "standard": 48, "paper": 64},
            erratum=laws["lookup-mlp:noise-source"].errata[0],
        ),
        part(
            "learning",
            kind="order",
            law=laws["lookup-mlp:learning"],
            experiment=learning_steps_experiment,
            statement="Trained from random neurons it takes more steps than a linear memory.",
            grid=LEARNING,
            replicas={"quick": 24, "standard": 32, "paper": 64},
        ),
    ),
)
