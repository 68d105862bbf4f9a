"""near-orthogonality: random embeddings have length about one and inner products of order 1/sqrt d."""

from asymp.montecarlo.samplers.scores import near_orthogonality as sampled
from asymp.reports.claims.scores import BOTH, order_in_words
from asymp.reports.declaring import Bound, Claim, Constant, Grid, Identity, Rate, laws, rows, settings

CLAIM = Claim(
    id="near-orthogonality",
    title="Lengths and inner products of random embeddings",
    source="bietti2025, bietti2024",
    order=5,
    parts=(
        Rate(
            "source",
            "The inner product u.u' of two random embeddings is small: the mean of |u.u'| falls like d^(-1/2).",
            law=laws["near-orthogonality:source"],
            experiment=sampled.embedding_moment_experiment,
            grid=Grid(settings(of="product", order=1, embeddings=BOTH, d=(8, 16, 32, 64, 128, 256, 512, 1024, 2048))),
            variable="d",
        ),
        Identity(
            "sharp",
            "The even moments of the inner product u.u' and of the length |u| are those that Wick contraction gives, "
            "exactly in every dimension.",
            law=laws["near-orthogonality"],
            experiment=sampled.embedding_moment_experiment,
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
            experiment=sampled.embedding_moment_experiment,
            grid=Grid(settings(of="norm", order=1, embeddings=BOTH, d=(16, 256))),
            x_axis="d",
        ),
        Identity(
            "law-of-product",
            "On the sphere |u.u'| is distributed like the square root of a beta variable; for gaussian embeddings it "
            "is that times their two lengths.",
            law=laws["near-orthogonality:product"],
            experiment=sampled.embedding_law_experiment,
            grid=Grid(settings(d=8, t=(0.2, 0.5), of="product", embeddings=BOTH)),
        ),
        Identity(
            "law-of-length",
            "The squared length |u|^2 is distributed like chi-square over d for gaussian embeddings, and is 1 on the "
            "sphere.",
            law=laws["near-orthogonality:norm"],
            experiment=sampled.embedding_law_experiment,
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
            "exp(d epsilon^2/4)/2 random directions are pairwise within epsilon of orthogonal with a probability of at least "
            "3/4: their number is exponential in d.",
            law=laws["near-orthogonality:directions"],
            experiment=sampled.directions_experiment,
            # P is half of exp(d epsilon^2/4): with probability 3/4 and more no pair is beyond epsilon.
            grid=Grid(rows("d P", (48, 10), (64, 27), (96, 201), epsilon=0.5)),
            x_axis="d",
        ),
    ),
)
