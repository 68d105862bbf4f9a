"""error-map: the error over dimensions and samples, for equal weights and for weights that count."""

from collections.abc import Mapping
from typing import Any

from asymp.montecarlo.recall.error import recall_error_experiment
from asymp.montecarlo.recall.fill_ratio import fill_ratio_experiment
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

# Runs of an order: 2^-24 is below the share of any point, so that the reverse order would be refuted.
RUNS = {"quick": 24, "standard": 32, "paper": 32}
FIGURE: dict[str, Any] = {"alpha": 0.5, "N": 100, "M": 5}


def cell(d: int, T: int, rho: int) -> dict[str, Any]:
    """A point of the figure's map, by the route that shares nothing with the exact law."""
    return {**FIGURE, "d": d, "T": T, "rho": rho, "route": "factored"}


def spaced(low: int, high: int, count: int) -> list[int]:
    """Whole numbers in equal ratios."""
    return sorted({round(low * (high / low) ** (j / (count - 1))) for j in range(count)})


MAP = {
    "quick": [cell(30, 100, 0), cell(100, 1000, 0), cell(30, 1000, 1), cell(100, 100, 1)],
    "standard": [
        *(cell(d, T, rho) for rho in (0, 1) for d in (10, 30, 100) for T in (20, 100, 1000, 10_000)),
        *(cell(200, T, rho) for rho in (0, 1) for T in (100, 10_000)),
    ],
    "paper": [cell(d, T, rho) for rho in (0, 1) for d in spaced(5, 200, 30) for T in spaced(10, 10_000, 30)],
}


def replicas(params: Mapping[str, Any]) -> int:
    """For a standard error of about 0.4 %, that of the law's own numbers: a small error fluctuates more."""
    return 1024 if params["d"] < 70 else 5120 if params["d"] < 150 else 20480


def quick_replicas(params: Mapping[str, Any]) -> int:
    """Three fifths of them from d = 70 on: 0.5 %."""
    return 1024 if params["d"] < 70 else 3072


def ratio(d: int, T: int) -> dict[str, Any]:
    """Both weights at a point of the map; 400 memories a run put the errors' ratio within 1 %."""
    return {**FIGURE, "d": d, "T": T, "rho": 1, "memories": 400}


SMALL = {"quick": [ratio(10, 5000)], "standard": [ratio(d, T) for d in (5, 10, 20) for T in (2000, 10_000)]}
LARGE = {"quick": [ratio(200, 1000)], "standard": [ratio(d, T) for d in (100, 200) for T in (100, 1000, 10_000)]}
for grid in (SMALL, LARGE):
    grid["paper"] = grid["standard"]

CLAIM = Claim(
    id="error-map",
    simulation="T samples of 100 inputs, Zipf with alpha = 0.5, and five outputs, as in the source's figure; all embeddings are "
    "drawn. Orders: a run is the ratio of the two schemes' errors, on 400 memories each.",
    parts=(
        part(
            "sharp",
            kind="constant",
            law=laws["error-map"],
            experiment=recall_error_experiment,
            statement="The exact law gives both maps of the figure, equal weights and weights that count, with no parameter.",
            grid=MAP,
            replicas={"quick": quick_replicas, "standard": replicas, "paper": replicas},
            margin=0.02,
            x_axis="d",
        ),
        part(
            "small-dimension",
            kind="order",
            law=laws["error-map:small-dimension"],
            experiment=fill_ratio_experiment,
            statement="With few dimensions and many samples weights that count err less than equal weights.",
            grid=SMALL,
            replicas=RUNS,
            x_axis="d",
        ),
        part(
            "large-dimension",
            kind="order",
            law=laws["error-map:large-dimension"],
            experiment=fill_ratio_experiment,
            statement="With many dimensions they err more: rare inputs get too little.",
            grid=LARGE,
            replicas=RUNS,
            x_axis="d",
        ),
    ),
)
