"""optimal-scheme: the best weights that a memory can have leave an error of c*(alpha, M) d^(1-alpha), without a logarithm."""

from typing import Any

from asymp.montecarlo.samplers.scaling.optimal_scheme import scheme_error_experiment
from asymp.reports.claim import Claim
from asymp.reports.grid import Grid, rows, settings
from asymp.reports.kinds import Bound, Constant, Rate
from asymp.reports.kinds.drawing import few_draws
from asymp.theory import laws

# The best weights, which the experiment finds by itself.
BEST = Grid(rows("alpha M d", (1.5, 2, 1000), (1.25, 3, 10_000), weights="best"))
SCHEMES: tuple[dict[str, Any], ...] = (
    {"rho": 0.1, "k": 0.47, "growth": "linear"},
    {"rho": 0, "k": 1.25, "growth": "log"},
    {"rho": 0.5},
    {"rho": 1},
    {"rho": 0, "k": 0.125, "growth": "linear"},
)

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
        Constant(
            "sharp",
            "The best weights leave the error that the optimisation promises in many dimensions.",
            law=laws["optimal-scheme"],
            experiment=scheme_error_experiment,
            grid=BEST,
            margin=0.05,
            draw=few_draws(4, 100),
        ),
        Constant(
            "constant",
            "With the best weights the error is c*(alpha, M) d^(1-alpha), without a logarithm; c*(2, 5) = 1.2655.",
            law=laws["optimal-scheme:asymptotic"],
            experiment=scheme_error_experiment,
            grid=BEST,
            margin=0.05,
            draw=few_draws(2, 100),
        ),
        Bound(
            "least",
            "No other scheme does better: equal weights on the best number of inputs, power weights, power weights "
            "with a threshold.",
            law=laws["optimal-scheme:least"],
            experiment=scheme_error_experiment,
            grid=Grid([{"alpha": 1.5, "M": 5, "d": 1000, **scheme} for scheme in SCHEMES]),
            draw=few_draws(22, 100),
        ),
        Constant(
            "source-best",
            "Nothing is better than to store the most frequent inputs only: the error of the best weights is that of "
            "the best number of equal ones.",
            law=laws["optimal-scheme:source"],
            experiment=scheme_error_experiment,
            grid=BEST,
            margin=0.05,
            erratum=laws["optimal-scheme:source"].errata[0],
            draw=few_draws(2, 100),
        ),
    ),
)
