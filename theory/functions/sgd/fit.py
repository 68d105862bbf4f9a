"""Which power q = A p^rho looks like the weights of the SGD map? The answer depends on the step and on the way of
fitting.

An input seen n_x times has the weight q_gamma(x) = f^(n_x)(0). Figure 5 (right) of the source takes n_x proportional to
p(x) ~ (x + 3)^-2 with n_N = 1 and lays powers p^rho over the curves. Small gamma gives rho = 1 (q is proportional to
n), large gamma rho = 0 (the plateau); in between the curve is no power, so that rho is a matter of how one fits:

- "log-log": least squares of log q on log p; every input weighs the same, most inputs are rare, rho is large;
- "linear": least squares of q on A p^rho with A free; the frequent inputs, where q is logarithmic, decide;
- "anchored": the same with A p(1)^rho = q(1), as if both curves were drawn from one point.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from asymp.theory.functions.arguments import FloatArray, IntArray, check_whole, float_arrays, real_array, require
from asymp.theory.functions.sgd.iterates import sgd_iterate
from asymp.theory.lazy import special

FITS = ("log-log", "linear", "anchored")
BETWEEN = ("interpolate", "nearest", "down")
Between = Literal["interpolate", "nearest", "down"]

CHUNK = 1024
"""Points at once, to bound the memory."""

GRID = 64
"""Steps of the search a unit of rho."""


@dataclass(frozen=True)
class FittedRho:
    """The fit q = scale p^rho: how it was made, and its root mean square residual (of log q, or of q)."""

    rho: float
    scale: float
    residual: float
    fit: str


def sgd_weights(*, gamma: ArrayLike, M: ArrayLike, counts: ArrayLike, between: Between = "interpolate") -> FloatArray:
    """q_gamma(x) = f^(n_x)(0), the weights that the SGD map gives to inputs seen n_x times; arrays broadcast.

    Args:
        gamma: step size, > 0.
        M: number of outputs, > 1.
        counts: how often each input was seen, n_x >= 0, not necessarily whole.
        between: what a count that is not whole means: "interpolate" linearly, round to the "nearest", or round "down".
    """
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
    step = np.asarray(gamma) * special.expit(np.log(np.asarray(M) - 1.0) - low)
    return np.asarray(low + np.maximum(n - below, 0.0) * step, dtype=np.float64)


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
    """The rho of q_gamma = A p^rho over x = 1..N for p ~ (x + shift)^-alpha and counts n_x ~ p(x) with n_N = 1.

    Least squares on linear axes are solved to about 1e-12 in rho.

    Args:
        gamma: step size of the SGD map, > 0.
        M: number of outputs, > 1.
        N: number of inputs, >= 3.
        fit: "log-log", "linear" or "anchored", the ways of fitting at the top of this file.
        alpha: exponent of the law p, > 0.
        shift: shift of the law p, > -1.
        between: what a count that is not whole means, as in `sgd_weights`.
    """
    size, a, b = check_whole("N", N), float(real_array("alpha", alpha)), float(real_array("shift", shift))
    _check_fit(fit)
    if size < 3 or not (a > 0 and b > -1):
        raise ValueError(f"N must be >= 3, alpha > 0 and shift > -1 for a fit, got {N}, {alpha} and {shift}")
    n = _counts(np.array([size]), a, b)
    q = sgd_weights(gamma=gamma, M=M, counts=n, between=between)
    rho = float(_rhos(n, q, np.array([size]), fit)[0])
    p = n / n.sum()
    if fit == "log-log":
        x, y = np.log(p), np.log(q)
        scale = float(np.exp(y.mean() - rho * x.mean()))
        residual = y - y.mean() - rho * (x - x.mean())
    else:
        power = (p / p[0]) ** rho
        best = float(q[0] if fit == "anchored" else power @ q / (power @ power))
        scale, residual = best * float(p[0] ** -rho), q - best * power
    return FittedRho(rho=rho, scale=scale, residual=float(np.sqrt(np.mean(residual**2))), fit=fit)


def fitted_rhos(*, gamma: ArrayLike, M: ArrayLike, N: ArrayLike, fit: str) -> FloatArray:
    """The rho of `fitted_rho` with alpha = 2 and shift = 3 at every point of the broadcast arrays."""
    _check_fit(fit)
    grid = float_arrays(gamma, M, N)
    step, outputs, size = (v.ravel() for v in grid)
    found = np.empty(step.size)
    for start in range(0, step.size, CHUNK):
        part = slice(start, start + CHUNK)
        sizes = size[part].astype(np.int64)
        n = _counts(sizes, 2.0, 3.0)
        q = sgd_weights(gamma=np.repeat(step[part], sizes), M=np.repeat(outputs[part], sizes), counts=n)
        found[part] = _rhos(n, q, sizes, fit)
    return found.reshape(grid[0].shape)


def _check_fit(fit: str) -> None:
    if fit not in FITS:
        raise ValueError(f"fit must be one of {', '.join(FITS)}; got {fit!r}")


def _counts(sizes: IntArray, alpha: float, shift: float) -> FloatArray:
    """n_x = ((N + shift)/(x + shift))^alpha for x = 1..N, of every size N in turn, in one array."""
    ends = np.cumsum(sizes)
    x = np.arange(1, int(ends[-1]) + 1) - np.repeat(ends - sizes, sizes)
    return np.asarray(((np.repeat(sizes, sizes) + shift) / (x + shift)) ** alpha, dtype=np.float64)


def _rhos(n: FloatArray, q: FloatArray, sizes: IntArray, fit: str) -> FloatArray:
    """The fitted powers of several points, whose counts n and weights q stand in one array, one piece after another."""
    first = np.cumsum(sizes) - sizes
    row = np.repeat(np.arange(sizes.size), sizes)

    def add(terms: FloatArray) -> FloatArray:
        return np.asarray(np.add.reduceat(terms, first))

    if fit == "log-log":
        x = np.log(n)
        x -= (add(x) / sizes)[row]
        return add(x * np.log(q)) / add(x * x)
    # powers of p/p(1): of order one whatever rho is
    x = np.log(n / n[first][row])

    def slope(rho: FloatArray) -> FloatArray:
        """Minus half the derivative of the sums of squares in rho, over the scale (which is at its best, or fixed)."""
        power = np.exp(rho[row] * x)
        scale = q[first] if fit == "anchored" else add(power * q) / add(power**2)
        return add((q - scale[row] * power) * power * x)

    # The first root from rho = 0 on: q rises with p, so that a small rho is too flat. Where the sum of squares does not fall
    # at 0 (gamma large) the fit is flat.
    low, at_low = np.zeros(sizes.size), slope(np.zeros(sizes.size))
    flat = at_low <= 0
    high, at_high, open_ = low.copy(), at_low.copy(), ~flat
    for step in range(1, 64 * GRID + 1):
        if not open_.any():
            break
        rho = np.full(sizes.size, step / GRID)
        value = slope(rho)
        low, at_low = np.where(open_, high, low), np.where(open_, at_high, at_low)
        high, at_high = np.where(open_, rho, high), np.where(open_, value, at_high)
        open_ &= value > 0
    if open_.any():
        raise ValueError("the least squares on linear axes have no minimum below rho = 64")
    root = high
    for _ in range(100):
        # Illinois: the end that stays counts half, so that it moves the next time
        fall = np.where(at_high != at_low, at_high - at_low, 1.0)
        middle = np.clip(high - at_high * (high - low) / fall, low, high)
        value = slope(middle)
        above = value > 0
        low, high = np.where(above, middle, low), np.where(above, high, middle)
        at_low, at_high = np.where(above, value, at_low / 2), np.where(above, at_high / 2, value)
        done, root = np.abs(middle - root) <= 1e-14 * (1 + middle), middle
        if np.all(done | flat | (value == 0)):
            break
    return np.where(flat, 0.0, root)
