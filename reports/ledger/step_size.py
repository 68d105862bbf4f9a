"""step-size: large steps with batch one fill the memory evenly; a small memory wants smaller steps late in training."""

from collections.abc import Mapping
from typing import Any

from asymp.montecarlo.train.comparisons import training_ratio_experiment
from asymp.montecarlo.train.map_weights import weight_ratio_experiment
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

PRESETS = ("quick", "standard", "paper")
ONCE = dict.fromkeys(PRESETS, 4)
RUNS = {"quick": 24, "standard": 48, "paper": 48}
SHARED: dict[str, Any] = {"alpha": 2.0, "N": 100, "M": 5, "batch": 1, "init": "zero", "memories": 20}


def even(gamma: float, n: int, M: int = 5) -> dict[str, Any]:
    """An input seen n times against one seen once."""
    return {"gamma": gamma, "M": M, "n": n, "written": "target"}


def sizes(params: Mapping[str, Any]) -> dict[str, Any]:
    """The limit of an order is the same at every size."""
    return {"d": params["d"], "N": params["N"]}


EVEN = [even(gamma, n) for gamma in (10.0, 20.0) for n in (2, 10)]
UNEVEN = [even(10.0, 500), even(10.0, 2000)]
MAP = [even(gamma, n, M) for gamma in (0.1, 1.0, 10.0) for n in (2, 20, 200) for M in (2, 5)]
WIDE = {
    "quick": [{**SHARED, "d": 1000, "T": 500, "first": {"lr": 10.0}, "second": {"lr": 0.1}}],
    "standard": [
        {**SHARED, "d": d, "T": T, "first": {"lr": 10.0}, "second": {"lr": lr}}
        for d, T in ((1000, 500), (10_000, 2000))
        for lr in (0.1, 1.0)
    ],
}
LATE = {
    "quick": [{**SHARED, "d": 10, "T": 1000, "lr": 10.0, "first": {"late": 0.1}, "second": {}}],
    "standard": [
        {**SHARED, "d": d, "T": T, "lr": 10.0, "first": {"late": 0.1}, "second": {}}
        for d in (10, 30)
        for T in (1000, 5000)
    ],
}
for grid in (WIDE, LATE):
    grid["paper"] = grid["standard"]

CLAIM = Claim(
    id="step-size",
    simulation="Weights: an input shown n times with steps of size gamma, orthonormal embeddings, automatic differentiation. "
    "Orders: SGD with batch one on gaussian embeddings from W = 0; a run is a ratio of two mean errors over 20 memories each.",
    parts=(
        part(
            "source",
            kind="constant",
            law=laws["step-size:source"],
            experiment=weight_ratio_experiment,
            statement="With large steps an input seen a few times has the weight of one seen once: q ~ 1.",
            grid=dict.fromkeys(PRESETS, EVEN),
            replicas=ONCE,
            margin=0.05,
        ),
        part(
            "sharp",
            kind="identity",
            law=laws["step-size"],
            experiment=weight_ratio_experiment,
            statement="The unevenness of the weights is that of the map.",
            grid=dict.fromkeys(PRESETS, MAP),
            replicas=ONCE,
            margin=1e-9,
        ),
        part(
            "large",
            kind="order",
            law=laws["step-size:large"],
            experiment=training_ratio_experiment,
            statement="Where d >> N, steps of 10 have no larger error than steps of 1 or 0.1.",
            grid=WIDE,
            replicas=RUNS,
            to_law=sizes,
        ),
        part(
            "late",
            kind="order",
            law=laws["step-size:late"],
            experiment=training_ratio_experiment,
            statement="Where d <= N, steps a tenth as large in the second half have no larger error than constant ones.",
            grid=LATE,
            replicas=RUNS,
            to_law=sizes,
        ),
        part(
            "source-often",
            kind="constant",
            law=laws["step-size:source"],
            experiment=weight_ratio_experiment,
            statement="The same for an input that is seen hundreds of times, beyond the plateau.",
            grid=dict.fromkeys(PRESETS, UNEVEN),
            replicas=ONCE,
            margin=0.05,
            erratum=laws["step-size:source"].errata[0],
        ),
    ),
)
