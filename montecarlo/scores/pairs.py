"""The covariance of two scores g(z, y) and g(z', y') of one random memory W = sum over x of q(x) u_f(x) e_x^T.

g = sum over x of q(x) (u_y.u_f(x)) (e_x.e_z), so only inner products with e_z, e_z' and with u_y, u_y' are needed. Axes
are chosen (rotation invariance) such that e_z lies on the first and e_z' in the plane of the first two; of the other
inputs two coordinates are drawn, likewise for the outputs: exact in law, O(N + M) a memory for every d. No formula for a
moment is used: a replica is the unbiased sample covariance of the scores of a few independent memories (`draws`).
"""

import math
from collections.abc import Sequence
from typing import Any

import torch

from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.recall.checks import check_whole
from asymp.montecarlo.recall.problem import Problem, recall_problem
from asymp.montecarlo.scores.embeddings import chi_square, normals

__all__ = ["planar_embeddings", "sample_score_covariance", "sample_score_pairs", "score_covariance_experiment"]

CHUNK = 2**17
"""Elements of a working array: 1 MB, which stays in the cache."""


def sample_score_covariance(
    *,
    alpha: float = 0,
    N: int,
    M: int,
    d: int,
    rho: float = 0,
    z: int = 1,
    z_prime: int = 2,
    y: int,
    y_prime: int,
    inputs: str = "gaussian",
    outputs: str = "gaussian",
    targets: Sequence[int] | None = None,
    weights: Sequence[float] | None = None,
    draws: int = 8,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """One unbiased sample covariance of g(z, y) and g(z', y') over `draws` independent memories a replica.

    q(x) = p(x)^rho with the Zipf law p of exponent alpha, or `weights`; f(x) = x mod M, or `targets`. z' may equal z.
    """
    draws = check_whole("draws", draws, low=2)
    pairs = sample_score_pairs(
        alpha=alpha, N=N, M=M, d=d, rho=rho, z=z, z_prime=z_prime, y=y, y_prime=y_prime, inputs=inputs,
        outputs=outputs, targets=targets, weights=weights, replicas=replicas * draws, generator=generator,
        device=device,
    )  # fmt: skip
    first, second = pairs.view(replicas, draws, 2).unbind(2)
    centred = first - first.mean(1, keepdim=True)
    return (centred * second).sum(1) / (draws - 1)


def sample_score_pairs(
    *,
    alpha: float = 0,
    N: int,
    M: int,
    d: int,
    rho: float = 0,
    z: int = 1,
    z_prime: int = 2,
    y: int,
    y_prime: int,
    inputs: str = "gaussian",
    outputs: str = "gaussian",
    targets: Sequence[int] | None = None,
    weights: Sequence[float] | None = None,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """The scores g(z, y) and g(z', y') of one memory a replica, as rows of two."""
    if isinstance(N, float) and math.isinf(N):
        raise ValueError(f"N must be finite for a covariance of scores; got {N!r}")
    problem = recall_problem(
        alpha=alpha, N=N, M=M, d=d, rho=rho, targets=targets, weights=weights, inputs=inputs, outputs=outputs
    )
    asked = [check_whole(name, value, high=problem.rows) - 1 for name, value in (("z", z), ("z_prime", z_prime))]
    read = [check_whole(name, value, low=0, high=problem.M - 1) for name, value in (("y", y), ("y_prime", y_prime))]
    rows = max(1, CHUNK // (2 * (problem.rows + problem.M)))
    parts = [
        _pairs(problem, asked, read, min(rows, replicas - start), generator, device)
        for start in range(0, replicas, rows)
    ]
    return torch.cat(parts)


def _pairs(
    problem: Problem,
    asked: list[int],
    read: list[int],
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    how: dict[str, Any] = {"generator": generator, "device": device}
    e = planar_embeddings(problem.inputs, problem.rows, problem.d, replicas, named=asked, **how)
    u = planar_embeddings(problem.outputs, problem.M, problem.d, replicas, named=read, **how)
    q, f = torch.as_tensor(problem.q, device=device)[:, None], torch.as_tensor(problem.f, device=device)
    scores = []
    for z, y in zip(asked, read, strict=True):
        e_products = (e * e[:, z : z + 1]).sum(0)
        u_products = (u * u[:, y : y + 1]).sum(0)
        scores.append((e_products * u_products.index_select(0, f) * q).sum(0))
    return torch.stack(scores, dim=1)


def planar_embeddings(
    kind: str,
    rows: int,
    d: int,
    replicas: int,
    *,
    named: Sequence[int],
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """Embeddings in R^d, (min(d, 2), rows, replicas): two coordinates of each, in axes in which the named ones (one row or
    two) have no others.

    A gaussian vector has the length chi_d on its own axis; the next has a normal component along that axis and the
    length chi_(d-1) beyond it; the others have two normal coordinates. On the sphere each is divided by its length.
    """
    how: dict[str, Any] = {"generator": generator, "device": device}
    first, second = named[0], named[-1]
    drawn = normals((min(d, 2), rows, replicas), **how)
    if kind == "gaussian":
        drawn[0, first].zero_().add_(chi_square((replicas,), d, **how).sqrt())
    else:
        drawn[0, first].fill_(1.0)
    if d > 1:
        drawn[1, first].zero_()
        if second != first:
            drawn[1, second].zero_().add_(chi_square((replicas,), d - 1, **how).sqrt())
    if kind == "gaussian":
        return drawn / math.sqrt(d)
    squared = (drawn * drawn).sum(0)
    if d > 2:  # what the others have on the remaining axes
        rest = chi_square((rows, replicas), d - 2, **how)
        rest[first].zero_()
        rest[second].zero_()
        squared += rest
    return drawn / squared.sqrt()


score_covariance_experiment = experiment("score-covariance", sample_score_covariance, version=1, block=2048)
