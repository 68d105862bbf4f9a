"""one-step-memory: one gradient step on uniform inputs stores the associations."""

from typing import Any

from asymp.montecarlo.samplers.training.one_step_memory import one_step_score_experiment, one_step_spread_experiment
from asymp.reports.claim import Claim
from asymp.reports.grid import Grid, Setting
from asymp.reports.kinds import Constant, Identity
from asymp.reports.kinds.drawing import Cell, Draw
from asymp.theory import laws

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
            "The variance of a score is that of the contraction, at every d.",
            law=laws["one-step-memory:variance"],
            experiment=one_step_spread_experiment,
            grid=Grid([classes(16, 20, 20, "target"), classes(16, 20, 5, "other"), classes(16, 20, 5, "target", S)]),
            to_law=spread,
        ),
        Constant(
            "source-classes",
            "With fewer outputs than inputs the other outputs still have the score -eta/N^2.",
            law=laws["one-step-memory:source"],
            experiment=one_step_score_experiment,
            grid=Grid(FEW_OUTPUTS),
            erratum=laws["one-step-memory:source"].errata[0],
        ),
    ),
)
