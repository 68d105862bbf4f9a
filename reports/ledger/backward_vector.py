"""backward-vector: the gradient of a matrix inside a deep network is a mean of outer products, backward by forward."""

from asymp.montecarlo.gradients.deep import backward_vector_experiment
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

QUICK = [{"d": d, "depth": depth, "positions": 1} for d, depth in ((4, 1), (32, 1), (16, 3))]
SEQUENCES = [{"d": 16, "depth": depth, "positions": positions} for depth, positions in ((1, 8), (2, 32))]
STANDARD = [{"d": d, "depth": depth, "positions": 1} for d in (2, 16, 128) for depth in (1, 4)]
LONG = [{"d": d, "depth": depth, "positions": 64} for d in (16, 64) for depth in (1, 4)]

CLAIM = Claim(
    id="backward-vector",
    simulation="A network of residual blocks with layer norm, causal softmax attention and ReLU, with W in its middle. The slope "
    "of the loss in W is taken forwards along random directions, the vectors dl/dx~ backwards with W held fixed; a replica "
    "is the largest difference, as a share of the gradient's length.",
    notes=(
        "Where W is used at several positions of a sequence, the sum runs over all of them: the last use alone, where the label is "
        "read, is off by a share of order one (a test shows it).",
    ),
    parts=(
        part(
            "source",
            kind="identity",
            law=laws["backward-vector"],
            experiment=backward_vector_experiment,
            statement="The gradient in W, used once a sample, is E[(dl/dx~) x^T] for any network around it.",
            grid={"quick": QUICK, "standard": STANDARD, "paper": STANDARD},
            replicas={"quick": 16, "standard": 32, "paper": 32},
            margin=1e-12,
            scale=lambda _: 1.0,
        ),
        part(
            "sharp",
            kind="identity",
            law=laws["backward-vector"],
            experiment=backward_vector_experiment,
            statement="Used at every position of a sequence, it is E of the sum over the positions.",
            grid={"quick": SEQUENCES, "standard": LONG, "paper": LONG},
            replicas={"quick": 16, "standard": 32, "paper": 32},
            margin=1e-12,
            scale=lambda _: 1.0,
        ),
    ),
)
