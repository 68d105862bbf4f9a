"""The measured mean and variance of a score g(z, y) = u_y^T W e_z of a random memory; `scores/score_mean.py` draws it."""

from dataclasses import dataclass
from typing import Any

from asymp.montecarlo.arguments import Run, takes, with_defaults
from asymp.montecarlo.checks import check_memory, check_whole
from asymp.montecarlo.draws import pick_device
from asymp.montecarlo.estimate import Estimate
from asymp.montecarlo.samplers.recall.problem import RecallProblem, plain_arrays
from asymp.montecarlo.samplers.scores.score_mean import check_score, score_experiment
from asymp.montecarlo.samplers.scores.score_variance import score_variance_experiment


@dataclass(frozen=True, eq=False)
class ScoreMoments:
    """The measured mean and variance of a score."""

    mean: Estimate
    variance: Estimate

    def to_json(self) -> dict[str, Any]:
        """Both estimates as plain numbers."""
        return {"mean": self.mean.to_json(), "variance": self.variance.to_json()}

    def __str__(self) -> str:
        return f"mean {self.mean}\nvariance {self.variance}"


@takes(RecallProblem, Run, without=("T", "s"))
def score_moments(
    *, z: int = 1, y: int | None = None, draws: int = 8, route: str = "auto", **settings: Any
) -> ScoreMoments:
    """Mean and variance of u_y^T W e_z over the embeddings, for input z in 1..N and output y (f(z) by default).

    The mean is estimated from `replicas` scores, the variance from `replicas` sample variances of `draws` scores each,
    all independent. With rho = 0 or `weights`, neither alpha nor p is needed; N is finite, and nothing is sampled.

    Args:
        z: The input whose score is read.
        y: The output that it is read at, from 0; f(z) unless given.
        draws: How many scores a sample variance is made of.
        route: "projected" draws inner products only, "naive" forms W; "auto" is the first.
    """
    run, params = Run.split(settings)
    params = with_defaults(RecallProblem, params) | {"z": z, "y": y, "route": route}
    del params["T"], params["s"]
    problem, *_, route = check_score(**params)
    M, d, rows = problem.M, problem.d, problem.rows
    most = 2.0 * (2 * rows + M + d) * d if route == "naive" else 8.0 * (rows + M)
    check_memory(f"N = {rows}, M = {M}, d = {d}, route {route!r},", most, pick_device(run.device))
    params = plain_arrays(params)
    draws = check_whole("draws", draws, low=2)
    return ScoreMoments(
        mean=score_experiment.run(**vars(run), **params),
        variance=score_variance_experiment.run(**vars(run), draws=draws, **params),
    )
