"""finite-memory-lower: inputs whose weight is too small against the interference are not recalled."""

from asymp.montecarlo.samplers.scaling.finite_memory_lower import recall_error_experiment
from asymp.reports.declaring import Bound, Claim, Grid, laws

# Power, square-root and fill weights; at every d the bound is above zero, so that every point could break it.
GRID = Grid(
    [
        {"alpha": alpha, "N": N, "M": M, "d": d, "rho": rho, "inputs": "gaussian", "outputs": "sphere"}
        for alpha, N, M, rho in ((2, 400, 5, 1), (1.5, 400, 2, 0.5), (1, 1000, 5, 0), (0.5, 2000, 10, 0))
        for d in (4, 16, 64)
    ]
)

CLAIM = Claim(
    id="finite-memory-lower",
    title="Lower bound at finite memory",
    source="cabannes2024, Theorem 1",
    order=3,
    parts=(
        Bound(
            "source",
            "The error is at least 1/20 of the probability of the inputs whose weight is small beside that of the "
            "others: the x with 3(d+1) q(x)^2 <= Q.",
            law=laws["finite-memory-lower:source"],
            experiment=recall_error_experiment,
            grid=GRID,
        ),
        Bound(
            "sharp",
            "The error is at least Phi(-1/sqrt 3) = 0.2819 of the probability of the x with 3(d+1) q(x)^2 <= Q, in "
            "place of 1/20 of it.",
            law=laws["finite-memory-lower"],
            experiment=recall_error_experiment,
            grid=GRID,
        ),
    ),
)
