"""When is it best to store every input with the same weight? Fill (rho = 0) against the power scheme (rho > 0), T = inf.

At large d with balanced classes fill has the error pi_M(a) at the margin a = sqrt(d M/N), and q = p^rho has
sum_x p(x) pi_M(q(x) sqrt(d M/sum q^2)). Three statements follow.

- Crossover: against a fixed rho fill wins from a value of d M/N on.
- Slope: dE/drho at rho = 0 is a pi_M'(a) [sum p log p - (1/N) sum log p]. The bracket is the sum of the two relative entropies
  between p and the uniform law, so it is positive unless p is uniform, and pi_M' < 0: a small rho > 0 beats fill at every d.
- Rate: for outputs on the sphere the error of an input of weight q falls like (1 - q^2/(S_f + S_y))^(d/2) at best (M and N
  fixed, d -> inf), and equal weights make the smallest q^2 as large as it can be: no scheme has a better exponential rate.
"""

import math
from typing import Any

import mpmath as mp
import numpy as np

from asymp.theory.recall.gaussian_error import gaussian_slope_digits
from asymp.theory.recall.storage import check_whole
from asymp.theory.storage.margin_cost import log_error, log_slope
from asymp.theory.storage.smooth_sums import sum_nodes
from asymp.theory.zipf.law import check_digits, check_zipf_mp, class_sums, class_sums_digits, real_mpf

__all__ = ["entropy_gap", "fill_crossover", "fill_slope", "fill_slope_digits", "power_rate", "power_rate_digits"]


def fill_crossover(*, alpha: float, N: float, M: float, rho: float = 1.0) -> float:
    """The value of d M/N at which fill and q = p^rho have the same error (large d, balanced classes): fill wins above.

    alpha > 0 and rho > 0; relative error about 1e-9.
    """
    N, M = check_whole("N", N, 2), check_whole("M", M, 2)
    if not (alpha > 0 and rho > 0):
        raise ValueError(f"alpha and rho must be > 0: otherwise the two schemes are one; got {alpha} and {rho}")
    from scipy.optimize import brentq

    # Margins of p^rho in units of that of fill, which is sqrt(d M/N): q sqrt(N/sum q^2).
    x, w = sum_nodes(first=1, last=N)
    p = x**-alpha
    p /= float(w @ p)
    q = x ** (-alpha * rho)
    shares = q * math.sqrt(N / float(w @ q**2))

    def gain(log_load: float) -> float:
        margin = math.exp(log_load / 2)
        logs = log_error(np.append(margin * shares, margin), M)
        return float(logs[-1] - np.log((w * p) @ np.exp(logs[:-1])))

    low, high = math.log(1e-2), 0.0
    while gain(high) > 0:
        # pi_M falls like exp(-d M/(4 N)): beyond 2000 it leaves float64.
        if high > math.log(2000):
            raise ValueError(
                f"rho and alpha are so large (rho alpha = {rho * alpha:g}) that fill wins only beyond d M/N = 2000"
            )
        low, high = high, high + 0.5
    return math.exp(float(brentq(gain, low, high, xtol=1e-10)))


def entropy_gap(*, alpha: float, N: float) -> float:
    """sum p log p - (1/N) sum log p for a Zipf law on 1..N: the two relative entropies to the uniform law, added."""
    x = np.arange(1, check_whole("N", N) + 1, dtype=np.float64)
    p = x**-alpha
    return float(alpha * (np.log(x).mean() - p @ np.log(x) / p.sum()))


def fill_slope(*, alpha: float, N: float, M: float, d: float) -> float:
    """dE/drho at rho = 0: negative unless alpha = 0."""
    M = check_whole("M", M, 2)
    a = math.sqrt(d * M / N)
    return -a * math.exp(float(log_slope(a, M))) * entropy_gap(alpha=alpha, N=N)


def fill_slope_digits(*, alpha: Any, N: Any, M: Any, d: Any, digits: int = 50) -> Any:
    """The same to `digits` significant digits (mpmath); N at most 100000."""
    N, M = check_whole("N", N), check_whole("M", M, 2)
    if N > 100_000:
        raise ValueError(f"N must be at most 100000 here; got {N}: about 13 digits can be had, from fill_slope")
    with mp.workdps(check_digits(digits) + 20):
        a = real_mpf("alpha", alpha)
        logs = [mp.log(x) for x in range(1, N + 1)]
        p = [mp.exp(-a * log) for log in logs]
        gap = a * (mp.fsum(logs) / N - mp.fdot(p, logs) / mp.fsum(p))
        margin = mp.sqrt(mp.mpf(d) * M / N)
        value = -margin * gaussian_slope_digits(a=margin, M=M, digits=digits + 12) * gap
    with mp.workdps(digits):
        return +value


def power_rate(*, alpha: float, N: float, M: float, rho: float) -> float:
    """-log(1 - q(N)^2/(S_0 + S_1))/2: no scheme p^rho loses its rarest input N more slowly than exp(-d rate); M divides N.

    At rho = 0 it is log(1/(1 - M/(2 N)))/2, the rate of fill, and that is the largest.
    """
    N, M = check_whole("N", N, 2), check_whole("M", M, 2)
    sums = class_sums(alpha=alpha, rho=rho, M=M, N=N).squares
    p = N**-alpha / float(np.sum(np.arange(1, N + 1, dtype=np.float64) ** -alpha))
    return float(-np.log1p(-(p ** (2 * rho)) / (sums[0] + sums[1])) / 2)


def power_rate_digits(*, alpha: Any, N: Any, M: Any, rho: Any, digits: int = 50) -> Any:
    """The same to `digits` significant digits (mpmath)."""
    M = check_whole("M", M, 2)
    with mp.workdps(check_digits(digits) + 15):
        a, size = check_zipf_mp(alpha, N)
        power = real_mpf("rho", rho)
        sums = class_sums_digits(alpha=a, rho=power, M=M, N=size, digits=digits + 12).squares
        C = 1 / mp.fsum(mp.mpf(x) ** -a for x in range(1, size + 1))
        value = -mp.log1p(-((C * mp.mpf(size) ** -a) ** (2 * power)) / (sums[0] + sums[1])) / 2
    with mp.workdps(digits):
        return +value
