"""memory-matrix: the picture of the stored associations, softmax of the scores, inputs by outputs."""

from collections.abc import Mapping
from typing import Any

from asymp.montecarlo.gradients.memory_matrix import (
    argmax_agreement_experiment,
    argmax_mass_experiment,
    target_mass_experiment,
)
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

PRESETS = ("quick", "standard", "paper")
# Fill, power and threshold weights; the last input is beyond the threshold and was never stored.
SCHEMES: list[dict[str, Any]] = [
    {"rho": 0.0, "P": 20, "scale": 3.0},
    {"rho": 1.0, "P": 20, "scale": 9.0},
    {"rho": 0.5, "P": 10, "scale": 5.0},
]
TARGET = [{"N": 20, "M": M, "x": x, "alpha": 1.0, **scheme} for scheme in SCHEMES for M in (2, 5) for x in (1, 7, 20)]
RANDOM = [
    {"N": N, "M": M, "d": d, "rho": rho, "scale": 3.0, "embeddings": law}
    for N, M, d in ((20, 5, 10), (100, 10, 50))
    for rho in (0.0, 1.0)
    for law in ("gaussian", "sphere")
]


def weight(params: Mapping[str, Any]) -> dict[str, Any]:
    """q(x) by its definition."""
    x, rho = params["x"], params["rho"]
    p = x ** -params["alpha"] / sum(k ** -params["alpha"] for k in range(1, params["N"] + 1))
    return {"q": params["scale"] * p**rho if x <= params["P"] else 0.0, "M": params["M"]}


CLAIM = Claim(
    id="memory-matrix",
    simulation="The memory is built from its definition, all scores are formed and each row is put through a softmax.",
    parts=(
        part(
            "source",
            kind="identity",
            law=laws["memory-matrix:agreement"],
            experiment=argmax_agreement_experiment,
            statement="The largest entry of each row is the output that the memory recalls.",
            grid=dict.fromkeys(PRESETS, RANDOM),
            replicas={"quick": 64, "standard": 512, "paper": 512},
            margin=0.02,
        ),
        part(
            "sharp",
            kind="identity",
            law=laws["memory-matrix:scheme"],
            experiment=target_mass_experiment,
            statement="With orthonormal embeddings a row has the mass 1/(1 + (M - 1) e^-q) on its target, for every scheme.",
            grid=dict.fromkeys(PRESETS, TARGET),
            replicas=dict.fromkeys(PRESETS, 4),
            to_law=weight,
            margin=1e-9,
        ),
        part(
            "mass",
            kind="bound",
            law=laws["memory-matrix:argmax"],
            experiment=argmax_mass_experiment,
            statement="The mass of a row's largest entry is at least 1/M.",
            grid=dict.fromkeys(PRESETS, RANDOM),
            replicas={"quick": 256, "standard": 4096, "paper": 4096},
        ),
    ),
)
