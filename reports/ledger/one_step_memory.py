"""one-step-memory: one gradient step on uniform inputs stores the associations."""

from collections.abc import Mapping
from typing import Any

from asymp.montecarlo.gradients.one_step import one_step_score_experiment, one_step_spread_experiment
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

Cells = list[dict[str, Any]]
G, S = "gaussian", "sphere"


def injective(d: int, N: int, output: str, law: str = G) -> dict[str, Any]:
    """As many outputs as inputs, as in the source."""
    return {"d": d, "N": N, "M": N, "eta": 2.0, "output": output, "inputs": law, "outputs": law}


def classes(d: int, N: int, M: int, output: str, law: str = G) -> dict[str, Any]:
    """Fewer outputs than inputs."""
    return {"d": d, "N": N, "M": M, "eta": 2.0, "output": output, "inputs": law, "outputs": law}


QUICK_MEAN: Cells = [injective(32, 20, "target"), injective(32, 40, "target", S), classes(32, 20, 5, "target")]
MEAN: Cells = [injective(d, N, "target", law) for d in (16, 64) for N in (20, 60) for law in (G, S)]
# The offset of the other outputs is a factor N smaller than the target's score and drowns in its scatter: few inputs.
FEW_OUTPUTS: Cells = [classes(64, 20, 2, "other"), classes(64, 20, 4, "other", S)]
QUICK_SPREAD: Cells = [
    classes(16, 20, M, o, law) for M, o, law in ((20, "target", G), (5, "other", G), (5, "target", S))
]
SPREAD: Cells = [
    classes(d, 20, M, o, law) for d in (8, 32) for M in (4, 20) for o in ("target", "other") for law in (G, S)
]


def spread(params: Mapping[str, Any]) -> dict[str, Any]:
    """Classes of N/M inputs."""
    return {**params, "n_y": params["N"] // params["M"]}


CLAIM = Claim(
    id="one-step-memory",
    simulation="Embeddings are drawn, the population loss over N uniform inputs is differentiated once at W = 0 and one step is "
    "taken; the score of an output is averaged over the inputs. Variances: half the squared difference between two "
    "independent draws of everything.",
    notes=("How large d must be for every input to be right is the matter of injective-capacity and binary-capacity.",),
    parts=(
        part(
            "source",
            kind="constant",
            law=laws["one-step-memory:source"],
            experiment=one_step_score_experiment,
            statement="With as many outputs as inputs a step of size eta leaves the score (eta/N)(1 - 1/N) at the target.",
            grid={"quick": QUICK_MEAN[:2], "standard": MEAN, "paper": MEAN},
            replicas={"quick": 1024, "standard": 8192, "paper": 8192},
            margin=0.05,
        ),
        part(
            "sharp",
            kind="identity",
            law=laws["one-step-memory"],
            experiment=one_step_score_experiment,
            statement="The mean score is (eta/N)(1{k = f(z)} - 1/M) at every d, for any number M of outputs.",
            grid={
                "quick": [*QUICK_MEAN, *FEW_OUTPUTS],
                "standard": [*MEAN, *FEW_OUTPUTS, classes(64, 60, 5, "target", S)],
                "paper": [*MEAN, *FEW_OUTPUTS, classes(64, 60, 5, "target", S)],
            },
            replicas={"quick": 8192, "standard": 2**16, "paper": 2**16},
            margin=0.02,
            # The offset is a share of the target's score, which is the scale on which a step is told.
            scale=lambda cell: cell["eta"] / cell["N"],
        ),
        part(
            "variance",
            kind="identity",
            law=laws["one-step-memory:variance"],
            experiment=one_step_spread_experiment,
            statement="The variance of a score is that of the contraction, at every d.",
            grid={"quick": QUICK_SPREAD, "standard": SPREAD, "paper": SPREAD},
            replicas={"quick": 8192, "standard": 2**16, "paper": 2**16},
            to_law=spread,
            margin=0.02,
        ),
        part(
            "source-classes",
            kind="constant",
            law=laws["one-step-memory:source"],
            experiment=one_step_score_experiment,
            statement="With fewer outputs than inputs the other outputs still have the score -eta/N^2.",
            grid=dict.fromkeys(("quick", "standard", "paper"), FEW_OUTPUTS),
            replicas={"quick": 8192, "standard": 2**16, "paper": 2**16},
            margin=0.1,
            erratum=laws["one-step-memory:source"].errata[0],
        ),
    ),
)
