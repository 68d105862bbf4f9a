"""The variance of a score g(z, y) = u_y^T W e_z of a random memory.

A replica draws a few independent memories and takes the unbiased sample variance of their scores, whose mean is the variance
whatever the mean score is.
"""

from typing import Any

import torch

from asymp.montecarlo.arguments import TwoOrMore, checked, takes
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.recall.problem import RecallProblem
from asymp.montecarlo.samplers.score_tails import sample_variance
from asymp.montecarlo.samplers.scores.score_mean import sample_score, score_tails


@checked
@takes(RecallProblem, without=("T", "s"))
def sample_score_variance(
    draw: Draw, *, draws: TwoOrMore = 8, z: int = 1, y: int | None = None, route: str = "auto", **settings: Any
) -> torch.Tensor:
    """One unbiased sample variance of `draws` independent memories' scores u_y^T W e_z a replica."""
    scores = sample_score(draw.of(draw.replicas * draws), z=z, y=y, route=route, **settings)
    return scores.view(draw.replicas, draws).var(dim=1, correction=1)


def _variance_kurtosis(*, draws: int = 8, **params: Any) -> float | None:
    """From the exact moments of a score; none is declared for very many outputs."""
    found = score_tails(**params)
    return None if found is None else sample_variance(found, draws)


score_variance_experiment = experiment(
    "score-variance", sample_score_variance, version=1, block=512, kurtosis=_variance_kurtosis
)
