"""fill-is-best: equal weights against weights by frequency, with enough capacity and without."""

from typing import Any

from asymp.montecarlo.recall.error import recall_error_experiment
from asymp.montecarlo.recall.fill_ratio import fill_ratio_experiment
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

# Runs of an order: 2^-24 is below the share of any point, so that the reverse order would be refuted.
RUNS = {"quick": 24, "standard": 32, "paper": 32}


def cell(alpha: float, d: int, rho: float, memories: int = 250) -> dict[str, Any]:
    """The source's figure: N = 100 inputs and M = 5 outputs, so that d M/N = d/20."""
    return {"alpha": alpha, "N": 100, "M": 5, "d": d, "rho": rho, "memories": memories}


# Crossovers in d are at about 40 (alpha = 0.5), 50 (1) and 150 (2) against rho = 1, at 140 (alpha = 1) against rho = 1/2.
# Where the errors are within a factor 2, 250 memories tell them apart by ten standard errors of a run.
ABOVE = {
    "quick": [cell(0.5, 100, 1), cell(1, 100, 1), cell(2, 300, 1), cell(1, 240, 0.5, 600)],
    "standard": [
        *(
            cell(alpha, d, 1, 1000)
            for alpha, ds in ((0.5, (80, 100, 200)), (1, (100, 200)), (2, (250, 300)))
            for d in ds
        ),
        cell(1, 240, 0.5, 2000),
        cell(2, 400, 0.5, 4000),
    ],
}
BELOW = {
    "quick": [cell(1, 20, 1), cell(2, 20, 1), cell(2, 60, 1)],
    "standard": [cell(1, 20, 1, 1000), *(cell(2, d, 1, 1000) for d in (20, 60, 100)), cell(3, 150, 1, 1000)],
}
# Enough capacity: equal weights err on 5 % (d = 200) and 0.3 % (d = 400) of the inputs.
SMALL = {
    "quick": [cell(1, 200, 0.1, 600), cell(2, 200, 0.1), cell(2, 400, 0.05, 600)],
    "standard": [
        cell(1, 200, 0.1, 2000),
        cell(1, 400, 0.1, 10_000),
        cell(2, 200, 0.1, 1000),
        cell(2, 400, 0.05, 2000),
        cell(2, 400, 0.1, 2000),
    ],
}
LOWER = {
    "quick": [
        {"alpha": 1, "N": 16, "M": 4, "d": d, "rho": rho, "outputs": "sphere"} for rho in (0, 0.5, 1) for d in (16, 48)
    ],
    "standard": [
        {"alpha": alpha, "N": 16, "M": M, "d": d, "rho": rho, "outputs": "sphere"}
        for alpha, M in ((1, 4), (2, 4), (0.5, 8))
        for rho in (0, 0.2, 0.5, 1)
        for d in (16, 48)
    ],
}
for grid in (ABOVE, BELOW, SMALL, LOWER):
    grid["paper"] = grid["standard"]

CLAIM = Claim(
    id="fill-is-best",
    simulation="A run measures the errors of equal weights and of weights p^rho, on hundreds of memories each, and takes their "
    "ratio. Everything is seen (T infinite).",
    parts=(
        part(
            "source",
            kind="order",
            law=laws["fill-is-best:source"],
            experiment=fill_ratio_experiment,
            statement="With enough capacity, d M/N above the crossover, equal weights err less than weights p or p^(1/2).",
            grid=ABOVE,
            replicas=RUNS,
            x_axis="d",
        ),
        part(
            "source-overflow",
            kind="order",
            law=laws["fill-is-best:source"],
            experiment=fill_ratio_experiment,
            statement="Equal weights err less than weights p below the crossover, too.",
            grid=BELOW,
            replicas=RUNS,
            erratum=laws["fill-is-best:source"].errata[0],
            x_axis="d",
        ),
        part(
            "source-small-power",
            kind="order",
            law=laws["fill-is-best:source"],
            experiment=fill_ratio_experiment,
            statement="With enough capacity equal weights err less than weights p^rho with a small rho, too.",
            grid=SMALL,
            replicas=RUNS,
            erratum=laws["fill-is-best:source"].errata[1],
            x_axis="d",
        ),
        part(
            "sharp",
            kind="bound",
            law=laws["fill-is-best:lower"],
            experiment=recall_error_experiment,
            statement="Weights p^rho lose at least what every input loses to one other output; the rarest input's part falls like "
            "exp(-d R), with a rate R that is largest for equal weights.",
            grid=LOWER,
            replicas={"quick": 2000, "standard": 40_000, "paper": 40_000},
            x_axis="d",
        ),
    ),
)
