"""score-mean: on average u_y . W e_z is the weight of z at its target and zero at every other output."""

from typing import Any

from asymp.montecarlo.samplers.scores.score_mean import score_experiment
from asymp.reports.claim import Claim
from asymp.reports.claims.scores import BOTH, score_values
from asymp.reports.grid import Grid, Setting, settings
from asymp.reports.kinds import Identity
from asymp.theory import laws

GAUSSIAN = {"inputs": "gaussian", "outputs": "gaussian"}


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


def replicas(setting: Setting) -> int:
    """Enough for a standard error of about 0.3 % of the weight: one and two dimensions need more."""
    if setting["d"] >= 4:
        return 2**16
    return 2**20 if (setting["inputs"], setting["outputs"]) == ("gaussian", "gaussian") else 2**19


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
            grid=Grid(
                scores((12, 4, 16, 0, 1), (24, 3, 32, 0, 1), **GAUSSIAN),
                scores((4, 2, 1, 0, 1), (12, 4, 16, 0, 1), (40, 4, 64, 0, 1), (400, 20, 32, 0, 1), **GAUSSIAN),
                replicas=(2**16, replicas),
            ),
            to_law=score_values,
            scale=weight,
        ),
        Identity(
            "sharp",
            "With any weights the mean score is q(z) at the target and 0 elsewhere, at every d, for all four "
            "laws of the embeddings.",
            law=laws["score-mean"],
            experiment=score_experiment,
            # Weights that differ; the input asked is not always the heaviest one; d = 1 and 2 are covered.
            grid=Grid(
                scores((12, 4, 16, 0.5, 2), inputs=BOTH, outputs=BOTH),
                scores(
                    (4, 2, 1, 0.5, 1),
                    (5, 3, 2, 0.25, 2),
                    (12, 4, 16, 0.5, 2),
                    (100, 10, 64, 1, 3),
                    inputs=BOTH,
                    outputs=BOTH,
                ),
                replicas=(2**16, replicas),
            ),
            to_law=score_values,
            scale=weight,
        ),
    ),
)
