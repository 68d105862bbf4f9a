"""How large the missing mass can be: a bound that no replica breaks, except with probability below 1e-15.

A finite-sample interval pays for the range of its values. The missing mass lies in [0, 1], but after T samples all
inputs with T p(x) above about 40 have been seen: by the union bound over the inputs x <= k, one of them is unseen with
probability at most the sum of (1 - p(x))^T. Where that sum is below 1e-15, the missing mass is at most the mass of
x > k: a few times its mean, instead of 1.
"""

import math

import numpy as np

from asymp.montecarlo.zipf.sampling import zipf_total

__all__ = ["missing_mass_bounds"]

NEVER = 1e-15
HEAD = 1_000_000


def missing_mass_bounds(*, alpha: float, T: int, N: float) -> tuple[float, float]:
    """The range (0, B) of the missing mass after T samples; B = 1 where no input is sure to be seen."""
    total = zipf_total(alpha, N)
    # Inputs with T p(x) below 5 are not sure to be seen, so nothing beyond them is needed.
    reach = (T / 5.0) ** (1 / alpha) + 64 if alpha > 0.2 else math.inf
    p = np.arange(1, int(min(N, HEAD, reach)) + 1, dtype=np.float64) ** -float(alpha) / total
    with np.errstate(divide="ignore"):
        unseen = np.exp(T * np.log1p(-np.minimum(p, 1.0)))
    sure = int(np.searchsorted(np.cumsum(unseen), NEVER))
    # Rounding of the sums is below 1e-12; a mass that small has no part in any result.
    return 0.0, min(1.0, max(1e-12, 1.0 - float(np.sum(p[:sure]))) * (1 + 1e-9) + 1e-12)
