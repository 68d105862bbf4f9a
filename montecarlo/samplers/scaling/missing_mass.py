"""The missing mass: how much probability T samples of a Zipf law have not seen.

A memory without a limit recalls exactly the inputs that it has seen, and unseen inputs count as errors: its error is
1 - sum of p over the distinct inputs among T samples (Hutter, 2021; Cabannes et al., 2024, Proposition 1).
The samples are drawn, exactly, from the law itself (see `samplers/zipf.py`); no formula for the missing mass is used.
"""

import math
from typing import Any

import numpy as np
import torch

from asymp.montecarlo.arguments import Run, takes
from asymp.montecarlo.checks import check_number, check_size, check_whole
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.estimate import Estimate
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.zipf import ZipfTail, multinomial_counts, slots, zipf_tail, zipf_total

LEAST_HEAD = 256
MOST_HEAD = 2**18
CHUNK = 2**17
"""Elements of a working array: 1 MB, which stays in the cache."""
NEVER = 1e-15
HEAD = 1_000_000


@takes(Run)
def missing_mass(*, alpha: float, T: int, N: float = math.inf, **settings: Any) -> Estimate:
    """The mean of 1 - sum of p over the distinct inputs among T samples of p(x) = C x^-alpha, x = 1..N.

    Cost per replica: at most of the order of T, and of the order of T^(1/alpha) for alpha well above 1; memory is
    bounded whatever T is.

    Args:
        alpha: The exponent of the Zipf law: above 1 if N is infinite, at least 0 if it is finite.
        T: The number of samples.
        N: The number of inputs; infinite unless given.
    """
    run = Run(**settings)
    alpha, T, N = _checked(alpha, T, N)
    return missing_mass_experiment.run(**vars(run), alpha=alpha, T=T, N=N)


def sample_missing_mass(draw: Draw, *, alpha: float, T: int, N: float = math.inf) -> torch.Tensor:
    """One missing mass a replica: shape (replicas,)."""
    alpha, T, N = _checked(alpha, T, N)
    total = zipf_total(alpha, N)
    H = _head(alpha, T, N, total)
    tail = zipf_tail(alpha, H, N) if H < N else None
    weights = np.arange(1, H + 1, dtype=np.float64) ** -alpha / total
    if tail is not None:
        weights = np.append(weights, tail.mass / total)
    p = torch.as_tensor(weights[:H], device=draw.device)
    parts = []
    rows = max(1, CHUNK // len(weights))
    for part in draw.batches(rows):
        totals = torch.full((part.replicas,), float(T), dtype=torch.float64, device=part.device)
        counts = multinomial_counts(weights, totals, part.generator)
        # summing the unseen instead of subtracting the seen keeps small missing masses accurate
        value = ((counts[:, :H] == 0).to(torch.float64) * p).sum(1)
        if tail is not None:
            value = value + weights[H] - _seen_in_tail(part, tail, total, counts[:, H], slots(T, weights[H]))
        parts.append(value)
    return torch.cat(parts).clamp(0.0, 1.0)


def _seen_in_tail(draw: Draw, tail: ZipfTail, total: float, n: torch.Tensor, most: int) -> torch.Tensor:
    """The sum of p over the distinct inputs among n samples of the tail (n <= most), chunk by chunk in sorted order."""
    seen = torch.zeros_like(n)
    depth = torch.zeros_like(n)[:, None]
    before = torch.zeros_like(depth)
    columns = max(1, CHUNK // len(n))
    for start in range(0, most, columns):
        rank = torch.arange(start, min(start + columns, most), dtype=torch.float64, device=n.device)
        gaps = draw.uniform(shape=(len(rank),))
        gaps = gaps.neg_().log1p_().neg_()
        left = n[:, None] - rank
        depths = depth + torch.cumsum(gaps / left.clamp(min=1.0), dim=1)
        x = tail.inputs(depths)
        fresh = (x != torch.cat([before, x[:, :-1]], dim=1)) & (left > 0)
        seen = seen + torch.where(fresh, x**-tail.alpha, 0.0).sum(1)
        depth, before = depths[:, -1:], x[:, -1:]
    return seen / total


def _head(alpha: float, T: int, N: float, total: float) -> int:
    """The head for which binomial draws (which take about three times as long) and tail samples cost least together."""
    if N <= LEAST_HEAD:
        return int(N)
    best, least = LEAST_HEAD, math.inf
    H = LEAST_HEAD
    while H <= MOST_HEAD:
        inside = H >= N
        most = 0 if inside else slots(T, float(zipf_tail(alpha, H, N).mass[0]) / total)
        cost = 3 * min(H, N) + most
        if cost < least:
            best, least = int(min(H, N)), cost
        if inside:
            break
        H *= 2
    return best


def _checked(alpha: float, T: int, N: float) -> tuple[float, int, float]:
    N = check_size("N", N)
    if math.isinf(N):
        advice = " (at alpha <= 1 the infinite Zipf law has no normaliser: pass a finite N)"
        alpha = check_number("alpha", alpha, low=1.0, strict=True, advice=advice)
    else:
        alpha = check_number("alpha", alpha)
    return alpha, check_whole("T", T, high=10**12), N


def missing_mass_bounds(*, alpha: float, T: int, N: float) -> tuple[float, float]:
    """The range (0, B) of the missing mass after T samples; B = 1 where no input is sure to be seen.

    A finite-sample interval pays for the range of its values. The missing mass lies in [0, 1], but after T samples all
    inputs with T p(x) above about 40 have been seen: by the union bound over the inputs x <= k, one of them is unseen with
    probability at most the sum of (1 - p(x))^T. Where that sum is below 1e-15, the missing mass is at most the mass of
    x > k: a few times its mean, instead of 1.
    """
    total = zipf_total(alpha, N)
    # Inputs with T p(x) below 5 are not sure to be seen, so nothing beyond them is needed.
    reach = (T / 5.0) ** (1 / alpha) + 64 if alpha > 0.2 else math.inf
    p = np.arange(1, int(min(N, HEAD, reach)) + 1, dtype=np.float64) ** -float(alpha) / total
    with np.errstate(divide="ignore"):
        unseen = np.exp(T * np.log1p(-np.minimum(p, 1.0)))
    sure = int(np.searchsorted(np.cumsum(unseen), NEVER))
    # Rounding of the sums is below 1e-12; a mass that small has no part in any result.
    return 0.0, min(1.0, max(1e-12, 1.0 - float(np.sum(p[:sure]))) * (1 + 1e-9) + 1e-12)


missing_mass_experiment = experiment(
    "missing-mass", sample_missing_mass, version=1, block=512, bounds=missing_mass_bounds
)
