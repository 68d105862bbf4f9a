"""finite-memory-lower: inputs whose weight is too small against the interference are not recalled."""

from asymp.montecarlo.recall.error import recall_error_experiment
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

REPLICAS = {"quick": 256, "standard": 4096, "paper": 16384}
# Power, square-root and fill weights; at every d the bound is above zero, so that every point could break it.
SCHEMES = ((2, 400, 5, 1), (1.5, 400, 2, 0.5), (1, 1000, 5, 0), (0.5, 2000, 10, 0))
CELLS = [
    {"alpha": alpha, "N": N, "M": M, "d": d, "rho": rho, "inputs": "gaussian", "outputs": "sphere"}
    for alpha, N, M, rho in SCHEMES
    for d in (4, 16, 64)
]


CLAIM = Claim(
    id="finite-memory-lower",
    simulation="Memories with gaussian inputs and outputs on the sphere; a replica's error is the probability of the "
    "inputs whose largest score is not that of their target.",
    parts=(
        part(
            "source",
            kind="bound",
            law=laws["finite-memory-lower:source"],
            experiment=recall_error_experiment,
            statement="The error is at least 1/20 of the probability of the inputs x with 3(d+1) q(x)^2 <= Q.",
            grid=dict.fromkeys(REPLICAS, CELLS),
            replicas=REPLICAS,
        ),
        part(
            "sharp",
            kind="bound",
            law=laws["finite-memory-lower"],
            experiment=recall_error_experiment,
            statement="The same holds with Phi(-1/sqrt 3) = 0.2819 in the place of 1/20.",
            grid=dict.fromkeys(REPLICAS, CELLS),
            replicas=REPLICAS,
        ),
    ),
)
