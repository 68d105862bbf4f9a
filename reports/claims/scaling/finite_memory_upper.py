"""finite-memory-upper: what the interference of a memory of dimension d can cost at most."""

import math
from typing import Any

from asymp.montecarlo.samplers.scaling.finite_memory_upper import recall_error_experiment
from asymp.reports.declaring import Bound, Cell, Claim, Grid, laws


def cell(alpha: float, N: float, M: int, d: int, rho: float, **more: Any) -> Cell:
    """A memory with gaussian inputs and outputs on the sphere."""
    return {"alpha": alpha, "N": N, "M": M, "d": d, "rho": rho, **more, "inputs": "gaussian", "outputs": "sphere"}


# M >= 4, d > 8 log M, and the bound below one: thresholds (where it is closest), power weights, fill with d = 20 N.
SOURCE = [
    cell(1.5, 1000, 10, 1000, 0, P=20),
    cell(2, 1000, 5, 200, 1),
    cell(2, math.inf, 5, 5000, 1),
    cell(1.5, 400, 4, 200, 0.5),
    cell(1.5, 400, 4, 5000, 0.5),
    cell(2, 200, 8, 1000, 0.5),
    cell(1, 50, 4, 1000, 0),
]
# Any M >= 2 and d >= 2.
SHARP = [
    cell(2, 1000, 5, 200, 1),
    cell(2, math.inf, 5, 5000, 1),
    cell(1.5, 400, 4, 200, 0.5),
    cell(1.5, 1000, 10, 1000, 0, P=20),
    cell(2, 200, 8, 32, 0.5),
    cell(1, 100, 2, 16, 0.5),
    cell(1, 60, 3, 100, 0),
    cell(1, 200, 10, 200, 0.25),
]

CLAIM = Claim(
    id="finite-memory-upper",
    title="Upper bound at finite memory",
    source="cabannes2024, Theorem 1",
    order=2,
    parts=(
        Bound(
            "source",
            "The error is at most the probability of the inputs whose weight does not stand out from the noise, and a "
            "small term: inf_g 2 d^-g + p{x: d q^2 <= 16 c (Q + 8 c |q|^2/d)}, where c = log M + g log d.",
            law=laws["finite-memory-upper:source"],
            experiment=recall_error_experiment,
            grid=Grid(SOURCE),
        ),
        Bound(
            "sharp",
            "The error is at most a union bound over pairs of answers, with the exponential rate of each pair, for "
            "every M and d.",
            law=laws["finite-memory-upper"],
            experiment=recall_error_experiment,
            grid=Grid(SHARP),
        ),
    ),
)
