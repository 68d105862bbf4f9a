"""maximal-update: the first update is of order one at its own inputs, as long as they are not more than dimensions."""

from collections.abc import Mapping
from typing import Any

from asymp.montecarlo.maximal_update import relative_update_experiment, update_norm_experiment
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

G, S = "gaussian", "sphere"
LAWS_OF_EMBEDDINGS = [(e, u) for e in (G, S) for u in (G, S)]


def unit(N: int, d: int) -> dict[str, Any]:
    """Coefficients one, gaussian embeddings; a replica is the average over all inputs."""
    return {"N": N, "d": d, "inputs": G, "outputs": G}


def exact(params: Mapping[str, Any]) -> dict[str, Any]:
    """d, a_j and the sum of all squared coefficients, from their definition a_j = j^-decay."""
    decay = float(params.get("decay", 0))
    return {
        "d": params["d"],
        "a_j": float(params.get("j", 1)) ** -decay,
        "A": sum(j ** (-2 * decay) for j in range(1, int(params["N"]) + 1)),
        "inputs": params["inputs"],
        "outputs": params["outputs"],
    }


def sizes(params: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a law in N and d."""
    return {"N": params["N"], "d": params["d"]}


FEW = {
    "quick": [unit(4, d) for d in (16, 32, 64, 128, 256, 512, 1024, 2048)],
    "standard": [unit(N, d) for N in (1, 8) for d in (16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384)],
}
# Sixteen dimensions and up to thousands of pairs.
MANY = {
    "quick": [unit(N, 16) for N in (64, 128, 256, 512, 1024, 2048, 4096)],
    "standard": [unit(N, 16) for N in (64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768)],
}
EXACT = {
    "quick": [{"N": N, "d": 16, "inputs": e, "outputs": u} for N in (16, 160) for e, u in LAWS_OF_EMBEDDINGS],
    "standard": [
        *({"N": N, "d": d, "inputs": e, "outputs": u} for N, d in ((4, 4), (64, 64), (1000, 32)) for e, u in LAWS_OF_EMBEDDINGS),
        *({"N": 20, "d": 16, "decay": 0.5, "j": j, "inputs": e, "outputs": e} for j in (1, 5) for e in (G, S)),
    ],
}  # fmt: skip
NTK = {
    "quick": [{"N": 4, "d": d, "scaling": "ntk"} for d in (32, 48, 64, 96, 128, 192, 256, 384)],
    "standard": [{"N": 4, "d": d, "scaling": "ntk"} for d in (32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048)],
}  # fmt: skip
for grid in (FEW, MANY, EXACT, NTK):
    grid["paper"] = grid["standard"]


def exact_replicas(averaged: int) -> Any:
    """One input a replica fluctuates more than the average over all."""
    return lambda params: averaged * (32 if "j" in params else 1)


CLAIM = Claim(
    id="maximal-update",
    simulation="All embeddings are drawn, the update is formed and applied to the inputs it is made of; a replica is the "
    "average of the squared length over them.",
    parts=(
        part(
            "source",
            kind="rate",
            law=laws["maximal-update:source"],
            experiment=update_norm_experiment,
            statement="With few pairs the squared length of dW u_j does not depend on d: exponent 0.",
            grid=FEW,
            replicas={"quick": 512, "standard": 2048, "paper": 2048},
            to_law=sizes,
            variable="d",
            margin=0.05,
        ),
        part(
            "sharp",
            kind="identity",
            law=laws["maximal-update"],
            experiment=update_norm_experiment,
            statement="Its mean equals the Wick contraction for every N and d; with equal coefficients it is "
            "(1 + 2/d) + (N - 1)/d for gaussian inputs.",
            grid=EXACT,
            replicas={"quick": exact_replicas(2048), "standard": exact_replicas(4096), "paper": exact_replicas(4096)},
            to_law=exact,
            margin=0.02,
        ),
        part(
            "source-many",
            kind="rate",
            law=laws["maximal-update:source"],
            experiment=update_norm_experiment,
            statement="With more pairs than dimensions it does not depend on their number N either: exponent 0.",
            grid=MANY,
            replicas={"quick": 128, "standard": 512, "paper": 512},
            to_law=sizes,
            variable="N",
            margin=0.05,
            erratum=laws["maximal-update:source"].errata[0],
        ),
        part(
            "ntk",
            kind="rate",
            law=laws["maximal-update:ntk"],
            experiment=relative_update_experiment,
            statement="In the NTK scaling the update is of lower order than the initialisation: their squared sizes have the "
            "ratio d^-1.",
            grid=NTK,
            replicas={"quick": 256, "standard": 512, "paper": 512},
            to_law=sizes,
            variable="d",
            margin=0.05,
        ),
    ),
)
