"""fill-is-best: equal weights against weights by frequency, with enough capacity and without."""

import math
from functools import partial
from typing import Any

from asymp.montecarlo.samplers.scaling.fill_is_best import fill_ratio_experiment, recall_error_experiment
from asymp.reports.declaring import Bound, Cell, Claim, Grid, Order, few_draws, laws, settings


def cell(alpha: float, d: int, rho: float, memories: int = 250) -> dict[str, Any]:
    """The source's figure: N = 100 inputs and M = 5 outputs, so that d M/N = d/20."""
    return {"alpha": alpha, "N": 100, "M": 5, "d": d, "rho": rho, "memories": memories}


def edge(cell: Cell) -> float:
    """The number of dimensions at which equal weights are as good as weights p^rho."""
    crossover = laws["fill-is-best:crossover"](**{name: cell[name] for name in ("alpha", "N", "M", "rho")})
    return float(crossover * cell["N"] / cell["M"])


def above_the_crossover(cell: Cell) -> Cell:
    """Half as many dimensions again as equal weights need to be better, or up to three times as many."""
    return {**cell, "d": math.ceil((1.5 + cell["d"] % 4 / 2) * edge(cell))}


def below_the_crossover(cell: Cell) -> Cell:
    """At most half of the dimensions at which equal weights are as good, and at least a tenth."""
    return {**cell, "d": max(2, math.floor((0.1 + 0.1 * (cell["d"] % 5)) * edge(cell)))}


SMALL_FIGURE: dict[str, tuple[float, float] | None] = {"N": (20, 200), "M": (2, 20)}


order = partial(Order, below=laws["fill-is-best:source"], experiment=fill_ratio_experiment, x_axis="d")

CLAIM = Claim(
    id="fill-is-best",
    title="Are equal weights the best?",
    source="bietti2025, bietti2024",
    order=13,
    parts=(
        order(
            "source",
            "In a memory with enough capacity, d M/N above a crossover, equal weights err less than weights p or p^(1/2), in at "
            "least three of four runs.",
            # Crossovers in d are at about 40 (alpha = 0.5), 50 (1) and 150 (2) against rho = 1, at 140 (alpha = 1) against
            # rho = 1/2. Where the errors are within a factor 2, 250 memories tell them apart by ten standard errors of a run.
            grid=Grid([cell(0.5, 100, 1), cell(1, 100, 1), cell(2, 300, 1), cell(1, 240, 0.5, 600)]),
            draw=few_draws(
                4,
                8,
                reason="'with enough capacity': d above the crossover",
                ranges=SMALL_FIGURE,
                fit=above_the_crossover,
            ),
        ),
        order(
            "source-overflow",
            "Below that crossover, too, equal weights err less than weights p, in at least three of four runs.",
            grid=Grid([cell(1, 20, 1), cell(2, 20, 1), cell(2, 60, 1)]),
            erratum=laws["fill-is-best:source"].errata[0],
            draw=few_draws(4, 8, reason="d below the crossover", ranges=SMALL_FIGURE, fit=below_the_crossover),
        ),
        order(
            "source-small-power",
            "With enough capacity equal weights also err less than weights p^rho with a small rho, in at least three of four "
            "runs.",
            # Enough capacity: equal weights err on 5 % (d = 200) and 0.3 % (d = 400) of the inputs.
            grid=Grid([cell(1, 200, 0.1, 600), cell(2, 200, 0.1), cell(2, 400, 0.05, 600)]),
            erratum=laws["fill-is-best:source"].errata[1],
            draw=few_draws(4, 8, reason="d below the crossover", ranges=SMALL_FIGURE, fit=below_the_crossover),
        ),
        Bound(
            "sharp",
            "No weights p^rho do better than a lower bound that falls like exp(-d R); the rate R is largest for equal weights.",
            law=laws["fill-is-best:lower"],
            experiment=recall_error_experiment,
            grid=Grid(settings(alpha=1, N=16, M=4, rho=(0, 0.5, 1), d=(16, 48), outputs="sphere")),
            x_axis="d",
        ),
    ),
)
