"""exact-recall-error: the error of a random associative memory, numerically exact at every finite dimension.

The d-free route uses the same fact as the law (overlaps are Gaussian given |e_x|), so that the law is judged against
memories that are formed and multiplied: the naive and the factored route only.
"""

import math
from collections.abc import Mapping
from typing import Any

from asymp.montecarlo.recall.error import recall_error_experiment
from asymp.reports.declare import Claim, part
from asymp.reports.sized import Sized, cells_of, replicas_of
from asymp.theory import laws

__all__ = ["CLAIM"]

# Infinitely many inputs are left to a standard check: a memory that is formed takes a row for each of a thousand.
# Within 2 % of the law two one-sided tests need about (233 cv)^2 replicas, cv the spread of a replica over its mean.
QUICK = [
    ({"alpha": 1, "N": 60, "M": 3, "d": 16, "rho": 0, "outputs": "gaussian", "route": "naive"}, 10_000),
    ({"alpha": 2, "N": 40, "M": 5, "d": 16, "rho": 1, "outputs": "sphere", "route": "naive"}, 12_000),
    ({"alpha": 0.5, "N": 100, "M": 5, "d": 50, "T": 200, "outputs": "sphere", "route": "naive"}, 3_000),
]
MORE = [
    ({"alpha": 2, "N": 100, "M": 5, "d": 32, "rho": 1, "outputs": "gaussian", "route": "naive"}, 40_000),
    ({"alpha": 0.5, "N": 100, "M": 5, "d": 50, "T": 200, "outputs": "gaussian", "route": "naive"}, 10_000),
    ({"alpha": 1.5, "N": 80, "M": 8, "d": 4, "rho": 0.5, "P": 30, "outputs": "gaussian", "route": "naive"}, 40_000),
    ({"alpha": 1.5, "N": 80, "M": 8, "d": 4, "rho": 0.5, "P": 30, "outputs": "sphere", "route": "naive"}, 40_000),
    ({"alpha": 1.5, "N": math.inf, "M": 4, "d": 24, "rho": 0.5, "outputs": "gaussian", "route": "naive"}, 10_000),
    ({"alpha": 1.5, "N": math.inf, "M": 4, "d": 24, "rho": 0.5, "outputs": "sphere", "route": "factored"}, 8_000),
    ({"alpha": 1, "N": 60, "M": 3, "d": 16, "rho": 0, "T": 50, "outputs": "gaussian", "route": "naive"}, 20_000),
]
SHARP: Sized = {"quick": QUICK, "standard": [(cell, 2 * n) for cell, n in QUICK] + MORE}
BINARY: Sized = {
    "quick": [
        ({"alpha": 1, "N": 60, "M": 2, "d": 16, "rho": 0.5, "outputs": "sphere", "route": "naive"}, 10_000),
        ({"alpha": 2, "N": 30, "M": 2, "d": 8, "rho": 1, "outputs": "sphere", "route": "naive"}, 30_000),
    ],
    "standard": [
        ({"alpha": 1, "N": 60, "M": 2, "d": 16, "rho": 0.5, "outputs": "sphere", "route": "naive"}, 40_000),
        ({"alpha": 2, "N": 30, "M": 2, "d": 8, "rho": 1, "outputs": "sphere", "route": "naive"}, 80_000),
        ({"alpha": 0.5, "N": 40, "M": 2, "d": 32, "rho": 0, "outputs": "sphere", "route": "naive"}, 40_000),
        ({"alpha": 1, "N": 60, "M": 2, "d": 2, "rho": 0.5, "outputs": "sphere", "route": "naive"}, 40_000),
    ],
}
# Equal weights and equal probabilities: every input has the same error, and its mean over inputs fluctuates little.
LIMIT: Sized = {
    "quick": [({"alpha": 0, "N": 500, "M": 5, "d": 200, "route": "factored"}, 400)],
    "standard": [
        ({"alpha": 0, "N": 500, "M": 5, "d": 200, "route": "factored"}, 2_000),
        ({"alpha": 0, "N": 500, "M": 5, "d": 400, "route": "factored"}, 2_000),
        ({"alpha": 0, "N": 400, "M": 2, "d": 400, "route": "factored"}, 3_000),
        ({"alpha": 0, "N": 1000, "M": 10, "d": 400, "route": "factored"}, 1_000),
    ],
}
SHORTCUT: Sized = {
    "quick": [
        ({"alpha": 0, "N": 20, "M": 5, "d": 60, "outputs": "gaussian", "route": "factored"}, 24_000),
        ({"alpha": 0, "N": 24, "M": 4, "d": 24, "outputs": "sphere", "route": "factored"}, 8_000),
    ],
    "standard": [
        ({"alpha": 0, "N": 20, "M": 5, "d": 60, "outputs": "gaussian", "route": "factored"}, 200_000),
        ({"alpha": 0, "N": 24, "M": 4, "d": 24, "outputs": "sphere", "route": "factored"}, 40_000),
        ({"alpha": 0, "N": 20, "M": 2, "d": 40, "outputs": "sphere", "route": "factored"}, 80_000),
        ({"alpha": 0, "N": 100, "M": 5, "d": 200, "outputs": "gaussian", "route": "factored"}, 20_000),
    ],
}


