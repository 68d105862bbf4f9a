"""backward-vector: the gradient of a matrix inside a deep network is a mean of outer products, backward by forward."""

from asymp.montecarlo.samplers.training.backward_vector import backward_vector_experiment
from asymp.reports.claim import Claim
from asymp.reports.grid import Grid, settings
from asymp.reports.kinds import Entrywise
from asymp.reports.kinds.drawing import few_draws
from asymp.theory import laws

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
            grid=Grid(
                [{"d": d, "depth": depth, "positions": 1} for d, depth in ((4, 1), (32, 1), (16, 3))],
                settings(d=(2, 16, 128), depth=(1, 4), positions=1),
                replicas=(16, 32),
            ),
            draw=few_draws(45, 2),
        ),
        Entrywise(
            "sharp",
            "Used at every position of a sequence, it is E of the sum over the positions.",
            law=laws["backward-vector"],
            experiment=backward_vector_experiment,
            grid=Grid(
                [{"d": 16, "depth": depth, "positions": positions} for depth, positions in ((1, 8), (2, 32))],
                settings(d=(16, 64), depth=(1, 4), positions=64),
                replicas=(16, 32),
            ),
            draw=few_draws(30, 2),
        ),
    ),
)
