"""gradient-as-memory: the gradient of the cross-entropy in W is a sum of outer products of embeddings."""

from asymp.montecarlo.samplers.training.gradient_as_memory import gradient_memory_experiment
from asymp.reports.declaring import Claim, Entrywise, Grid, laws, rows

# More inputs and outputs than dimensions, and fewer.
GRID = Grid(rows("d N M", (2, 5, 3), (16, 10, 6), (16, 60, 40), (64, 20, 100)))

CLAIM = Claim(
    id="gradient-as-memory",
    title="The gradient as a sum of outer products",
    source="bietti2025, bietti2024",
    order=1,
    parts=(
        Entrywise(
            "source",
            "The gradient in W is the sum over outputs k and inputs z of p(z) (p^(k|z) - p(k|z)) u_k e_z^T.",
            law=laws["gradient-as-memory:source"],
            experiment=gradient_memory_experiment,
            grid=GRID,
        ),
        Entrywise(
            "sharp",
            "The gradient in W is the sum of p(z) (p^(k|z) - p(k|z)) u_k e_z^T with the predictions p^(k|z) written "
            "out as the softmax of the scores u_k.W e_z.",
            law=laws["gradient-as-memory"],
            experiment=gradient_memory_experiment,
            grid=GRID,
        ),
    ),
)
