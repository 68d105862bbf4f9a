"""Scores of a memory of weighted associations, many outputs for an input and many inputs for an output.

W = sum over (x, w) of a_xw u_w e_x^T. Input x = 1..N is associated with the outputs x, x + 1, ..., x + k - 1 (mod M), with
the weights 1, 2^-decay, ..., k^-decay: an output then has about N k/M inputs. The score is read at input z and output
z + lag (mod M), so that lag < k reads an association and lag >= k a pair that is none.

g = sum of a_xw (u_y.u_w)(e_x.e_z) needs inner products with e_z and u_y only; given e_z, e_x.e_z is |e_z| times a component
of e_x (rotation invariance). Exact in law for every d; no formula for a moment is used.
"""

from typing import Any

import torch

from asymp.montecarlo.arguments import Embedding, Number, TwoOrMore, Whole, batched, checked, takes
from asymp.montecarlo.checks import check_whole
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.embeddings import component, length
from asymp.montecarlo.samplers.score_tails import Moments, bilinear_moments, sample_variance, square

CHUNK = 2**17
"""Elements of a working array: 1 MB, which stays in the cache."""


def association_weights(*, N: int, M: int, k: int, decay: float, device: torch.device) -> torch.Tensor:
    """The N x M matrix of weights: a_xw = (1 + j)^-decay for w = x + j mod M, j < k, else 0; x counts from 1."""
    x, w = torch.arange(1, N + 1, device=device)[:, None], torch.arange(M, device=device)
    j = (w - x) % M
    return torch.where(j < k, (1.0 + j).to(torch.float64) ** -decay, 0.0)


@batched(lambda N, M: CHUNK // (N + M))
def sample_weighted_score(
    draw: Draw,
    *,
    N: Whole,
    M: Whole,
    d: Whole,
    k: int,
    decay: Number = 0,
    lag: int = 0,
    z: int = 1,
    power: Whole = 1,
    inputs: Embedding = "gaussian",
    outputs: Embedding = "gaussian",
) -> torch.Tensor:
    """One score u_y^T W e_z, y = z + lag mod M, to a power, a replica, each with embeddings of its own."""
    k, z = check_whole("k", k, high=M), check_whole("z", z, high=N)
    lag = check_whole("lag", lag, low=0, high=M - 1)
    weights = association_weights(N=N, M=M, k=k, decay=decay, device=draw.device)
    y = (z + lag) % M
    e, u = length(draw, inputs, (1,), d), length(draw, outputs, (1,), d)
    # |e_z| and |u_y| in the place of the component are the products with themselves, once multiplied by e and u
    along_e = torch.where(torch.arange(N, device=draw.device) == z - 1, e, component(draw, inputs, (N,), d))
    along_u = torch.where(torch.arange(M, device=draw.device) == y, u, component(draw, outputs, (M,), d))
    return (((along_e @ weights) * along_u).sum(1) * e[:, 0] * u[:, 0]) ** power


@checked
@takes(sample_weighted_score, without=("power",))
def sample_weighted_variance(draw: Draw, *, draws: TwoOrMore = 8, **settings: Any) -> torch.Tensor:
    """One unbiased sample variance of the scores of `draws` independent memories a replica."""
    scores = sample_weighted_score(draw.of(draw.replicas * draws), **settings)
    return scores.view(draw.replicas, draws).var(dim=1, correction=1)


def _moments(
    *, N: int, M: int, d: int, k: int, decay: float = 0, lag: int = 0, z: int = 1, inputs: str = "gaussian",
    outputs: str = "gaussian",
) -> Moments | None:  # fmt: skip
    """The moments of a score; None where the matrix of weights is very large, or negative."""
    if N * M > 2**18:
        return None
    A = association_weights(N=N, M=M, k=k, decay=decay, device=torch.device("cpu")).numpy()
    return bilinear_moments(A, z - 1, (z + lag) % M, d=d, inputs=inputs, outputs=outputs)


def _score_kurtosis(*, power: int = 1, **params: Any) -> float | None:
    """From the exact moments of a score, or of a square of gaussian ones."""
    found = _moments(**params)
    exact = "sphere" not in (params.get("inputs"), params.get("outputs"))
    if found is None or power > 2 or (power == 2 and not exact):
        return None
    return square(found) if power == 2 else found.kurtosis


def _variance_kurtosis(*, draws: int = 8, **params: Any) -> float | None:
    """From the exact moments of a score."""
    found = _moments(**params)
    return None if found is None else sample_variance(found, draws)


weighted_score_experiment = experiment(
    "weighted-score", sample_weighted_score, version=1, block=4096, kurtosis=_score_kurtosis
)
weighted_variance_experiment = experiment(
    "weighted-variance", sample_weighted_variance, version=1, block=1024, kurtosis=_variance_kurtosis
)