def one_input(params: Mapping[str, Any]) -> dict[str, Any]:
    """One of N equal weights: q = 1, S = N."""
    return {
        "q": 1,
        "d": params["d"],
        "S": params["N"],
        "M": params["M"],
        "outputs": params.get("outputs", "gaussian"),
    }


def its_class(params: Mapping[str, Any]) -> dict[str, Any]:
    """The same for the limit, whose S is that of a class."""
    return {"q": 1, "d": params["d"], "S": params["N"] / params["M"], "M": params["M"]}


CLAIM = Claim(
    id="exact-recall-error",
    simulation="Embeddings are drawn, the memory W is formed (or multiplied in factored order), every input is asked for; "
    "a replica's error is the probability of the inputs whose largest score is not that of their target.",
    parts=(
        part(
            "sharp",
            kind="identity",
            law=laws["exact-recall-error"],
            experiment=recall_error_experiment,
            statement="The error equals the Gaussian formula at finite d: with samples and without, with a threshold and "
            "without, for finite and infinite N, gaussian and sphere outputs.",
            grid=cells_of(SHARP),
            replicas=replicas_of(SHARP),
            margin=0.02,
        ),
        part(
            "binary",
            kind="identity",
            law=laws["exact-recall-error:binary"],
            experiment=recall_error_experiment,
            statement="With two outputs on the sphere the error is a sum of Student tails, in closed form.",
            grid=cells_of(BINARY),
            replicas=replicas_of(BINARY),
            margin=0.02,
        ),
        part(
            "limit",
            kind="constant",
            law=laws["exact-recall-error:asymptotic"],
            experiment=recall_error_experiment,
            statement="From d = 200 on, with balanced classes and M at most d/40, an input is missed with probability "
            "pi_M(q sqrt(d/S_y)); the other classes' noise, which that neglects, is worth at most M^2/(2 N) of it: 2 % from "
            "N = 25 M^2 on.",
            grid=cells_of(LIMIT),
            replicas=replicas_of(LIMIT),
            to_law=its_class,
            margin=0.05,
            x_axis="d",
        ),
        part(
            "shortcut",
            kind="constant",
            law=laws["exact-recall-error:shortcut"],
            experiment=recall_error_experiment,
            statement="The exact variances of the scores, put into independent Gaussians, give the error.",
            grid=cells_of(SHORTCUT),
            replicas=replicas_of(SHORTCUT),
            to_law=one_input,
            margin=0.05,
            erratum=laws["exact-recall-error:shortcut"].errata[0],
        ),
    ),
)
