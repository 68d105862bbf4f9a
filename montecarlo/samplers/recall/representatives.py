"""Very many inputs by a few representatives: the rows of a recall problem whose cost grows with log N, not with N.

The first inputs are rows of their own. Beyond them the stored inputs of every class are cut into ranges, each a share
longer than the one before; one input of each range and class, drawn from p restricted to it, is asked about and carries
the probability of all of them. What the others of the class store is a sum of q(x) e_x over gaussian e, which is
gaussian: one row with q^2 = (sum of q^2 over the class) - (that of its representatives), never asked about, has exactly
its law. Inputs that are not stored are exchangeable: a few rows with q = 0 carry their probability.

Equal weights make the stored inputs of a class exchangeable too: a few of them, whichever they are, carry equal shares
of the probability of all. The mean of the error is then the same and its spread far smaller, since no single input
carries more than its share.

Only symmetry and the stability of the normal law are used. Gaussian inputs and f(x) = x mod M are assumed.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch

from asymp.montecarlo.draws import Draw
from asymp.montecarlo.samplers.recall.tables import Table
from asymp.montecarlo.samplers.zipf import LEAST_EDGE, ZipfTail, zipf_tail

RATIO = 1.2
"""The end of a range over its start."""
LARGEST = 2.0**50
"""Beyond this inputs are rounded; they share one range."""
COPIES = 64
"""About as many rows stand for the inputs that are not stored."""
ALIKE = 1024
"""About as many rows stand for stored inputs of equal weights."""


@dataclass(frozen=True)
class Rows:
    """How many rows stand for all inputs, and a function that draws them for a batch of replicas."""

    count: int
    table: Callable[[Draw], Table]


def head_length(M: int) -> int:
    """How many inputs are rows of their own; sums over the rest are then good to 1e-11."""
    return max(128, (LEAST_EDGE + 2) * M)


def smooth_rows(
    *,
    alpha: float,
    total: float,
    N: float,
    M: int,
    stored: float,
    weight: Callable[[torch.Tensor], torch.Tensor],
    squares: Callable[[int, float], np.ndarray],
    far: float,
    device: torch.device,
) -> Rows:
    """Rows for the weights weight(x) on x <= stored, 0 beyond; `squares(H, stored)` sums them over the tail's classes.

    `total` is the sum of x^-alpha over 1..N. Both ends may be infinite. Inputs beyond `far` share one range: where
    nothing is recalled anyway it saves work and costs no precision.
    """
    stored = min(stored, N)
    H = head_length(M)
    if stored < H + M:
        H = int(stored)
    x = np.arange(1, H + 1, dtype=np.float64)
    pieces = _ranges(alpha, H, stored, M, far) if stored > H else []
    classes, copies = np.arange(M), max(1, COPIES // M)
    spare = tail_mass(alpha, stored, N, M) / total
    beyond = float(spare.sum()) > 0
    f = [np.arange(1, H + 1) % M, *[classes for _ in pieces]]
    p = [x**-alpha / total, *[piece.mass / total for piece in pieces]]
    if beyond:
        f.append(np.repeat(classes, copies))
        p.append(np.repeat(spare / copies, copies))
    if pieces:
        f.append(classes)
        p.append(np.zeros(M))
    targets, masses = torch.as_tensor(np.concatenate(f), device=device), _tensor(np.concatenate(p), device)[None]
    head = weight(_tensor(x, device))[None]
    tail = _tensor(squares(H, stored), device) if pieces else None

    def table(draw: Draw) -> Table:
        q = [head.expand(draw.replicas, -1)]
        for piece in pieces:
            uniform = draw.uniform(shape=(M, 1))
            q.append(weight(piece.inputs(-torch.log1p(-uniform))[..., 0]))
        kept = torch.stack(q[1:]).square().sum(0) if pieces else None
        if beyond:
            q.append(draw.zeros((M * copies,)))
        if tail is not None and kept is not None:
            q.append((tail - kept).clamp(min=0.0).sqrt())
        return Table(torch.cat(q, dim=1), masses, targets, remainders=M if pieces else 0)

    return Rows(len(targets), table)


def equal_rows(*, alpha: float, total: float, N: float, M: int, stored: float, device: torch.device) -> Rows:
    """Rows for equal weights on x <= stored, 0 beyond."""
    stored = min(stored, N)
    beyond = tail_mass(alpha, stored, N, M) / total
    inside = (tail_mass(alpha, 0, N, M) - tail_mass(alpha, stored, N, M)) / total
    counts = np.array([math.floor((stored - residue) / M) + 1 for residue in range(M)], dtype=np.float64)
    counts[0] -= 1  # x starts at 1
    alike, copies = max(1, ALIKE // M), max(1, COPIES // M)
    f, p, q = [], [], []
    for c in range(M):
        asked = int(min(counts[c], alike))
        sizes = (asked, copies, 1 if counts[c] > asked else 0)
        f += [c] * sum(sizes)
        q += [1.0] * asked + [0.0] * copies + [math.sqrt(counts[c] - asked)] * sizes[2]
        p += [inside[c] / asked] * asked if asked else []
        p += [beyond[c] / copies] * copies + [0.0] * sizes[2]
    table = Table(
        _tensor(np.array(q), device)[None], _tensor(np.array(p), device)[None], torch.as_tensor(f, device=device)
    )
    return Rows(len(f), lambda draw: table)


def tail_mass(alpha: float, P: float, N: float, M: int) -> np.ndarray:
    """The sum of x^-alpha over P < x <= N in every class x mod M."""
    if P >= N:
        return np.zeros(M)
    H = max(int(P), head_length(M))
    last = int(min(H, N))
    if H < N < H + M:
        last = int(N)
    x = np.arange(int(P) + 1, last + 1)
    sums: np.ndarray = np.bincount(x % M, weights=x.astype(np.float64) ** -alpha, minlength=M)
    if last < N:
        sums = sums + zipf_tail(alpha, H, N, M).mass
    return sums


def _ranges(alpha: float, H: int, stored: float, M: int, far: float) -> list[ZipfTail]:
    """The inputs H < x <= stored cut into ranges, each longer than the last by RATIO, starts a multiple of M apart."""
    starts = [H]
    while True:
        step = M * math.ceil((RATIO - 1) * starts[-1] / M)
        following = starts[-1] + step
        if following > min(stored - M, far, LARGEST):
            break
        starts.append(following)
    return [zipf_tail(alpha, a, b, M) for a, b in zip(starts, [*starts[1:], stored], strict=True)]


def _tensor(values: np.ndarray, device: torch.device) -> torch.Tensor:
    return torch.as_tensor(values, dtype=torch.float64, device=device)
