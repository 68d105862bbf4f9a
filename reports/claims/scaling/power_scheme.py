"""power-scheme: weights q = p^rho on all inputs leave an error of (d/phi(N))^(-(alpha-1)/(2 rho alpha))."""

import math
from functools import partial
from typing import Any

from asymp.montecarlo.samplers.scaling.power_scheme import recall_error_experiment, scheme_error_experiment
from asymp.reports.claims.draws import EXACT_COSTS
from asymp.reports.declaring import Bound, Cell, Claim, Constant, Grid, Identity, Rate, few_draws, laws


def power(alpha: float, rho: float, M: int, d: int, N: float = math.inf, **more: Any) -> Cell:
    """A cell: all of N inputs are stored with the weights p^rho."""
    return {"alpha": alpha, "rho": rho, "M": M, "d": d, "N": N, **more}


rate = partial(Rate, law=laws["power-scheme:source"], experiment=scheme_error_experiment)
constant = partial(Constant, experiment=scheme_error_experiment, x_axis="d")

CLAIM = Claim(
    id="power-scheme",
    title="Power weights on all inputs",
    source="cabannes2024, Proposition 2",
    order=5,
    parts=(
        rate(
            "source",
            "With weights p^rho on all inputs and 2 rho alpha > 1 the error falls like d^(-(alpha-1)/(2 rho alpha)).",
            # The cost hardly grows with d: eight decades.
            grid=Grid(
                [
                    power(alpha, rho, M, 10**k)
                    for alpha, rho, M in ((2, 1, 5), (1.5, 0.5, 2), (3, 0.5, 3))
                    for k in range(2, 11)
                ]
            ),
            variable="d",
            draw=few_draws(2, 100),
        ),
        Identity(
            "sharp",
            "The error equals the exact law at finite d, also where N is finite and the power law has ended.",
            law=laws["power-scheme"],
            experiment=scheme_error_experiment,
            grid=Grid([power(2, 1, 5, 100), power(1.5, 0.5, 3, 100, 200)]),
            draw=few_draws(3, reason=EXACT_COSTS, ranges={"M": (2, 8)}),
        ),
        constant(
            "constant",
            "In many dimensions the constant of this power law is known: it is an expectation over the classes, which are of "
            "unequal size.",
            law=laws["power-scheme:asymptotic"],
            grid=Grid([power(2, 1, 5, 1000), power(2, 1, 2, 10_000), power(1.5, 1, 4, 100_000)]),
            margin=0.05,
        ),
        constant(
            "binary",
            "With two answers on the sphere the constant is a moment of a beta variable, which is right from d = 100 on.",
            law=laws["power-scheme:binary"],
            grid=Grid([power(2, 1, 2, 100, outputs="sphere")]),
            margin=0.02,
        ),
        rate(
            "source-border",
            "At 2 rho alpha = 1 and N = 1e15 the error falls like (d/log N)^(-(alpha-1)).",
            # Below and at 2 rho alpha = 1 the sum of q^2 grows with N, and a power law shows where it is far from either end:
            # from some dozens of recalled inputs to a share of N that is still small.
            grid=Grid([power(1.5, 1 / 3, 5, 10**k, 10**15) for k in range(3, 11)]),
            variable="d",
            draw=few_draws(1, 100),
        ),
        rate(
            "source-below",
            "For 2 rho alpha < 1 and N = 1e15 the error falls like d^(-(alpha-1)/(2 rho alpha)).",
            grid=Grid([power(1.5, 4 / 15, 5, 10**k, 10**15) for k in range(5, 11)]),
            variable="d",
            draw=few_draws(1, 100),
        ),
        rate(
            "source-inputs",
            "For 2 rho alpha < 1 the error grows with the number N of inputs, like N^((alpha-1)(1 - 2 rho alpha)/(2 rho "
            "alpha)).",
            grid=Grid([power(1.5, 1 / 6, 5, 10**9, 10**k) for k in range(11, 16)]),
            variable="N",
            draw=few_draws(1, 100),
        ),
        Bound(
            "source-ended",
            "With finitely many inputs the error goes on falling like (d/phi(N))^(-(alpha-1)/(2 rho alpha)), and no faster, when d "
            "grows beyond N^(2 rho alpha).",
            law=laws["power-scheme:source"],
            experiment=scheme_error_experiment,
            # With N = 20 and rho = 1, alpha = 2 every input is recalled from d ~ N^4 on.
            grid=Grid([power(2, 1, 5, d, 20) for d in (4000, 200_000)]),
            along="d",
            erratum=laws["power-scheme:source"].errata[0],
            x_axis="d",
            draw=few_draws(2, reason=EXACT_COSTS),
        ),
        Bound(
            "source-samples",
            "With the counts of T samples as weights the error is at most of the order T^(-1+1/alpha) + d^(-(alpha-1)/(2 alpha)).",
            law=laws["power-scheme:samples"],
            experiment=recall_error_experiment,
            # wide enough in d for a bound of twice the exponents to be broken: see the mutation tests
            grid=Grid([power(2, 1, 5, d, T=T) for T in (100, 1000) for d in (100, 1000, 10_000, 100_000)]),
            along="d",
        ),
    ),
)
