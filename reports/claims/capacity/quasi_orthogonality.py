"""quasi-orthogonality: how nearly orthogonal P unit vectors of R^d can be, and how random ones do."""

import math
from functools import partial

from asymp.montecarlo.samplers.capacity.quasi_orthogonality import directions_experiment, largest_product_experiment
from asymp.reports.declaring import Bound, Claim, Constant, Grid, Rate, Setting, laws, rows, settings

# Half a pair beyond t is expected, give or take: there the union bound and the Poisson law differ by several standard errors.
TAILS = Grid(rows("P d epsilon", (32, 32, 0.55), (64, 64, 0.45)))


def tail(params: Setting) -> Setting:
    """The values of a law of the largest product."""
    return {**params, "t": params["epsilon"]}


largest = partial(
    Bound,
    experiment=largest_product_experiment,
    grid=Grid(rows("P d", (8, 16), (32, 64), (300, 32), (300, 128))),
    x_axis="P",
)

CLAIM = Claim(
    id="quasi-orthogonality",
    title="Unit vectors that are nearly orthogonal",
    source="cabannes2024, Lemma 1",
    order=13,
    parts=(
        largest(
            "source",
            "There are P unit vectors with all |u_i . u_j| <= 2 sqrt(log P/d): random ones satisfy it on average.",
            law=laws["quasi-orthogonality:source"],
        ),
        Rate(
            "exponent",
            "The largest inner product of P random unit vectors falls like d^(-1/2).",
            law=laws["quasi-orthogonality:source"],
            experiment=largest_product_experiment,
            grid=Grid(settings(P=16, d=tuple(2**k for k in range(5, 14)))),
            variable="d",
        ),
        largest(
            "sharp",
            "The mean of the largest product of random vectors is below sqrt(1 - P^(-4/(d-1))).",
            law=laws["quasi-orthogonality"],
        ),
        Bound(
            "probability",
            "Random vectors are as orthogonal as the lemma asks with probability at least 1/P.",
            law=laws["quasi-orthogonality:probability"],
            experiment=directions_experiment,
            # with the bound of the lemma
            grid=Grid(
                [{"P": P, "d": d, "epsilon": 2 * math.sqrt(math.log(P) / d)} for P, d in ((2, 8), (4, 16), (16, 64))]
            ),
            x_axis="P",
        ),
        Bound(
            "union",
            "All inner products are below t with at least the probability that a union bound with the exact tail gives.",
            law=laws["quasi-orthogonality:random"],
            experiment=directions_experiment,
            grid=TAILS,
            to_law=tail,
            x_axis="epsilon",
        ),
        Constant(
            "law-of-maximum",
            "The largest inner product is distributed as if the pairs were independent (a Poisson limit).",
            law=laws["quasi-orthogonality:maximum"],
            experiment=directions_experiment,
            grid=TAILS,
            to_law=tail,
            x_axis="epsilon",
        ),
    ),
)
