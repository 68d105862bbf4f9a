"""remapping: a random matrix keeps the length of an embedding and sends it in a nearly orthogonal direction."""

from asymp.montecarlo.samplers.scores.remapping import remapping_law_experiment, remapping_moment_experiment
from asymp.reports.claims.scores import BOTH, order_in_words
from asymp.reports.declaring import Claim, Constant, Grid, Identity, Rate, laws, rows, settings

CLAIM = Claim(
    id="remapping",
    title="A random matrix applied to a random embedding",
    source="bietti2025, bietti2024",
    order=7,
    parts=(
        Rate(
            "source",
            "A random matrix W takes an embedding u to one nearly orthogonal to it: the mean of |u^T W u| falls like "
            "d^(-1/2).",
            law=laws["remapping:source"],
            experiment=remapping_moment_experiment,
            # More matrices where they are small: there the embeddings of one replica are far from independent.
            grid=Grid(
                settings(
                    of="overlap", order=1, probes=128, embeddings=BOTH, d=(2, 3, 4, 6, 8, 12, 16, 32, 64, 128, 256)
                ),
                weight=lambda setting: max(1, 64 // setting["d"]),
            ),
            variable="d",
        ),
        Identity(
            "sharp",
            "The even moments of u^T W u and of |W u| are those that Wick contraction gives, exactly in every "
            "dimension.",
            law=laws["remapping"],
            experiment=remapping_moment_experiment,
            # Fourth powers of the overlap have the heaviest tails, the heavier the smaller d: they are left out.
            grid=Grid(
                [
                    *settings(d=16, of="overlap", order=2, embeddings=BOTH, probes=1),
                    *settings(d=16, of="norm", order=(2, 4), embeddings=BOTH, probes=1),
                ]
            ),
            to_law=order_in_words,
        ),
        Constant(
            "source-length",
            "The mean of |W u| is 1 within 10 % from d = 16 on.",
            law=laws["remapping:source-norm"],
            experiment=remapping_moment_experiment,
            grid=Grid(settings(of="norm", order=1, probes=1, embeddings=BOTH, d=(16, 64))),
            x_axis="d",
        ),
        Identity(
            "given-u",
            "Given u, u^T W u is normal with variance |u|^4/d and |W u|^2 is |u|^2 times chi-square over d.",
            law=laws["remapping:given-u"],
            experiment=remapping_law_experiment,
            grid=Grid(
                rows(
                    "of r t", ("overlap", 1.0, 0.2), ("overlap", 1.5, -0.1), ("norm", 1.0, 0.9), ("norm", 0.5, 0.3), d=8
                )
            ),
        ),
    ),
)
