"""The measured mean and variance of a score g(z, y) = u_y^T W e_z of a random memory; `scores/score_mean.py` draws it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from asymp.montecarlo.checks import check_memory, check_replicas, check_whole
from asymp.montecarlo.draws import pick_device
from asymp.montecarlo.estimate import Estimate
from asymp.montecarlo.samplers.recall.problem import plain_arrays
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


def score_moments(
    *,
    alpha: float | None = None,
    N: int,
    M: int,
    d: int,
    rho: float = 0,
    P: float | None = None,
    z: int = 1,
    y: int | None = None,
    inputs: str = "gaussian",
    outputs: str = "gaussian",
    weights: Sequence[float] | None = None,
    targets: Sequence[int] | None = None,
    p: Sequence[float] | None = None,
    draws: int = 8,
    replicas: int = 1000,
    rel_error: float | None = None,
    seed: int = 0,
    device: str = "auto",
    route: str = "auto",
) -> ScoreMoments:
    """Mean and variance of u_y^T W e_z over the embeddings, for input z in 1..N and output y (f(z) by default).

    The mean is estimated from `replicas` scores, the variance from `replicas` sample variances of `draws` scores each,
    all independent. With rho = 0 or `weights`, neither alpha nor p is needed.

    Args:
        alpha: The exponent of the inputs' Zipf law, p(x) = C x^-alpha on 1..N; leave it out if `p` is given.
        N: The number of inputs, finite.
        M: The number of outputs.
        d: The dimension of the embeddings.
        rho: The exponent of the weights, q(x) = p(x)^rho.
        P: Only inputs x <= P are stored; None stores all.
        z: The input whose score is read.
        y: The output that it is read at, from 0; f(z) unless given.
        inputs: The law of the input embeddings, "gaussian" N(0, I/d) or "sphere".
        outputs: The law of the output embeddings, likewise.
        weights: q(1), q(2), ... in the place of p^rho.
        targets: f(1), f(2), ..., each in 0..M-1; x mod M unless given.
        p: The probabilities of the inputs in the place of a Zipf law.
        draws: How many scores a sample variance is made of.
        replicas: How many values each estimate is made of.
        rel_error: If given, stop each estimate as soon as it is known to this relative error; a mean of zero never is.
        seed: A whole number; the same seed gives the same numbers.
        device: "auto" (a GPU if there is one), "cpu" or "cuda".
        route: "projected" draws inner products only, "naive" forms W; "auto" is the first.
    """
    check_replicas(replicas, rel_error, seed)
    params: dict[str, Any] = {
        "alpha": alpha, "N": N, "M": M, "d": d, "rho": rho, "P": P, "z": z, "y": y, "inputs": inputs,
        "outputs": outputs, "weights": weights, "targets": targets, "p": p, "route": route,
    }  # fmt: skip
    problem, *_, route = check_score(**params)
    M, rows = problem.M, problem.rows
    most = 2.0 * (2 * rows + M + d) * d if route == "naive" else 8.0 * (rows + M)
    check_memory(f"N = {rows}, M = {M}, d = {d}, route {route!r},", most, pick_device(device))
    params = plain_arrays(params)
    draws = check_whole("draws", draws, low=2)
    runs: dict[str, Any] = {"replicas": replicas, "rel_error": rel_error, "seed": seed, "device": device}
    return ScoreMoments(
        mean=score_experiment.run(**runs, **params),
        variance=score_variance_experiment.run(**runs, draws=draws, **params),
    )
