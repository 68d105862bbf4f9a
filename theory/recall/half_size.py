"""The finite-size capacity: the number of items at which a memory loses half of them, from its curve of errors."""

import math
from collections.abc import Callable
from typing import Any

__all__ = ["common_scale", "half_size", "half_sizes", "half_symbol"]

LARGEST = 1e15
PRECISION = 1e-10


def half_size(error: Callable[[float], float], *, smallest: float = 3.0, largest: float = LARGEST) -> float:
    """The N with error(N) = 1/2 by bisection in log N, relative error 1e-10; the error must rise with N through 1/2."""
    low, high = math.log(smallest), math.log(smallest) + 1
    while error(math.exp(high)) < 0.5:
        low, high = high, high + 1
        if high > math.log(largest):
            raise ValueError(f"fewer than half of the items are lost up to {largest:g} items")
    while high - low > PRECISION:
        middle = (low + high) / 2
        low, high = (middle, high) if error(math.exp(middle)) < 0.5 else (low, middle)
    return math.exp((low + high) / 2)


def half_sizes(error: Callable[[Any, Any, bool], Any], smallest: Any, *, largest: float = LARGEST) -> Any:
    """The N with error(N) = 1/2 at many points at once, relative error 1e-10; `smallest` is an array of one dimension.

    `error(N, rows, rough)` gives the errors at the points `rows`. Where a rough rule has it too the root is closed in on
    with that (bracket, then Illinois steps), and only the last secant steps use the good one.
    """
    import numpy as np

    def excess(x: Any, rows: Any, rough: bool) -> Any:
        return error(np.exp(x), rows, rough) - 0.5

    def alone(row: Any) -> Callable[[float], float]:
        here = np.array([row])
        return lambda N: float(error(np.array([N]), here, False)[0])

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
    for row in rows:
        root[row] = math.log(half_size(alone(row)))
    return np.exp(root)


def half_symbol(*names: str) -> Any:
    """N_half(names), a function without a formula."""
    import sympy

    return sympy.Function("N_half")(*sympy.symbols(names, positive=True))


def common_scale(moments: Any, own: Any) -> Any:
    """The moments of the scores divided by their common scale.

    The answer's own part of its score is s, a mean of squares over the neurons (or a squared length at rank m) with mean
    1 and variance `own`. Given s all noise has a variance proportional to s, and so has what the answer adds to its
    competitors. Divided by sqrt s the answer has the mean E sqrt s and the second moment 1 + noise, and its part in the
    others falls from (1 + own)/d to 1/d. s is taken to be gamma with the shape 1/own, which it is at rank m.
    """
    from dataclasses import replace

    import sympy

    root = sympy.exp(sympy.loggamma(1 / own + sympy.Rational(1, 2)) - sympy.loggamma(1 / own)) * sympy.sqrt(own)
    noise = moments.target_variance - own
    return replace(
        moments,
        target_mean=root + moments.target_mean - 1,
        target_variance=1 + noise - root**2,
        other_variance=moments.other_variance - own / moments.d,
        noise=noise,
    )
