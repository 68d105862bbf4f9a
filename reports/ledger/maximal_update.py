"""maximal-update: the first update is of order one at its own inputs, as long as they are not more than dimensions."""

from collections.abc import Callable, Mapping
from typing import Any

from asymp.montecarlo.scores.maximal_update import (
    relative_update_experiment,
    update_entry_experiment,
    update_norm_experiment,
)
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

Grid = dict[str, list[dict[str, Any]]]

G, S = "gaussian", "sphere"
LAWS_OF_EMBEDDINGS = [(e, u) for e in (G, S) for u in (G, S)]


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


# From a visible correction on: the range of sizes tells it from the power.
DIMENSIONS = {
    "quick": (16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192),
    "standard": (16, 24, 32, 48, 64, 96, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768),
}
FEW: Grid = {preset: [{"N": 4, "d": d} for d in sizes] for preset, sizes in DIMENSIONS.items()}
MANY: Grid = {
    "quick": [{"N": 4**k, "d": 16} for k in range(3, 11)],
    "standard": [{"N": 2**k, "d": d} for d in (8, 16) for k in range(6, 24)],
}
EXACT: Grid = {
    "quick": [{"N": N, "d": 16, "inputs": e, "outputs": u} for N in (16, 160) for e, u in LAWS_OF_EMBEDDINGS],
    "standard": [
        *(
            {"N": N, "d": d, "inputs": e, "outputs": u}
            for N, d in ((4, 4), (64, 64), (1000, 32))
            for e, u in LAWS_OF_EMBEDDINGS
        ),
        *({"N": 20, "d": 16, "decay": 0.5, "j": j, "inputs": e, "outputs": e} for j in (1, 5) for e in (G, S)),
    ],
}
# The ratio has a second correction, of order d^-2, which no declared form has: from where it is below the noise.
NTK: Grid = {
    preset: [{"N": 4, "d": d, "scaling": "ntk"} for d in (*sizes, 2 * sizes[-1]) if d >= 32]
    for preset, sizes in DIMENSIONS.items()
}
for grid in (FEW, MANY, EXACT, NTK):
    grid["paper"] = grid["standard"]


def few_replicas(total: int) -> Callable[[Mapping[str, Any]], int]:
    """The average over few inputs of d coordinates fluctuates like d^-1/2: fewer replicas where d is large."""
    return lambda params: max(64, total // params["d"])


def exact_replicas(params: Mapping[str, Any]) -> int:
    """One input a replica fluctuates more than the average over all, and few dimensions more than many."""
    if "j" in params or params["d"] < 16:
        return 2**16
    return 2**12 if params["N"] <= 16 else 2**10


CLAIM = Claim(
    id="maximal-update",
    simulation="The embeddings are drawn, the update is formed and applied to the inputs it is made of; a replica is an "
    "average over them. Rates: the same with a factor of the inputs in their place, exact in law, so that millions of pairs "
    "can be had.",
    parts=(
        part(
            "source",
            kind="rate",
            law=laws["maximal-update:source"],
            experiment=update_entry_experiment,
            statement="With few pairs |dW u_j| is of order one: an entry has a mean square of order d^-1.",
            grid=FEW,
            replicas={"quick": few_replicas(2**18), "standard": few_replicas(2**20), "paper": few_replicas(2**20)},
            variable="d",
            margin=0.05,
        ),
        part(
            "sharp",
            kind="identity",
            law=laws["maximal-update"],
            experiment=update_norm_experiment,
            statement="The mean of |dW u_j|^2 equals the contraction for every N and d; with equal coefficients it is "
            "(1 + 2/d) + (N - 1)/d for gaussian inputs.",
            grid=EXACT,
            replicas=dict.fromkeys(("quick", "standard", "paper"), exact_replicas),
            to_law=exact,
            margin=0.02,
        ),
        part(
            "source-many",
            kind="rate",
            law=laws["maximal-update:source"],
            experiment=update_entry_experiment,
            statement="With more pairs than dimensions |dW u_j| is still of order one: exponent 0 in their number N.",
            grid=MANY,
            replicas={"quick": 1024, "standard": 4096, "paper": 4096},
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
            replicas={"quick": few_replicas(2**16), "standard": few_replicas(2**18), "paper": few_replicas(2**18)},
            variable="d",
            margin=0.05,
        ),
    ),
)
