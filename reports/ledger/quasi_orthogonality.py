"""quasi-orthogonality: how nearly orthogonal P unit vectors of R^d can be, and how random ones do."""

import math
from collections.abc import Mapping
from typing import Any

from asymp.montecarlo.capacities.largest_product import largest_product_experiment
from asymp.montecarlo.scores.near_orthogonality import directions_experiment
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

Grid = dict[str, list[dict[str, Any]]]

LARGEST: Grid = {
    "quick": [{"P": P, "d": d} for P, d in ((8, 16), (32, 64), (300, 32), (300, 128))],
    "standard": [{"P": P, "d": d} for P, d in ((8, 16), (32, 64), (300, 16), (300, 128), (1000, 64), (1000, 256))],
}
RATE: Grid = {
    "quick": [{"P": 16, "d": 2**k} for k in range(5, 14)],
    "standard": [{"P": P, "d": 2**k} for P in (16, 64) for k in range(5, 15)],
}


def near(P: int, d: int) -> float:
    """The lemma's bound."""
    return 2 * math.sqrt(math.log(P) / d)


LEMMA: Grid = {
    "quick": [{"P": P, "d": d, "epsilon": near(P, d)} for P, d in ((2, 8), (4, 16), (16, 64))],
    "standard": [{"P": P, "d": d, "epsilon": near(P, d)} for P, d in ((2, 8), (2, 64), (4, 16), (16, 64), (64, 128))],
}
# Half a pair beyond t is expected, give or take: there the union bound and the Poisson law differ by several standard errors.
TAILS: Grid = {
    "quick": [{"P": P, "d": d, "epsilon": t} for P, d, t in ((32, 32, 0.55), (64, 64, 0.45))],
    "standard": [
        {"P": P, "d": d, "epsilon": t} for P, d, t in ((16, 16, 0.65), (32, 32, 0.55), (64, 64, 0.45), (256, 128, 0.37))
    ],
}
for grid in (LARGEST, RATE, LEMMA, TAILS):
    grid["paper"] = grid["standard"]


def sizes(params: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a law in P and d."""
    return {"P": params["P"], "d": params["d"]}


def tail(params: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a law of the largest product."""
    return {"P": params["P"], "d": params["d"], "t": params["epsilon"]}


CLAIM = Claim(
    id="quasi-orthogonality",
    simulation="P points drawn on the unit sphere, coordinate by coordinate; the largest |u_i . u_j|, or whether it is below t.",
    parts=(
        part(
            "source",
            kind="bound",
            law=laws["quasi-orthogonality:source"],
            experiment=largest_product_experiment,
            statement="P unit vectors with all |u_i . u_j| <= 2 sqrt(log P/d) exist: random ones are so on average.",
            grid=LARGEST,
            replicas={"quick": 256, "standard": 512, "paper": 512},
            x_axis="P",
        ),
        part(
            "exponent",
            kind="rate",
            law=laws["quasi-orthogonality:source"],
            experiment=largest_product_experiment,
            statement="The largest product of P random vectors decays with the exponent -1/2 in d.",
            grid=RATE,
            replicas={"quick": 256, "standard": 1024, "paper": 1024},
            variable="d",
            margin=0.05,
        ),
        part(
            "sharp",
            kind="bound",
            law=laws["quasi-orthogonality"],
            experiment=largest_product_experiment,
            statement="The mean of the largest product of random vectors is below sqrt(1 - P^(-4/(d-1))).",
            grid=LARGEST,
            replicas={"quick": 256, "standard": 512, "paper": 512},
            x_axis="P",
        ),
        part(
            "probability",
            kind="bound",
            law=laws["quasi-orthogonality:probability"],
            experiment=directions_experiment,
            statement="Random vectors are as orthogonal as the lemma asks with probability at least 1/P.",
            grid=LEMMA,
            replicas={"quick": 512, "standard": 2048, "paper": 2048},
            to_law=sizes,
            x_axis="P",
        ),
        part(
            "union",
            kind="bound",
            law=laws["quasi-orthogonality:random"],
            experiment=directions_experiment,
            statement="All products are below t with at least the probability of the union bound with the exact tail.",
            grid=TAILS,
            replicas={"quick": 4096, "standard": 8192, "paper": 8192},
            to_law=tail,
            x_axis="epsilon",
        ),
        part(
            "law-of-maximum",
            kind="constant",
            law=laws["quasi-orthogonality:maximum"],
            experiment=directions_experiment,
            statement="The largest product has the Poisson law of its pairs.",
            grid=TAILS,
            replicas={"quick": 4096, "standard": 8192, "paper": 8192},
            to_law=tail,
            margin=0.1,
            x_axis="epsilon",
        ),
    ),
)
