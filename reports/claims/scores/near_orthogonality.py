"""near-orthogonality: random embeddings have length about one and inner products of order 1/sqrt d."""

from asymp.montecarlo.samplers.scores.near_orthogonality import (
    directions_experiment,
    embedding_law_experiment,
    embedding_moment_experiment,
)
from asymp.reports.claim import Claim
from asymp.reports.claims.scores import BOTH, order_in_words
from asymp.reports.grid import Grid, rows, settings
from asymp.reports.kinds import Bound, Constant, Identity, Rate
from asymp.theory import laws

CLAIM = Claim(
    id="near-orthogonality",
    title="Lengths and inner products of random embeddings",
    source="bietti2025, bietti2024",
    order=5,
    parts=(
        Rate(
            "source",
            "The mean of |u.u'| decays with the exponent -1/2 in d.",
            law=laws["near-orthogonality:source"],
            experiment=embedding_moment_experiment,
            grid=Grid(settings(of="product", order=1, embeddings=BOTH, d=(8, 16, 32, 64, 128, 256, 512, 1024, 2048))),
            variable="d",
        ),
        Identity(
            "sharp",
            "Even moments of u.u' and of |u| equal the Wick contraction at finite d.",
            law=laws["near-orthogonality"],
            experiment=embedding_moment_experiment,
            grid=Grid(
                [
                    *settings(d=16, of="product", order=(2, 4), embeddings=BOTH),
                    *settings(d=16, of="norm", order=(2, 4), embeddings="gaussian"),
                ]
            ),
            to_law=order_in_words,
        ),
        Constant(
            "source-length",
            "The mean length is 1 within 10 % from d = 16 on.",
            law=laws["near-orthogonality:source-length"],
            experiment=embedding_moment_experiment,
            grid=Grid(settings(of="norm", order=1, embeddings=BOTH, d=(16, 256))),
            x_axis="d",
        ),
        Identity(
            "law-of-product",
            "|u.u'| has the law of a beta variable's root on the sphere, and of its gaussian counterpart.",
            law=laws["near-orthogonality:product"],
            experiment=embedding_law_experiment,
            grid=Grid(settings(d=8, t=(0.2, 0.5), of="product", embeddings=BOTH)),
        ),
        Identity(
            "law-of-length",
            "|u|^2 is chi-square over d for gaussian embeddings, and 1 on the sphere.",
            law=laws["near-orthogonality:norm"],
            experiment=embedding_law_experiment,
            grid=Grid(
                [
                    *settings(d=8, t=(0.8, 1.5), of="norm", embeddings="gaussian"),
                    *settings(d=8, t=0.8, of="norm", embeddings="sphere"),
                ]
            ),
            # Probabilities are compared on their own scale.
            scale=lambda setting: 1.0,
        ),
        Bound(
            "directions",
            "exp(d epsilon^2/4)/2 random directions are all within epsilon of orthogonal with probability 3/4 "
            "and more: exponentially many in d.",
            law=laws["near-orthogonality:directions"],
            experiment=directions_experiment,
            # P is half of exp(d epsilon^2/4): with probability 3/4 and more no pair is beyond epsilon.
            grid=Grid(rows("d P", (48, 10), (64, 27), (96, 201), epsilon=0.5)),
            x_axis="d",
        ),
    ),
)
