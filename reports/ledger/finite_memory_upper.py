"""finite-memory-upper: what the interference of a memory of dimension d can cost at most."""

import math
from typing import Any

from asymp.montecarlo.recall.error import recall_error_experiment
from asymp.reports.declare import Claim, part
from asymp.reports.sized import Cell
from asymp.theory import laws

__all__ = ["CLAIM"]

PRESETS = ("quick", "standard", "paper")
REPLICAS = {"quick": 1000, "standard": 8000, "paper": 32_000}


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
    simulation="Memories with gaussian inputs and outputs on the sphere; a replica's error is the probability of the "
    "inputs whose largest score is not that of their target.",
    parts=(
        part(
            "source",
            kind="bound",
            law=laws["finite-memory-upper:source"],
            experiment=recall_error_experiment,
            statement="The error is at most inf_g 2 d^-g + p{x: d q^2 <= 16 c (Q + 8 c |q|^2/d)}, c = log M + g log d.",
            grid=dict.fromkeys(PRESETS, SOURCE),
            replicas=REPLICAS,
        ),
        part(
            "sharp",
            kind="bound",
            law=laws["finite-memory-upper"],
            experiment=recall_error_experiment,
            statement="A union over pairs of outputs, with the exponential rate of each pair, bounds the error more closely, for "
            "every M and d.",
            grid=dict.fromkeys(PRESETS, SHARP),
            replicas=REPLICAS,
        ),
    ),
)
