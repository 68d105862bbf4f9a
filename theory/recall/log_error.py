"""log pi_M(a) in float64, for arrays of margins of any size: the trapezoidal rule, or a table of it where many are wanted.

pi_M(a) = integral of phi(t) [1 - Phi(a+t)^(M-1)] dt. The trapezoidal rule with some 180 points is exponentially accurate
for such integrands. For thousands of margins at one M a table is a hundred times faster: on panels of width 1/2 log pi_M
is interpolated at 16 Chebyshev points. log pi_M is singular only at the complex zeros of pi_M (the nearest of M = 2 are
-2.7 +- 4.0 i), which are far beyond the panels: interpolation adds no more than rounding, 2e-15 of the logarithm and at
least 2e-13 in the tests, which go up to M = 10^6.
"""

import math
from functools import lru_cache

import numpy as np

from asymp.theory.recall.panels import PanelTable, make_table
from asymp.theory.zipf.power_sums import FloatArray

__all__ = ["HIGH", "error_table", "log_gaussian_error"]

REACH = 11.0
"""How far the trapezoidal rule goes on either side of the integrand's peak."""

RARE = -37.0
"""log(m (1 - Phi)) below which 1 - Phi^m is m (1 - Phi) in float64: exp(-37) is half an ulp of 1."""

LOW, HIGH, WIDTH = -8.0, 40.0, 0.5
"""The table: its ends and the width of its panels."""

MANY = 800
"""Margins at one M from which the table is made: it takes 1536 of them once, and is kept."""


def log_gaussian_error(margins: FloatArray, sizes: FloatArray) -> FloatArray:
    """log pi_M(a) for arrays of equal shape: margins a (any real number) and whole numbers M >= 1."""
    a, M = margins.ravel(), sizes.ravel()
    values = np.empty(a.size)
    direct = np.ones(a.size, dtype=bool)
    if a.size >= MANY:
        inside = (a >= LOW) & (a < HIGH)
        for size, count in zip(*np.unique(M[inside], return_counts=True), strict=True):
            if count >= MANY and size > 1:
                here = inside & (size == M)
                values[here] = error_table(float(size))(a[here])
                direct &= ~here
    values[direct] = _trapezoid(a[direct], M[direct] - 1)
    return np.minimum(values, 0.0).reshape(margins.shape)


def _trapezoid(a: FloatArray, others: FloatArray) -> FloatArray:
    """log pi_M(a) by the trapezoidal rule; others = M - 1; one-dimensional arrays."""
    from scipy.special import log_ndtr

    # Phi^(M-1) steepens slowly with M: these steps leave errors below 1e-11 up to M = 10^3 and 10^6.
    step = 1 / 8 if np.max(others, initial=1) < 1000 else 1 / 16
    values = np.empty(a.size)
    for start in range(0, a.size, 4096):
        part = slice(start, start + 4096)
        t, m = a[part, None], others[part, None]
        # phi(t) Phi(-a-t)^1 peaks at -a/2 and phi(t) at 0; with many outputs the peak lies between them.
        centre = np.where(t > 0, np.maximum(-t / 2, np.minimum(0.0, np.sqrt(2 * np.log1p(m)) - t)), 0.0)
        grid = centre + np.arange(-REACH, REACH + step, step)
        x = t + grid
        # One tail of the two is small, and gives the other.
        small = log_ndtr(-np.abs(x))
        hit = m * np.where(x > 0, np.log1p(-np.exp(small)), small)
        with np.errstate(divide="ignore"):
            # log(1 - exp(hit)), by the form that keeps its digits; M = 1 never misses
            miss = np.where(hit > -0.5, np.log(-np.expm1(hit)), np.log1p(-np.exp(np.minimum(hit, -0.5))))
            # Far out Phi rounds to 1 (and hit to 0, from a + t = 38.6): 1 - Phi^m is m (1 - Phi) to a part m (1 - Phi)/2.
            rare = np.log(m) + small
            logs = np.where((x > 0) & (rare < RARE), rare, miss) - grid**2 / 2
            top = logs.max(axis=1, keepdims=True)
            top = np.where(np.isfinite(top), top, 0.0)
            values[part] = np.log(np.exp(logs - top).sum(axis=1)) + top[:, 0]
    return values + math.log(step / math.sqrt(2 * math.pi))


@lru_cache(maxsize=128)
def error_table(M: float) -> PanelTable:
    """The table of log pi_M for margins from LOW to HIGH."""
    return make_table(lambda a: _trapezoid(a, np.full(a.size, M - 1)), LOW, HIGH, WIDTH)
