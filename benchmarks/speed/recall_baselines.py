"""What `recall_error` is measured against: the replica-by-replica loop of O(N d^2), written fairly.

Float64, like the product. It forms W from the inputs with q > 0 only and multiplies U W before E, so that no step could
be left out; every product is one call of the same BLAS.
"""

import math

import numpy as np
import torch

__all__ = ["recall_loop", "sampled_recall_loop"]


def _embeddings(rows: int, d: int, sphere: bool, generator: torch.Generator) -> torch.Tensor:
    drawn = torch.randn(rows, d, dtype=torch.float64, generator=generator)
    return drawn / drawn.norm(dim=1, keepdim=True) if sphere else drawn / math.sqrt(d)


def _one(p: torch.Tensor, q: torch.Tensor, f: torch.Tensor, M: int, d: int, generator: torch.Generator) -> float:
    E = _embeddings(len(p), d, False, generator)
    U = _embeddings(M, d, True, generator)
    stored = q > 0
    W = (U[f[stored]] * q[stored, None]).T @ E[stored]
    scores = E @ (U @ W).T
    return float(p[scores.argmax(1) != f].sum())


def _zipf(alpha: float, N: int, M: int) -> tuple[torch.Tensor, torch.Tensor]:
    x = torch.arange(1, N + 1)
    p = x.to(torch.float64) ** -alpha
    return p / p.sum(), x % M


def recall_loop(
    *, alpha: float, N: int, M: int, d: int, rho: float = 0, P: float = math.inf, replicas: int, seed: int = 0
) -> np.ndarray:
    """One error a replica with infinitely many samples; gaussian inputs, outputs on the sphere."""
    generator = torch.Generator().manual_seed(seed)
    p, f = _zipf(alpha, N, M)
    q = torch.where(torch.arange(1, N + 1) <= P, p**rho, 0.0)
    return np.array([_one(p, q, f, M, d, generator) for _ in range(replicas)])


def sampled_recall_loop(
    *, alpha: float, N: int, M: int, d: int, T: int, rho: float = 0, replicas: int, seed: int = 0
) -> np.ndarray:
    """One error a replica with T samples: q is the frequency to the power rho, 0 where unseen."""
    generator = torch.Generator().manual_seed(seed)
    p, f = _zipf(alpha, N, M)
    errors = []
    for _ in range(replicas):
        drawn = torch.multinomial(p, T, replacement=True, generator=generator)
        share = torch.bincount(drawn, minlength=N).to(torch.float64) / T
        errors.append(_one(p, torch.where(share > 0, share**rho, 0.0), f, M, d, generator))
    return np.array(errors)
