"""The mean and variance of a score g(z, y) = u_y^T W e_z of a random memory W = sum over x of q(x) u_f(x) e_x^T.

g = sum over x of q(x) (u_y.u_f(x)) (e_x.e_z), so only inner products with e_z and with u_y are needed. Two routes:

- `naive` draws every embedding, forms the d x d matrix W and multiplies: O(N d + N M + d^2) and more, the oracle;
- `projected` draws the inner products: given e_z, the other inputs are independent of it, hence e_x.e_z is |e_z| times
  the component of e_x along a fixed direction (rotation invariance), and e_z.e_z = |e_z|^2; likewise for the outputs.
  Exact in law for both embeddings, O(N + M) a draw for every d.

Neither uses a formula for a moment. The variance comes from the unbiased sample variance of a few independent memories
(`draws`), whose mean is the variance whatever the mean score is.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from asymp.montecarlo.blocks import pick_device
from asymp.montecarlo.estimate import Estimate
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.recall.checks import check_choice, check_memory, check_replicas, check_whole
from asymp.montecarlo.recall.problem import Problem, plain_arrays, recall_problem
from asymp.montecarlo.scores.embeddings import component, draw_embeddings, length

__all__ = [
    "ScoreMoments",
    "sample_score",
    "sample_score_variance",
    "score_experiment",
    "score_moments",
    "score_variance_experiment",
]

CHUNK = 2**17
"""Elements of a working array: 1 MB, which stays in the cache."""
ROUTES = ("auto", "naive", "projected")


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

    q(x) = p(x)^rho for x <= P, else 0, or `weights`; p is the Zipf law of exponent alpha unless given (with rho = 0 or
    `weights` neither is needed). The mean is estimated from `replicas` scores, the variance from `replicas` sample
    variances of `draws` scores each, all independent. `rel_error` applies to each; a mean of zero never reaches it.
    """
    check_replicas(replicas, rel_error, seed)
    params: dict[str, Any] = {
        "alpha": alpha, "N": N, "M": M, "d": d, "rho": rho, "P": P, "z": z, "y": y, "inputs": inputs,
        "outputs": outputs, "weights": weights, "targets": targets, "p": p, "route": route,
    }  # fmt: skip
    problem, *_, route = _checked(**params)
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


def sample_score_variance(
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
    route: str = "auto",
    draws: int = 8,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """One unbiased sample variance of `draws` independent memories' scores u_y^T W e_z a replica."""
    draws = check_whole("draws", draws, low=2)
    scores = sample_score(
        alpha=alpha, N=N, M=M, d=d, rho=rho, P=P, z=z, y=y, inputs=inputs, outputs=outputs, weights=weights,
        targets=targets, p=p, route=route, replicas=replicas * draws, generator=generator, device=device,
    )  # fmt: skip
    return scores.view(replicas, draws).var(dim=1, correction=1)


def sample_score(
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
    route: str = "auto",
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """One score u_y^T W e_z a replica, each with embeddings of its own."""
    problem, z, y, route = _checked(
        alpha=alpha, N=N, M=M, d=d, rho=rho, P=P, z=z, y=y, inputs=inputs, outputs=outputs,
        weights=weights, targets=targets, p=p, route=route,
    )  # fmt: skip
    draw = _naive if route == "naive" else _projected
    size = (2 * problem.rows + M + d) * d if route == "naive" else problem.rows + M
    rows = max(1, CHUNK // size)
    parts = [
        draw(problem, z - 1, y, min(rows, replicas - start), generator, device) for start in range(0, replicas, rows)
    ]
    return torch.cat(parts)


def _projected(
    problem: Problem, z: int, y: int, replicas: int, generator: torch.Generator, device: torch.device
) -> torch.Tensor:
    """Scores from inner products alone; z counts from 0."""
    how: dict[str, Any] = {"generator": generator, "device": device}
    d = problem.d
    e = length(problem.inputs, (replicas, 1), d, **how)
    u = length(problem.outputs, (replicas, 1), d, **how)
    # |e_z| and |u_y| in the place of the component are the products with themselves, once multiplied by e and u
    along_e = component(problem.inputs, (replicas, problem.rows), d, **how)
    along_e = torch.where(torch.arange(problem.rows, device=device) == z, e, along_e)
    along_u = component(problem.outputs, (replicas, problem.M), d, **how)
    along_u = torch.where(torch.arange(problem.M, device=device) == y, u, along_u)
    q, f = torch.as_tensor(problem.q, device=device), torch.as_tensor(problem.f, device=device)
    return (along_u.index_select(1, f) * along_e * q).sum(1) * e[:, 0] * u[:, 0]


def _naive(
    problem: Problem, z: int, y: int, replicas: int, generator: torch.Generator, device: torch.device
) -> torch.Tensor:
    """Scores from W itself; z counts from 0."""
    how: dict[str, Any] = {"generator": generator, "device": device}
    E = draw_embeddings(problem.inputs, (replicas, problem.rows, problem.d), **how)
    U = draw_embeddings(problem.outputs, (replicas, problem.M, problem.d), **how)
    q, f = torch.as_tensor(problem.q, device=device), torch.as_tensor(problem.f, device=device)
    W = (U.index_select(1, f) * q[:, None]).mT @ E
    return torch.einsum("rd,rde,re->r", U[:, y], W, E[:, z])


def _checked(
    *, N: Any, M: Any, d: Any, z: Any, y: Any, route: Any, rho: Any, weights: Any, alpha: Any, p: Any, **rest: Any
) -> tuple[Problem, int, int, str]:
    if isinstance(N, float) and math.isinf(N):
        raise ValueError(f"N must be finite for score_moments; got {N!r}")
    if alpha is None and p is None and (weights is not None or (isinstance(rho, int | float) and rho == 0)):
        alpha = 0.0  # q does not depend on p then, and the score knows p through q only
    problem = recall_problem(alpha=alpha, N=N, M=M, d=d, rho=rho, weights=weights, p=p, T=None, **rest)
    z = check_whole("z", z, high=problem.rows)
    y = int(problem.f[z - 1]) if y is None else check_whole("y", y, low=0, high=problem.M - 1)
    route = check_choice("route", route, ROUTES)
    return problem, z, y, "projected" if route == "auto" else route


score_experiment = experiment("score", sample_score, version=1, block=4096)
score_variance_experiment = experiment("score-variance", sample_score_variance, version=1, block=512)
