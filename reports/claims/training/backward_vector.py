"""backward-vector: the gradient of a matrix inside a deep network is a mean of outer products, backward by forward."""

from asymp.montecarlo.samplers.training.backward_vector import backward_vector_experiment
from asymp.reports.declaring import Claim, Entrywise, Grid, few_draws, laws, rows

CLAIM = Claim(
    id="backward-vector",
    title="The gradient of a matrix in a deep network",
    source="bietti2025, bietti2024",
    order=3,
    parts=(
        Entrywise(
            "source",
            "The gradient in W, used once a sample, is E[(dl/dx~) x^T] for any network around it.",
            law=laws["backward-vector:source"],
            experiment=backward_vector_experiment,
            grid=Grid(rows("d depth", (4, 1), (32, 1), (16, 3), positions=1)),
            draw=few_draws(45, 2),
        ),
        Entrywise(
            "sharp",
            "If the matrix is used at every position of a sequence, the gradient is the mean of the sum over the positions.",
            law=laws["backward-vector"],
            experiment=backward_vector_experiment,
            grid=Grid(rows("depth positions", (1, 8), (2, 32), d=16)),
            draw=few_draws(30, 2),
        ),
    ),
)
