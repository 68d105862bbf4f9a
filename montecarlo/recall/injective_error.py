"""The recall error of one output for each input: f injective on 1..N, the most frequent inputs stored with equal weights.

W = sum over x <= P of u_x e_x^T, P = floor(d^2/(c log N)), is formed and multiplied. Two facts save work, both exact for
the mean: the stored inputs are exchangeable, so that a few of them carry the probability of all; and an output that is
not stored is independent of W, so that, given h = W e_z, the largest of their N - P scores is |h|/sqrt(d) times the
largest of N - P normal variables, one draw. Gaussian embeddings.
"""

import math

import torch

from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.recall.checks import check_number, check_whole
from asymp.montecarlo.scores.embeddings import draw_embeddings
from asymp.montecarlo.zipf.sampling import zipf_total

__all__ = ["injective_error_experiment", "sample_injective_error", "stored_inputs"]

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


def sample_injective_error(
    *,
    alpha: float,
    N: int,
    d: int,
    c: float = 8.0,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """One recall error a replica: shape (replicas,)."""
    alpha, N, d = check_number("alpha", alpha), check_whole("N", N, low=3), check_whole("d", d, low=2)
    P = stored_inputs(N=N, d=d, c=check_number("c", c, strict=True))
    inside = zipf_total(alpha, P) / zipf_total(alpha, N)
    batch = max(1, min(replicas, BATCH // (2 * P * d)))
    errors = []
    for start in range(0, replicas, batch):
        now = min(batch, replicas - start)
        missed, wrong = _recall(now, N, d, P, generator, device)
        errors.append(inside * missed + (1 - inside) * wrong)
    return torch.cat(errors)


def _recall(
    replicas: int, N: int, d: int, P: int, generator: torch.Generator, device: torch.device
) -> tuple[torch.Tensor, torch.Tensor]:
    """The shares of the stored inputs, and of the others, that are recalled wrongly, in each replica."""

    def draw(rows: int) -> torch.Tensor:
        return draw_embeddings("gaussian", (replicas, rows, d), generator=generator, device=device)

    U, E = draw(P), draw(P)
    W = U.mT @ E
    asked, strangers = min(P, ASKED), ASKED // 4
    h = torch.cat([E[:, :asked], draw(strangers)], dim=1) @ W.mT
    scores = h @ U.mT
    best = scores.amax(2)
    if N > P:
        uniform = torch.rand(replicas, asked + strangers, dtype=torch.float64, device=device, generator=generator)
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
