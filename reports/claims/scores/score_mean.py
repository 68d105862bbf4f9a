"""score-mean: on average u_y . W e_z is the weight of z at its target and zero at every other output."""

from typing import Any

from asymp.montecarlo.samplers.scores.score_mean import score_experiment
from asymp.reports.claim import Claim
from asymp.reports.claims.scores import BOTH, score_values
from asymp.reports.grid import Grid, Setting, settings
from asymp.reports.kinds import Identity
from asymp.theory import laws


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


CLAIM = Claim(
    id="score-mean",
    title="Mean of a score under random embeddings",
    source="bietti2025, bietti2024",
    order=1,
    parts=(
        Identity(
            "source",
            "With all weights one the mean score is 1 at the target and 0 at another output.",
            law=laws["score-mean:source"],
            experiment=score_experiment,
            grid=Grid(scores((12, 4, 16, 0, 1), (24, 3, 32, 0, 1), inputs="gaussian", outputs="gaussian")),
            to_law=score_values,
            scale=weight,
        ),
        Identity(
            "sharp",
            "With any weights the mean score is q(z) at the target and 0 elsewhere, at every d, for all four "
            "laws of the embeddings.",
            law=laws["score-mean"],
            experiment=score_experiment,
            # Weights that differ; the input asked is not the heaviest one.
            grid=Grid(scores((12, 4, 16, 0.5, 2), inputs=BOTH, outputs=BOTH)),
            to_law=score_values,
            scale=weight,
        ),
    ),
)
