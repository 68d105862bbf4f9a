"""Fitted powers of the SGD map at many points at once: the counts of all points in one long array, a piece for each."""

import numpy as np
from numpy.typing import NDArray

from asymp.theory.sgd.fit import counts_of_sizes, sgd_weights
from asymp.theory.zipf.power_sums import FloatArray

__all__ = ["linear_slopes"]

CHUNK = 1024
"""Points at once, to bound the memory."""
GRID = 64
"""Steps of the search a unit of rho, as in `fitted_rho`."""


def linear_slopes(*, gamma: FloatArray, M: FloatArray, N: FloatArray, anchored: bool) -> FloatArray:
    """fitted_rho's rho with fit = "linear" or "anchored", for one-dimensional arrays of equal length."""
    found = np.empty(gamma.size)
    for start in range(0, gamma.size, CHUNK):
        part = slice(start, start + CHUNK)
        found[part] = _slopes(gamma[part], M[part], N[part].astype(np.int64), anchored)
    return found


def _slopes(gamma: FloatArray, M: FloatArray, sizes: NDArray[np.int64], anchored: bool) -> FloatArray:
    first = np.cumsum(sizes) - sizes
    row = np.repeat(np.arange(sizes.size), sizes)
    n = counts_of_sizes(sizes)
    q = sgd_weights(gamma=gamma[row], M=M[row], counts=n)
    # powers of p/p(1): of order one whatever rho is
    x = np.log(n / n[first][row])

    def add(terms: FloatArray) -> FloatArray:
        return np.asarray(np.add.reduceat(terms, first))

    def slope(rho: FloatArray) -> FloatArray:
        """Minus half the derivative of the sums of squares in rho, over the scale (which is at its best, or fixed)."""
        power = np.exp(rho[row] * x)
        scale = q[first] if anchored else add(power * q) / add(power**2)
        return add((q - scale[row] * power) * power * x)

    # The first root from rho = 0 on: where the sum of squares does not fall at 0 the fit is flat.
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
