"""The finite-size capacity: the number of items at which a memory loses half of them, from its curve of errors."""

import math
from collections.abc import Callable

import mpmath as mp
import numpy as np
from numpy.typing import ArrayLike

from asymp.theory.functions.arguments import FloatArray, IntArray, Mpf

LARGEST = 1e15
"""The search for a size ends here."""

PRECISION = 1e-10
"""Relative error of a size in float64."""

RIGHT = 8
"""Digits that the size in float64 is taken to have at least."""


def half_sizes(
    error: Callable[[FloatArray, IntArray, bool], FloatArray], smallest: FloatArray, *, largest: float = LARGEST
) -> FloatArray:
    """The N with error(N) = 1/2 at many points at once, relative error 1e-10; the error must rise with N through 1/2.

    Args:
        error: `error(N, rows, rough)` gives the errors at the points `rows` for sizes N. Where a rough rule has it too the
            root is closed in on with that (bracket, then Illinois steps), and only the last secant steps use the good one.
        smallest: the least size at each point, an array of one dimension.
        largest: sizes beyond it are not looked for; ValueError if a point needs them.
    """

    def excess(x: FloatArray, rows: IntArray, rough: bool) -> FloatArray:
        return error(np.exp(x), rows, rough) - 0.5

    low = np.log(np.asarray(smallest, dtype=float))
    at_low = excess(low, np.arange(low.size), True)
    high, at_high = low.copy(), at_low.copy()
    rows = np.flatnonzero(at_high < 0)
    while rows.size:
        low[rows], at_low[rows] = high[rows], at_high[rows]
        high[rows] += 2
        if high[rows].max() > math.log(largest) + 2:
            raise ValueError(f"fewer than half of the items are lost up to {largest:g} items")
        at_high[rows] = excess(high[rows], rows, True)
        rows = rows[at_high[rows] < 0]
    # What is lost already at the smallest size has no root above it, and stays there.
    inside = rows = np.flatnonzero(high > low)
    root = low.copy()
    while rows.size:
        a, b, f, g = low[rows], high[rows], at_low[rows], at_high[rows]
        middle = np.clip(b - g * (b - a) / (g - f), a + 0.01 * (b - a), b - 0.01 * (b - a))
        value = excess(middle, rows, True)
        below = value < 0
        # Illinois: the end that stays counts half, so that it moves the next time
        low[rows], high[rows] = np.where(below, middle, a), np.where(below, b, middle)
        at_low[rows], at_high[rows] = np.where(below, value, f / 2), np.where(below, g / 2, value)
        root[rows] = middle
        rows = rows[(np.abs(value) > 1e-4) & (high[rows] - low[rows] > 1e-4)]
    rows = inside
    before, at_before = root - 1e-3, np.zeros_like(root)
    at_before[rows] = excess(before[rows], rows, False)
    for _ in range(12):
        if not rows.size:
            break
        value = excess(root[rows], rows, False)
        step = -value * (root[rows] - before[rows]) / (value - at_before[rows])
        step = np.clip(np.where(np.isfinite(step), step, 0.0), -0.5, 0.5)
        before[rows], at_before[rows] = root[rows], value
        root[rows] += step
        # the step after next would be the product of the last two
        rows = rows[np.abs(step) > 1e-6]
    # What secants have not settled, bisection does.
    low[rows], high[rows] = np.log(np.asarray(smallest, dtype=float))[rows], math.log(largest) + 2
    while rows.size:
        root[rows] = (low[rows] + high[rows]) / 2
        below = excess(root[rows], rows, False) < 0
        low[rows], high[rows] = np.where(below, root[rows], low[rows]), np.where(below, high[rows], root[rows])
        rows = rows[high[rows] - low[rows] > PRECISION]
    return np.asarray(np.exp(root))


def half_digits(
    size: float, error: Callable[[FloatArray], ArrayLike], error_digits: Callable[[Mpf, int], Mpf], digits: int
) -> Mpf:
    """The N near `size` with error(N) = 1/2 to any number of digits, by secants in log N.

    `error` gives errors in float64, `error_digits(N, digits)` one error to so many digits. A step with a slope known to so
    many digits adds as many to those of the root; each value is computed as well as it is used.
    """
    x = float(np.log(size))
    ends = error(np.exp(x + np.array([-1e-4, 1e-4])))
    slope, root = mp.mpf(float(np.diff(np.asarray(ends))[0] / 2e-4)), mp.mpf(x)
    right, gain, before = RIGHT, 5, None
    while True:
        aim = min(right + gain, digits)
        with mp.workdps(aim + 10):
            excess = error_digits(mp.exp(root), aim + 5) - mp.mpf(1) / 2
        if before is not None and excess != before[1]:
            slope = (excess - before[1]) / (root - before[0])
        before, root = (root, excess), root - excess / slope
        if aim == digits:
            return mp.exp(root)
        right, gain = aim, right
