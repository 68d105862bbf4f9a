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

from asymp.montecarlo.arguments import TwoOrMore, checked, takes
from asymp.montecarlo.checks import check_whole
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.embeddings import chi_square
from asymp.montecarlo.samplers.recall.problem import RecallProblem
from asymp.montecarlo.samplers.score_tails import sample_covariance
from asymp.montecarlo.samplers.scores.score_mean import score_tails

CHUNK = 2**17
"""Elements of a working array: 1 MB, which stays in the cache."""


@checked
@takes(RecallProblem, without=("T", "s"))
def sample_score_covariance(
    draw: Draw, *, y: int, y_prime: int, z: int = 1, z_prime: int = 2, draws: TwoOrMore = 8, **settings: Any
) -> torch.Tensor:
    """One unbiased sample covariance of g(z, y) and g(z', y') over `draws` independent memories a replica.

    q(x) = p(x)^rho with the Zipf law p of exponent alpha (0 unless given), or `weights`; f(x) = x mod M, or `targets`. z'
    may equal z.
    """
    many = draw.of(draw.replicas * draws)
    pairs = sample_score_pairs(many, y=y, y_prime=y_prime, z=z, z_prime=z_prime, **settings)
    first, second = pairs.view(draw.replicas, draws, 2).unbind(2)
    centred = first - first.mean(1, keepdim=True)
    return (centred * second).sum(1) / (draws - 1)


def sample_score_pairs(
    draw: Draw, *, y: int, y_prime: int, z: int = 1, z_prime: int = 2, **settings: Any
) -> torch.Tensor:
    """The scores g(z, y) and g(z', y') of one memory a replica, as rows of two."""
    if isinstance(settings["N"], float) and math.isinf(settings["N"]):
        raise ValueError(f"N must be finite for a covariance of scores; got {settings['N']!r}")
    settings.setdefault("alpha", 0)
    problem = RecallProblem(**settings)
    asked = [check_whole(name, value, high=problem.rows) - 1 for name, value in (("z", z), ("z_prime", z_prime))]
    read = [check_whole(name, value, low=0, high=problem.M - 1) for name, value in (("y", y), ("y_prime", y_prime))]
    rows = max(1, CHUNK // (2 * (problem.rows + problem.M)))
    return torch.cat([_pairs(part, problem, asked, read) for part in draw.batches(rows)])


def _pairs(draw: Draw, problem: RecallProblem, asked: list[int], read: list[int]) -> torch.Tensor:
    e = planar_embeddings(draw, problem.inputs, problem.rows, problem.d, named=asked)
    u = planar_embeddings(draw, problem.outputs, problem.M, problem.d, named=read)
    q, f = torch.as_tensor(problem.q, device=draw.device)[:, None], torch.as_tensor(problem.f, device=draw.device)
    scores = []
    for z, y in zip(asked, read, strict=True):
        e_products = (e * e[:, z : z + 1]).sum(0)
        u_products = (u * u[:, y : y + 1]).sum(0)
        scores.append((e_products * u_products.index_select(0, f) * q).sum(0))
    return torch.stack(scores, dim=1)


def planar_embeddings(draw: Draw, kind: str, rows: int, d: int, *, named: Sequence[int]) -> torch.Tensor:
    """Embeddings in R^d, (min(d, 2), rows, replicas): two coordinates of each, in axes in which the named ones (one row or
    two) have no others.

    A gaussian vector has the length chi_d on its own axis; the next has a normal component along that axis and the
    length chi_(d-1) beyond it; the others have two normal coordinates. On the sphere each is divided by its length.
    """
    first, second = named[0], named[-1]
    drawn = draw.alone.normal((min(d, 2), rows, draw.replicas))
    if kind == "gaussian":
        drawn[0, first].zero_().add_(chi_square(draw, (), d).sqrt())
    else:
        drawn[0, first].fill_(1.0)
    if d > 1:
        drawn[1, first].zero_()
        if second != first:
            drawn[1, second].zero_().add_(chi_square(draw, (), d - 1).sqrt())
    if kind == "gaussian":
        return drawn / math.sqrt(d)
    squared = (drawn * drawn).sum(0)
    if d > 2:  # what the others have on the remaining axes
        rest = chi_square(draw.alone, (rows, draw.replicas), d - 2)
        rest[first].zero_()
        rest[second].zero_()
        squared += rest
    return drawn / squared.sqrt()


def _covariance_kurtosis(
    *, y: int, y_prime: int, z: int = 1, z_prime: int = 2, draws: int = 8, **settings: Any
) -> float | None:
    """From the exact moments of both scores; sharpest for two draws. None is declared for very many outputs."""
    settings.setdefault("alpha", 0)
    both = [score_tails(z=one, y=read, **settings) for one, read in ((z, y), (z_prime, y_prime))]
    first, second = both
    return None if first is None or second is None else sample_covariance(first, second, draws)


score_covariance_experiment = experiment(
    "score-covariance", sample_score_covariance, version=1, block=2048, kurtosis=_covariance_kurtosis
)
