"""How far a normal vector is from the cone in which one coordinate is the largest: what an item costs the best matrix.

C = {x in R^N : x_1 >= x_y for all y}. The projection of g on C pools g_1 with the m largest competitors at their common
mean, so it keeps N - m degrees of freedom, and for a convex cone E dist^2(g, C) = N - E div = E m (Amelunxen, Lotz, McCoy,
Tropp 2014). A competitor is pooled if it is above the level T that the others pool to, and T <= t exactly if
g_1 + sum_y (g_y - t)_+ <= t. Hence E m = (N - 1) E F(g) with F(t) = P(g_1 + sum of N - 2 terms (g_y - t)_+ <= t), a
distribution function of a sum of independent variables, by Fourier inversion.
"""

from typing import Any

__all__ = ["items_of_dimension", "pooled"]

STEP = 0.04
"""Of the frequencies: sums up to 2 pi/STEP = 157 are told apart, and the terms end at exp(-9^2/2)."""
MANY = 80
"""With so many competitors expected above t, and 8 log N more, the sum exceeds t for certain: E m is about 2 log N."""


def pooled(N: Any) -> Any:
    """E m for N coordinates, N >= 3 and not necessarily whole; an array of N goes one by one."""
    import numpy as np

    sizes = np.asarray(N, dtype=float)
    return np.array([_pooled(float(n)) for n in sizes.ravel()]).reshape(sizes.shape)


def _pooled(N: float) -> float:
    import numpy as np
    from scipy.special import ndtr, wofz

    # below 0 the sum of 30 and more terms exceeds t for certain; the sums that are left stay under 157
    t, step = np.linspace(-3.5 if N <= 30 else 0.0, 9.5, 261, retstep=True)
    t = t[ndtr(-t) * N <= MANY + 8 * np.log(N)]
    w = (np.arange(225) + 0.5) * STEP
    # E exp(i w (g - t)_+), whose integral over g > t is the Faddeeva function
    one = ndtr(t)[:, None] + np.exp(-(t**2) / 2)[:, None] / 2 * wofz((w + 1j * t[:, None]) / np.sqrt(2))
    total = np.exp((N - 2) * np.log(one) - 1j * w * t[:, None] - w**2 / 2)
    below = 0.5 - STEP / np.pi * (total.imag / w).sum(1)
    density = np.exp(-(t**2) / 2) / np.sqrt(2 * np.pi)
    return float((N - 1) * (density * below).sum() * step)


def items_of_dimension(d: Any) -> Any:
    """The N with N E m = d^2, by the secant method in log N."""
    import numpy as np

    dimensions = np.asarray(d, dtype=float)
    found = []
    for one in dimensions.ravel():

        def excess(x: float, target: float = 2 * float(np.log(one))) -> float:
            return x + float(np.log(_pooled(float(np.exp(x))))) - target

        x, y = np.log(3 + one), np.log(3 + 2 * one)
        left, right = excess(x), excess(y)
        while abs(y - x) > 1e-13 * abs(y) and left != right:
            x, y, left = y, y - right * (y - x) / (right - left), right
            right = excess(y)
        found.append(np.exp(y))
    return np.array(found).reshape(dimensions.shape)
