"""Which power q = A p^rho looks like the weights of the SGD map? The answer depends on the step and on the way of
fitting.

An input seen n_x times has the weight q_gamma(x) = f^(n_x)(0). Figure 5 (right) of the source takes n_x proportional to
p(x) ~ (x + 3)^-2 with n_N = 1 and lays powers p^rho over the curves. Small gamma gives rho = 1 (q is proportional to
n), large gamma rho = 0 (the plateau); in between the curve is no power, so that rho is a matter of how one fits:

- "log-log": least squares of log q on log p; every input weighs the same, most inputs are rare, rho is large;
- "linear": least squares of q on A p^rho with A free; the frequent inputs, where q is logarithmic, decide;
- "anchored": the same with A p(1)^rho = q(1), as if both curves were drawn from one point.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from asymp.theory.sgd.iterates import sgd_iterate
from asymp.theory.zipf.law import real_array, require
from asymp.theory.zipf.power_sums import FloatArray

__all__ = ["FITS", "FittedRho", "counts_of_sizes", "fitted_rho", "log_slopes", "sgd_weights", "zipf_counts"]

FITS = ("log-log", "linear", "anchored")
BETWEEN = ("interpolate", "nearest", "down")
Between = Literal["interpolate", "nearest", "down"]


@dataclass(frozen=True)
class FittedRho:
    """The fit q = scale p^rho: how it was made, and its root mean square residual (of log q, or of q)."""

    rho: float
    scale: float
    residual: float
    fit: str


def sgd_weights(*, gamma: Any, M: Any, counts: Any, between: Between = "interpolate") -> FloatArray:
    """q_gamma(x) = f^(n_x)(0) for counts n_x >= 0; `between`: interpolate fractional ones linearly, or round them."""
    from scipy.special import expit

    n = real_array("counts", counts)
    require("counts", n, n >= 0, "counts >= 0")
    if between not in BETWEEN:
        raise ValueError(f"between must be one of {', '.join(BETWEEN)}; got {between!r}")
    if between == "nearest":
        return np.asarray(sgd_iterate(gamma=gamma, M=M, n=np.rint(n)))
    # A ratio of powers such as (103/103)^2 is whole up to rounding: do not drop a count for that.
    below = np.floor(n * (1 + 4e-16))
    low = np.asarray(sgd_iterate(gamma=gamma, M=M, n=below))
    if between == "down":
        return low
    # One more step of the map: gamma/(1 + e^q/(M - 1)).
    step = gamma * expit(np.log(np.asarray(M) - 1.0) - low)
    return np.asarray(low + np.maximum(n - below, 0.0) * step, dtype=np.float64)


def zipf_counts(*, N: int, alpha: float = 2.0, shift: float = 3.0) -> FloatArray:
    """n_x proportional to (x + shift)^-alpha with n_N = 1, for x = 1..N (fractional)."""
    if isinstance(N, bool) or int(N) != N or N < 1:
        raise ValueError(f"N must be an integer >= 1, got {N}")
    a, b = float(real_array("alpha", alpha)), float(real_array("shift", shift))
    if not (a >= 0 and b > -1):
        raise ValueError(f"alpha must be >= 0 and shift > -1, got {alpha} and {shift}")
    x = np.arange(1, int(N) + 1, dtype=np.float64)
    return np.asarray(((N + b) / (x + b)) ** a, dtype=np.float64)


def counts_of_sizes(sizes: Any) -> FloatArray:
    """zipf_counts of every size in turn, in one array."""
    length = np.asarray(sizes, dtype=np.int64)
    ends = np.cumsum(length)
    x = np.arange(1, int(ends[-1]) + 1) - np.repeat(ends - length, length)
    return np.asarray(((np.repeat(length, length) + 3.0) / (x + 3.0)) ** 2.0, dtype=np.float64)


def fitted_rho(
    *,
    gamma: float,
    M: int,
    N: int,
    fit: str = "log-log",
    alpha: float = 2.0,
    shift: float = 3.0,
    between: Between = "interpolate",
) -> FittedRho:
    """The rho of q_gamma = A p^rho over x = 1..N for p ~ (x + shift)^-alpha, n_N = 1, by the way of fitting `fit`.

    Least squares on linear axes have been solved to about 1e-12 in rho; N >= 3 and alpha > 0.
    """
    if fit not in FITS:
        raise ValueError(f"fit must be one of {', '.join(FITS)}; got {fit!r}")
    n = zipf_counts(N=N, alpha=alpha, shift=shift)
    if N < 3 or not alpha > 0:
        raise ValueError(f"N must be >= 3 and alpha > 0 for a fit, got {N} and {alpha}")
    q = sgd_weights(gamma=gamma, M=M, counts=n, between=between)
    log_p = np.log(n / n.sum())
    if fit == "log-log":
        x, y = log_p - log_p.mean(), np.log(q)
        rho = float(x @ y / (x @ x))
        log_scale = float(y.mean() - rho * log_p.mean())
        residual = float(np.sqrt(np.mean((y - log_scale - rho * log_p) ** 2)))
        return FittedRho(rho=rho, scale=float(np.exp(log_scale)), residual=residual, fit=fit)
    # Powers of p/p(1): of order one whatever rho is.
    x = log_p - log_p[0]

    def scale(power: FloatArray) -> FloatArray:
        return np.full(len(power), q[0]) if fit == "anchored" else power @ q / (power**2).sum(axis=1)

    def slope(rho: FloatArray) -> FloatArray:
        """Minus half the derivative of the sum of squares in rho, over the scale (which is at its best, or fixed)."""
        power = np.exp(rho[:, None] * x)
        return np.asarray(((q - scale(power)[:, None] * power) * power) @ x)

    rho = _root_of_descent(slope)
    power = np.exp(rho * x)
    best = float(scale(power[None])[0])
    residual = float(np.sqrt(np.mean((q - best * power) ** 2)))
    return FittedRho(rho=rho, scale=best * float(np.exp(-rho * log_p[0])), residual=residual, fit=fit)


def log_slopes(*, gamma: Any, M: Any, N: Any) -> FloatArray:
    """fitted_rho's rho with fit = "log-log", alpha = 2 and shift = 3, for one-dimensional arrays of equal length."""
    found = np.empty(len(gamma))
    for start in range(0, len(gamma), 1024):  # to bound the memory
        part = slice(start, start + 1024)
        sizes = np.asarray(N[part], dtype=np.int64)
        first = np.cumsum(sizes) - sizes
        n = counts_of_sizes(sizes)
        q = sgd_weights(gamma=np.repeat(gamma[part], sizes), M=np.repeat(M[part], sizes), counts=n)
        x, y = np.log(n), np.log(q)
        x -= np.repeat(np.add.reduceat(x, first) / sizes, sizes)
        found[part] = np.add.reduceat(x * y, first) / np.add.reduceat(x * x, first)
    return found


def _root_of_descent(slope: Callable[[FloatArray], FloatArray]) -> float:
    """The first root of a function that is positive where the sum of squares still falls, from rho = 0 on."""
    from scipy.optimize import brentq

    # q rises with p, so that a small rho is too flat: the sum of squares falls at rho = 0, or is flat (gamma large).
    if slope(np.zeros(1))[0] <= 0:
        return 0.0
    for start in range(64):
        grid = start + np.arange(65) / 64
        done = slope(grid) <= 0
        if done.any():
            i = max(int(np.argmax(done)), 1)

            def single(rho: float) -> float:
                return float(slope(np.array([rho]))[0])

            return float(brentq(single, grid[i - 1], grid[i], xtol=1e-14, rtol=1e-14))
    raise ValueError("the least squares on linear axes have no minimum below rho = 64")
