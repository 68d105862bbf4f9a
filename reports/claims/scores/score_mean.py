"""score-mean: on average u_y . W e_z is the weight of z at its target and zero at every other output."""

from functools import partial
from typing import Any

from asymp.montecarlo.samplers.scores.score_mean import score_experiment
from asymp.reports.claims.scores import BOTH, score_values
from asymp.reports.declaring import Claim, Grid, Identity, Setting, laws, settings


def scores(*sizes: tuple[int, int, int, float, int], **laws_of_embeddings: Any) -> list[dict[str, Any]]:
    """The scores of the target and of output 0 at the input z, for sizes (N, M, d, rho, z)."""
    return [
        cell
        for N, M, d, rho, z in sizes
        for cell in settings(alpha=1, N=N, M=M, d=d, rho=rho, z=z, y=(z, 0), **laws_of_embeddings)
    ]


def weight(setting: Setting) -> float:
    """q(z), the scale of the margin."""
    return float(score_values(setting)["q"])


identity = partial(Identity, experiment=score_experiment, to_law=score_values, scale=weight)

CLAIM = Claim(
    id="score-mean",
    title="Mean of a score under random embeddings",
    source="bietti2025, bietti2024",
    order=1,
    parts=(
        identity(
            "source",
            "With all weights one the mean score is 1 at the target and 0 at another output.",
            law=laws["score-mean:source"],
            grid=Grid(scores((12, 4, 16, 0, 1), (24, 3, 32, 0, 1), inputs="gaussian", outputs="gaussian")),
        ),
        identity(
            "sharp",
            "With any weights q the mean score is q(z) at the answer of z and 0 at any other, in every dimension, for gaussian "
            "embeddings and for embeddings on the sphere.",
            law=laws["score-mean"],
            # Weights that differ; the input asked is not the heaviest one.
            grid=Grid(scores((12, 4, 16, 0.5, 2), inputs=BOTH, outputs=BOTH)),
        ),
    ),
)
