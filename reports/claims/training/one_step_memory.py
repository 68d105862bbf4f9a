"""one-step-memory: one gradient step on uniform inputs stores the associations."""

from functools import partial
from typing import Any

from asymp.montecarlo.samplers.training.one_step_memory import (
    one_step_accuracy_experiment,
    one_step_score_experiment,
    one_step_spread_experiment,
)
from asymp.reports.declaring import Cell, Claim, Constant, Draw, Grid, Identity, Order, Setting, few_draws, laws, rows

G, S = "gaussian", "sphere"


def classes(d: int, N: int, M: int, output: str, law: str = G) -> dict[str, Any]:
    """M outputs for N inputs; the source has as many."""
    return {"d": d, "N": N, "M": M, "eta": 2.0, "output": output, "inputs": law, "outputs": law}


INJECTIVE = [classes(32, 20, 20, "target"), classes(32, 40, 40, "target", S)]
# The offset of the other outputs is a factor N smaller than the target's score and drowns in its scatter: few inputs.
FEW_OUTPUTS = [classes(64, 20, 2, "other"), classes(64, 20, 4, "other", S)]


def spread(params: Setting) -> dict[str, Any]:
    """Classes of N/M inputs."""
    return {**params, "n_y": params["N"] // params["M"]}


def as_many_outputs(cell: Cell) -> Cell:
    return {**cell, "M": cell["N"]}


accuracy = partial(
    Order,
    experiment=one_step_accuracy_experiment,
    quantity="accuracy",
    about=("d", "N"),
    stated_in="bietti2025, lemma 'gradients as memories', corollary; bietti2024, the same",
    conventions="The argmax over N outputs for each of N inputs, random embeddings N(0, I/d), one step from W = 0. The "
    "slide names no d; 99 % and 90 % are this project's reading of 'near-perfect'.",
    draw=few_draws(4, 8, ranges={"d": None, "N": None}, reason="what is said depends on d^2/(N log N)"),
)

CLAIM = Claim(
    id="one-step-memory",
    title="Scores after one gradient step",
    source="bietti2025, bietti2024",
    order=4,
    parts=(
        Constant(
            "source",
            "With as many outputs as inputs a step of size eta leaves the score (eta/N)(1 - 1/N) at the target.",
            law=laws["one-step-memory:source"],
            experiment=one_step_score_experiment,
            grid=Grid(INJECTIVE),
            margin=0.05,
            draw=Draw("the source has as many outputs as inputs", fit=as_many_outputs),
        ),
        Identity(
            "sharp",
            "The mean score is (eta/N)(1{k = f(z)} - 1/M) at every d, for any number M of outputs.",
            law=laws["one-step-memory"],
            experiment=one_step_score_experiment,
            grid=Grid([*INJECTIVE, classes(32, 20, 5, "target"), *FEW_OUTPUTS]),
            scale=lambda cell: cell["eta"] / cell["N"],
        ),
        Identity(
            "variance",
            "The variance of a score after the step is the one that Wick contraction gives, at every d.",
            law=laws["one-step-memory:variance"],
            experiment=one_step_spread_experiment,
            grid=Grid([classes(16, 20, 20, "target"), classes(16, 20, 5, "other"), classes(16, 20, 5, "target", S)]),
            to_law=spread,
        ),
        Constant(
            "source-classes",
            "With fewer answers than inputs the wrong answers still have the score -eta/N^2.",
            law=laws["one-step-memory:source"],
            experiment=one_step_score_experiment,
            grid=Grid(FEW_OUTPUTS),
            erratum=laws["one-step-memory:source"].errata[0],
        ),
        accuracy(
            "source-accuracy",
            "With d^2 above 16 N log N the argmax after one step is right for 99 % of the inputs, in at least three of four "
            "runs.",
            above=0.99,
            grid=Grid(rows("d N", (128, 100), (192, 200))),
        ),
        accuracy(
            "accuracy-few",
            "With d^2 at most 4 N log N the argmax after one step is right for less than nine in ten inputs, in at "
            "least three of four runs.",
            below=0.9,
            grid=Grid(rows("d N", (32, 100), (60, 200))),
        ),
    ),
)
