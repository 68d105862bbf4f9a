"""How far a normal vector is from the cone in which one coordinate is the largest: what an item costs the best matrix.

C = {x in R^N : x_1 >= x_y for all y}. The projection of g on C pools g_1 with the m largest competitors at their common
mean, so it keeps N - m degrees of freedom, and for a convex cone E dist^2(g, C) = N - E div = E m (Amelunxen, Lotz, McCoy,
Tropp 2014). A competitor is pooled if it is above the level T that the others pool to, and T <= t exactly if
g_1 + sum_y (g_y - t)_+ <= t. Hence E m = (N - 1) E F(g) with F(t) = P(g_1 + sum of N - 2 terms (g_y - t)_+ <= t), a
distribution function of a sum of independent variables, by Fourier inversion.
"""

import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from asymp.theory.functions.arguments import FloatArray
from asymp.theory.functions.numerics import PanelTable, make_table
from asymp.theory.lazy import special

STEP = 0.04
"""Of the frequencies: sums up to 2 pi/STEP = 157 can be distinguished, and the terms end at exp(-9^2/2)."""
MANY = 80
"""With so many competitors expected above t, and 8 log N more, the sum exceeds t for certain: E m is about 2 log N."""

MANY_DIMENSIONS = 20
"""Different dimensions from which tables pay."""


def pooled(N: ArrayLike) -> FloatArray:
    """E m for N coordinates, N >= 3 and not necessarily whole; an array of N goes one by one."""
    sizes = np.asarray(N, dtype=float)
    return np.array([_pooled(float(n)) for n in sizes.ravel()]).reshape(sizes.shape)


def _pooled(N: float) -> float:
    # below such a t the sum of more terms exceeds t for certain; the sums that are left stay under 157
    t, step = np.linspace(-3.5 if N <= 30 else -1.5 if N <= 60 else 0.0, 9.5, 261, retstep=True)
    t = t[special.ndtr(-t) * N <= MANY + 8 * np.log(N)]
    w = (np.arange(225) + 0.5) * STEP
    # E exp(i w (g - t)_+), whose integral over g > t is the Faddeeva function
    one = special.ndtr(t)[:, None] + np.exp(-(t**2) / 2)[:, None] / 2 * special.wofz((w + 1j * t[:, None]) / np.sqrt(2))
    # The power is that of the continuous phase: for N that is not whole the logarithm's cut would show.
    log_one = np.log(np.abs(one)) + 1j * np.unwrap(np.angle(one), axis=1)
    total = np.exp((N - 2) * log_one - 1j * w * t[:, None] - w**2 / 2)
    below = 0.5 - STEP / np.pi * (total.imag / w).sum(1)
    density = np.exp(-(t**2) / 2) / np.sqrt(2 * np.pi)
    return float((N - 1) * (density * below).sum() * step)


def items_of_dimension(d: ArrayLike) -> FloatArray:
    """The N with N E m = d^2, by Newton's method in log N; many dimensions from a table of E m, which few are not worth."""
    dimensions = np.asarray(d, dtype=float)
    many = np.unique(dimensions).size >= MANY_DIMENSIONS
    target = 2 * np.log(dimensions)
    x = target - np.log(2 * np.maximum(target, 1.0))
    for _ in range(50):
        x = np.maximum(x, np.log(3.0))
        log_m, slope = _log_pooled(x) if many else _log_pooled_here(x)
        change = (target - x - log_m) / (1 + slope)
        x = x + change
        if np.all(np.abs(change) <= 1e-13 * np.abs(x)):
            break
    return np.asarray(np.exp(x))


def _log_pooled_here(x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """log E m and its slope at x = log N, by quadrature and a difference."""
    value, next_ = (np.log(pooled(np.exp(x + step))) for step in (0.0, 1e-5))
    return value, (next_ - value) / 1e-5


def _log_pooled(x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """log E m and its slope at x = log N, from the tables."""
    value, slope = np.empty(x.shape), np.empty(x.shape)
    number = np.floor(x).astype(int)
    for unit in np.unique(number):
        here = number == unit
        value[here], slope[here] = _table(int(unit)).with_slope(x[here])
    return value, slope


@lru_cache(maxsize=64)
def _table(unit: int) -> PanelTable:
    """log E m for log N from `unit` to the next whole number (from log 3, for the first)."""
    # The quadrature changes its range at N = 30 and 60, by less than its error.
    return make_table(
        lambda x: np.log(pooled(np.exp(x))),
        max(float(unit), math.log(3.0)),
        unit + 1.0,
        unit + 1.0 - max(float(unit), math.log(3.0)),
    )
