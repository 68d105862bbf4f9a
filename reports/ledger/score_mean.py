"""score-mean: on average u_y . W e_z is the weight of z at its target and zero at every other output."""

from collections.abc import Mapping
from typing import Any

from asymp.montecarlo.scores.moments import score_experiment
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

LAWS_OF_EMBEDDINGS = [(e, u) for e in ("gaussian", "sphere") for u in ("gaussian", "sphere")]


def cell(
    N: int, M: int, d: int, rho: float, z: int, y: int, e: str = "gaussian", u: str = "gaussian"
) -> dict[str, Any]:
    """A setting of the experiment: the score of output y at the input z, whose target is z mod M."""
    return {"alpha": 1, "N": N, "M": M, "d": d, "rho": rho, "z": z, "y": y, "inputs": e, "outputs": u}


def weight(params: Mapping[str, Any]) -> float:
    """q(z) of a setting, from the definition of the weights: also the scale of the margin."""
    total = sum(x ** -float(params["alpha"]) for x in range(1, int(params["N"]) + 1))
    return float((params["z"] ** -float(params["alpha"]) / total) ** params["rho"])


def output(params: Mapping[str, Any]) -> dict[str, Any]:
    """Whether y is the target of z."""
    return {"output": "target" if params["z"] % params["M"] == params["y"] else "other"}


def exact(params: Mapping[str, Any]) -> dict[str, Any]:
    """The sharp law's values."""
    return {"q": weight(params), **output(params), "inputs": params["inputs"], "outputs": params["outputs"]}


SOURCE = {
    "quick": [cell(N, M, d, 0, 1, y) for N, M, d in ((12, 4, 16), (24, 3, 32)) for y in (1, 0)],
    "standard": [
        cell(N, M, d, 0, 1, y) for N, M, d in ((4, 2, 1), (12, 4, 16), (40, 4, 64), (400, 20, 32)) for y in (1, 0)
    ],
}
# Weights that differ; the input asked is not always the heaviest one; d = 1 and 2 are covered.
SIZES = ((4, 2, 1, 0.5, 1), (5, 3, 2, 0.25, 2), (12, 4, 16, 0.5, 2), (100, 10, 64, 1, 3))
SHARP = {
    "quick": [cell(12, 4, 16, 0.5, 2, y, e, u) for y in (2, 0) for e, u in LAWS_OF_EMBEDDINGS],
    "standard": [
        cell(N, M, d, rho, z, y, e, u) for N, M, d, rho, z in SIZES for y in (z, 0) for e, u in LAWS_OF_EMBEDDINGS
    ],
}
SOURCE["paper"], SHARP["paper"] = SOURCE["standard"], SHARP["standard"]


def replicas(params: Mapping[str, Any]) -> int:
    """Enough for a standard error of about 0.3 % of the weight: one and two dimensions need more."""
    if params["d"] >= 4:
        return 2**16
    return 2**20 if (params["inputs"], params["outputs"]) == ("gaussian", "gaussian") else 2**19


CLAIM = Claim(
    id="score-mean",
    simulation="Embeddings are drawn afresh for every replica, which is one score u_y . W e_z.",
    parts=(
        part(
            "source",
            kind="identity",
            law=laws["score-mean:source"],
            experiment=score_experiment,
            statement="With all weights one the mean score is 1 at the target and 0 at another output.",
            grid=SOURCE,
            replicas={"quick": 2**16, "standard": replicas, "paper": replicas},
            to_law=output,
            scale=weight,
            margin=0.02,
        ),
        part(
            "sharp",
            kind="identity",
            law=laws["score-mean"],
            experiment=score_experiment,
            statement="With any weights the mean score is q(z) at the target and 0 elsewhere, at every d, for all four "
            "laws of the embeddings.",
            grid=SHARP,
            replicas={"quick": 2**16, "standard": replicas, "paper": replicas},
            to_law=exact,
            scale=weight,
            margin=0.02,
        ),
    ),
)
