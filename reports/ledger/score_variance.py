"""score-variance: the variance of u_y . W e_z over random embeddings, exact, and the bound of the talks."""

from collections.abc import Callable, Mapping
from typing import Any

from asymp.montecarlo.scores.moments import score_variance_experiment
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

LAWS_OF_EMBEDDINGS = [(e, u) for e in ("gaussian", "sphere") for u in ("gaussian", "sphere")]
REPLICAS = {"quick": 4096, "standard": 16384, "paper": 65536}
# Products of gaussians have heavier tails than products of unit vectors, and need more replicas for the same margin.
TAILS = {("gaussian", "gaussian"): 12, ("gaussian", "sphere"): 8, ("sphere", "gaussian"): 8, ("sphere", "sphere"): 6}
# The constant that '<~' hides: the exact variance over the source's expression is at most 8 for outputs with inputs.
HIDDEN = 8.0


def cell(N: int, M: int, d: int, rho: float, y: int, e: str, u: str, alpha: float = 1.0) -> dict[str, Any]:
    """A setting of the experiment: the score of output y at the input z = 1, whose target is 1 mod M."""
    return {"alpha": alpha, "N": N, "M": M, "d": d, "rho": rho, "z": 1, "y": y, "inputs": e, "outputs": u}


def sums(params: Mapping[str, Any]) -> dict[str, Any]:
    """q, S_y and S of a setting, from the definition of the weights: the theory side of the comparison."""
    p = [x ** -float(params["alpha"]) for x in range(1, int(params["N"]) + 1)]
    total = sum(p)
    q = [(value / total) ** params["rho"] for value in p]
    of_class = [w for x, w in enumerate(q, start=1) if x % params["M"] == params["y"]]
    return {
        "d": params["d"],
        "q": q[params["z"] - 1],
        "S_y": sum(w**2 for w in of_class),
        "S": sum(w**2 for w in q),
        "output": "target" if params["z"] % params["M"] == params["y"] else "other",
        "inputs": params["inputs"],
        "outputs": params["outputs"],
    }


def counts(params: Mapping[str, Any]) -> dict[str, Any]:
    """n_y and n_other of a setting: how many inputs have target y, and how many another."""
    n_y = sum(x % params["M"] == params["y"] for x in range(1, int(params["N"]) + 1))
    return {"d": params["d"], "n_y": n_y, "n_other": params["N"] - n_y}


def _scaled(count: int) -> Callable[[Mapping[str, Any]], int]:
    return lambda params: count * TAILS[params["inputs"], params["outputs"]]


SIZES = ((12, 4, 16, 0.0), (24, 3, 32, 0.5))
FULL = [cell(*size, y, e, u) for size in (*SIZES, (48, 12, 64, 1.0)) for y in (1, 0) for e, u in LAWS_OF_EMBEDDINGS]
# In a quick check each pair of laws is measured once: the target at one size, another output at the other, in turn.
QUICK = [cell(*SIZES[i % 2], 1 - i % 2, e, u) for i, (e, u) in enumerate(LAWS_OF_EMBEDDINGS)]
SOURCE = [
    cell(N, M, d, 0.0, y, "gaussian", "gaussian") for N, M, d in ((12, 4, 8), (40, 4, 16), (12, 3, 64)) for y in (1, 0)
]
# Inputs 1..N and M = N + 1 outputs: nothing maps to output 0.
EMPTY = [cell(N, N + 1, d, 0.0, 0, "gaussian", "gaussian") for N, d in ((2, 64), (4, 128), (8, 256))]

CLAIM = Claim(
    id="score-variance",
    simulation="Embeddings are drawn afresh for every memory; a replica is the sample variance of the scores of eight "
    "independent memories, whose mean is the variance whatever the mean of the score is.",
    parts=(
        part(
            "source",
            kind="bound",
            law=laws["score-variance:source"],
            experiment=score_variance_experiment,
            statement="The variance is at most a constant (taken as 8) times n_y/d + n_other/d^2, for outputs with inputs.",
            grid=dict.fromkeys(REPLICAS, SOURCE),
            replicas=REPLICAS,
            to_law=counts,
            constant=HIDDEN,
        ),
        part(
            "sharp",
            kind="identity",
            law=laws["score-variance"],
            experiment=score_variance_experiment,
            statement="The variance equals the Wick contraction at finite d, for all four laws of the embeddings, "
            "at the target and at another output.",
            grid={"quick": QUICK, "standard": FULL, "paper": FULL},
            replicas={preset: _scaled(count) for preset, count in REPLICAS.items()},
            to_law=sums,
            margin=0.02,
        ),
        part(
            "source-empty-output",
            kind="bound",
            law=laws["score-variance:source"],
            experiment=score_variance_experiment,
            statement="The same bound at an output that no input maps to, with fewer inputs than dimensions.",
            grid=dict.fromkeys(REPLICAS, EMPTY),
            replicas=REPLICAS,
            to_law=counts,
            constant=HIDDEN,
            erratum=laws["score-variance:source"].errata[0],
        ),
    ),
)
