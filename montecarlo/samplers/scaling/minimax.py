"""The recall error of weight schemes, and of memories in which every input has an output of its own.

Embeddings are drawn and the most frequent inputs are stored with equal weights; measured is the recall error over all inputs.
"""

import math

import torch

from asymp.montecarlo.checks import check_number, check_whole
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.recall.scheme_error import scheme_error_experiment
from asymp.montecarlo.samplers.zipf import zipf_total

__all__ = ["injective_error_experiment", "scheme_error_experiment"]


ASKED = 64
"""Stored inputs that are asked about, of those that are not stored a quarter as many."""
BATCH = 2**21
"""Elements of the embeddings of a batch of replicas."""


def stored_inputs(*, N: int, d: int, c: float) -> int:
    """P = floor(d^2/(c log N)), at most N."""
    P = math.floor(d * d / (c * math.log(N)))
    if P < 1:
        raise ValueError(
            f"d must be at least sqrt(c log N) = {math.sqrt(c * math.log(N)):.3g} to store an input; got {d}"
        )
    return min(P, N)


def sample_injective_error(draw: Draw, *, alpha: float, N: int, d: int, c: float = 8.0) -> torch.Tensor:
    """One recall error a replica: shape (replicas,)."""
    alpha, N, d = check_number("alpha", alpha), check_whole("N", N, low=3), check_whole("d", d, low=2)
    P = stored_inputs(N=N, d=d, c=check_number("c", c, strict=True))
    inside = zipf_total(alpha, P) / zipf_total(alpha, N)
    batch = max(1, min(draw.replicas, BATCH // (2 * P * d)))
    errors = []
    for part in draw.batches(batch):
        missed, wrong = _recall(part, N, d, P)
        errors.append(inside * missed + (1 - inside) * wrong)
    return torch.cat(errors)


def _recall(draw: Draw, N: int, d: int, P: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The shares of the stored inputs, and of the others, that are recalled wrongly, in each replica."""
    U, E = draw.gaussian((P, d)), draw.gaussian((P, d))
    W = U.mT @ E
    asked, strangers = min(P, ASKED), ASKED // 4
    h = torch.cat([E[:, :asked], draw.gaussian((strangers, d))], dim=1) @ W.mT
    scores = h @ U.mT
    best = scores.amax(2)
    if N > P:
        uniform = draw.uniform(shape=(asked + strangers,))
        # the largest of n uniforms is V^(1/n); by its distance to one, which is what a normal quantile needs
        above = -torch.expm1(torch.log(uniform) / (N - P))
        rival = -torch.special.ndtri(above) * h.norm(dim=2) / math.sqrt(d)
    else:
        rival = torch.full_like(best, -math.inf)
    own = torch.diagonal(scores[:, :asked, :asked], dim1=1, dim2=2)
    missed = (own < torch.maximum(best[:, :asked], rival[:, :asked])).to(torch.float64).mean(1)
    # an input that is not stored has one of N - P equally likely outputs when none of the stored ones wins
    lucky = (rival[:, asked:] > best[:, asked:]).to(torch.float64).mean(1)
    return missed, 1 - lucky / max(1, N - P)


injective_error_experiment = experiment(
    "injective-error", sample_injective_error, version=1, block=50, bounds=(0.0, 1.0)
)
