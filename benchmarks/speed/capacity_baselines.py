"""What the capacities of growing memories are measured against: a loop over replicas and sizes that forms each memory anew.

Items are drawn once a replica, at the largest size; at every size the matrix is formed from the first N of them, by one
product of the same BLAS, and asked about the same items as the product's. So the loop has the product's law exactly.
"""

import math
from collections.abc import Sequence

import numpy as np
import torch

__all__ = ["hopfield_capacity_loop", "low_rank_capacity_loop"]


def _first_crossing(sizes: Sequence[int], shares: Sequence[float]) -> float:
    """Where the share of recalled items first falls below one half, linear in log N between two sizes."""
    for i, share in enumerate(shares):
        if share < 0.5:
            if i == 0:
                return math.nan
            before, weight = shares[i - 1], (shares[i - 1] - 0.5) / (shares[i - 1] - share)
            assert before >= 0.5
            return float(math.exp((1 - weight) * math.log(sizes[i - 1]) + weight * math.log(sizes[i])))
    return math.nan


def _geometric(low: float, high: float, per_octave: int) -> list[int]:
    steps = math.ceil(per_octave * math.log2(high / low))
    return sorted({max(1, round(low * 2 ** (j / per_octave))) for j in range(steps + 1)})


def hopfield_capacity_loop(*, d: int, replicas: int, seed: int = 0) -> np.ndarray:
    """The N at which half of 16 patterns have one of their first 16 bits changed; a net without diagonal."""
    generator = torch.Generator().manual_seed(seed)
    sizes = _geometric(max(16.0, 0.06 * d), 1.2 * d, 8)
    found = []
    for _ in range(replicas):
        xi = torch.randint(2, (sizes[-1], d), generator=generator).to(torch.float64) * 2 - 1
        asked, shares = xi[:16], []
        for N in sizes:
            W = xi[:N].T @ xi[:N]
            W.fill_diagonal_(0.0)
            field = asked @ W[:, :16]
            shares.append(float((field * asked[:, :16] >= 0).all(1).to(torch.float64).mean()))
        found.append(_first_crossing(sizes, shares))
    return np.array(found)


def low_rank_capacity_loop(*, d: int, m: int, K: int = 256, replicas: int, seed: int = 0) -> np.ndarray:
    """The N at which half of K items are lost among the outputs of these K, in W = G G^T sum u e^T of rank m."""
    generator = torch.Generator().manual_seed(seed)
    sizes = [N for N in _geometric(m * d / 24, m * d / 4, 3) if N > K]
    found = []
    for _ in range(replicas):
        e, u = (torch.randn(sizes[-1], d, dtype=torch.float64, generator=generator) / math.sqrt(d) for _ in range(2))
        G = torch.randn(d, m, dtype=torch.float64, generator=generator) / math.sqrt(m)
        shares = []
        for N in sizes:
            right = (u[:N] @ G).T @ e[:N]
            scores = (e[:K] @ right.T) @ (u[:K] @ G).T
            shares.append(float((scores.argmax(1) == torch.arange(K)).to(torch.float64).mean()))
        found.append(_first_crossing(sizes, shares))
    return np.array(found)
