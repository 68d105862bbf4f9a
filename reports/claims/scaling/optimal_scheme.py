"""optimal-scheme: the best weights that a memory can have leave an error of c*(alpha, M) d^(1-alpha), without a logarithm."""

from functools import partial
from typing import Any

from asymp.montecarlo.samplers.scaling.optimal_scheme import scheme_error_experiment
from asymp.reports.declaring import Bound, Claim, Constant, Grid, Rate, few_draws, laws, rows, settings

# The best weights, which the experiment finds by itself.
BEST = Grid(rows("alpha M d", (1.5, 2, 1000), (1.25, 3, 10_000), weights="best"))
SCHEMES: tuple[dict[str, Any], ...] = (
    {"rho": 0.1, "k": 0.47, "growth": "linear"},
    {"rho": 0, "k": 1.25, "growth": "log"},
    {"rho": 0.5},
    {"rho": 1},
    {"rho": 0, "k": 0.125, "growth": "linear"},
)

constant = partial(Constant, experiment=scheme_error_experiment, grid=BEST, margin=0.05)

CLAIM = Claim(
    id="optimal-scheme",
    title="The best weights",
    source="bietti2025, summary of the scaling laws",
    order=7,
    parts=(
        Rate(
            "source",
            "Storing the most frequent inputs only, of the order of d/log d of them, leaves an error that falls like "
            "d^(1-alpha) up to a logarithm.",
            law=laws["optimal-scheme:source"],
            experiment=scheme_error_experiment,
            # Half of the best number of equal weights: the stored inputs' own error is of higher order, and only a log is left.
            grid=Grid(settings(alpha=1.5, M=5, d=tuple(10**k for k in range(5, 13)), **SCHEMES[1])),
            variable="d",
            families=("log",),
            draw=few_draws(1, 100),
        ),
        constant(
            "sharp",
            "In many dimensions the error of the best weights is the least that an optimisation over the inputs' "
            "margins finds.",
            law=laws["optimal-scheme"],
            draw=few_draws(4, 100),
        ),
        constant(
            "constant",
            "With the best weights the error is c*(alpha, M) d^(1-alpha), without a logarithm; c*(2, 5) = 1.2655.",
            law=laws["optimal-scheme:asymptotic"],
            draw=few_draws(2, 100),
        ),
        Bound(
            "least",
            "No other scheme does better than the best weights: neither equal weights on the best number of inputs, "
            "nor powers of p, with or without a threshold.",
            law=laws["optimal-scheme:least"],
            experiment=scheme_error_experiment,
            grid=Grid([{"alpha": 1.5, "M": 5, "d": 1000, **scheme} for scheme in SCHEMES]),
            draw=few_draws(22, 100),
        ),
        constant(
            "source-best",
            "Equal weights on the best number of the most frequent inputs have the same error as the best weights.",
            law=laws["optimal-scheme:source"],
            erratum=laws["optimal-scheme:source"].errata[0],
            draw=few_draws(2, 100),
        ),
    ),
)
