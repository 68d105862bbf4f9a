"""exact-recall-error: the error of a random associative memory, numerically exact at every finite dimension.

The d-free route uses the same fact as the law (overlaps are Gaussian given |e_x|), so that the law is judged against
memories that are formed and multiplied: the naive and the factored route only.
"""

import math
from typing import Any

from asymp.montecarlo.samplers.scaling.exact_recall_error import recall_error_experiment
from asymp.montecarlo.samplers.scaling.noisy_labels import noisy_labels_experiment
from asymp.reports.claims.draws import EXACT_COSTS
from asymp.reports.declaring import Cell, Claim, Constant, Draw, Grid, Identity, Setting, few_draws, laws


def formed(alpha: float, N: float, M: int, d: int, outputs: str = "gaussian", **more: Any) -> Cell:
    """A memory that is formed and multiplied."""
    return {"alpha": alpha, "N": N, "M": M, "d": d, "outputs": outputs, "route": "naive", **more}


def equal(N: int, M: int, d: int, **more: Any) -> Cell:
    """Equal weights and equal probabilities: every input has the same error, and its mean over inputs fluctuates little."""
    return {"alpha": 0, "N": N, "M": M, "d": d, "route": "factored", **more}


def one_input(setting: Setting) -> dict[str, Any]:
    """One of N equal weights: q = 1, S = N."""
    return {"outputs": "gaussian", **setting, "q": 1, "S": setting["N"]}


def its_class(setting: Setting) -> dict[str, Any]:
    """The same for the limit, whose S is that of a class."""
    return {**setting, "q": 1, "S": setting["N"] / setting["M"]}


def few_classes(cell: Cell) -> Cell:
    """At most d/40 classes, of at least 25 M inputs each."""
    M = max(2, min(cell["M"], cell["d"] // 40))
    return {**cell, "M": M, "N": M * max(25 * M, cell["N"] // M), "route": "d-free"}


CLAIM = Claim(
    id="exact-recall-error",
    title="Recall error at every finite dimension",
    source="asymp",
    order=4,
    parts=(
        Identity(
            "sharp",
            "The recall error equals a gaussian formula at every finite d: with samples or without, with a threshold or "
            "without, for finitely and infinitely many inputs.",
            law=laws["exact-recall-error"],
            experiment=recall_error_experiment,
            grid=Grid(
                [
                    formed(1, 60, 3, 16, rho=0),
                    formed(2, 40, 5, 16, "sphere", rho=1),
                    formed(0.5, 100, 5, 50, "sphere", T=200),
                    formed(1.5, 80, 8, 4, rho=0.5, P=30),
                    formed(1.5, math.inf, 4, 24, "sphere", rho=0.5, route="factored"),
                ],
                # memories of few dimensions spread more and cost less
                weight=lambda cell: 4 if cell["d"] <= 16 else 1,
            ),
            draw=few_draws(2, reason=EXACT_COSTS, ranges={"M": (2, 8)}),
        ),
        Identity(
            "binary",
            "With two outputs on the sphere the error is a sum of Student tails, in closed form.",
            law=laws["exact-recall-error:binary"],
            experiment=recall_error_experiment,
            grid=Grid([formed(1, 60, 2, 16, "sphere", rho=0.5), formed(2, 30, 2, 8, "sphere", rho=1)]),
        ),
        Identity(
            "noisy-labels",
            "With two outputs on the sphere neither which input has which answer nor labels that are wrong at one rate for all "
            "inputs change the error, if the memory weighs the answers by p(y|x).",
            law=laws["exact-recall-error:binary"],
            experiment=noisy_labels_experiment,
            grid=Grid(
                [
                    {"alpha": 1, "N": 60, "d": 16, "rho": 0.5, "flip": 0.2},
                    {"alpha": 2, "N": 30, "d": 8, "rho": 1, "flip": 0.4},
                ]
            ),
            draw=few_draws(2, reason=EXACT_COSTS, ranges={"d": (2, 100), "N": (20, 200)}),
        ),
        Constant(
            "limit",
            "In many dimensions an input is missed with probability pi_M(q sqrt(d/S_y)), if the classes are balanced and hold "
            "many inputs each.",
            law=laws["exact-recall-error:asymptotic"],
            experiment=recall_error_experiment,
            grid=Grid([equal(500, 5, 200)]),
            to_law=its_class,
            margin=0.05,
            x_axis="d",
            draw=Draw(
                reason="the limit is of leading order in M/d (the noise of other classes is that share of the class's own): "
                "margins a change by a^2 M/(2 d) = M^2/(2 N) in the exponent, 2 % from N = 25 M^2 on, and M is at "
                "most d/40; classes are balanced where M divides N; the d-free route makes large d cheap",
                ranges={"N": (200, 2000), "M": (2, 20), "d": (200, 2000)},
                fit=few_classes,
            ),
        ),
        Constant(
            "shortcut",
            "Taking the scores for independent gaussians with the exact variances gives the error.",
            law=laws["exact-recall-error:shortcut"],
            experiment=recall_error_experiment,
            grid=Grid([equal(20, 5, 60, outputs="gaussian"), equal(24, 4, 24, outputs="sphere")]),
            to_law=one_input,
            margin=0.05,
            erratum=laws["exact-recall-error:shortcut"].errata[0],
            draw=few_draws(2, reason=EXACT_COSTS, ranges={"M": (2, 8)}),
        ),
    ),
)
