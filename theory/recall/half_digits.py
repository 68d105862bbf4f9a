"""The size at which half of the items are lost, to any number of digits, from the size in float64."""

from collections.abc import Callable, Mapping
from typing import Any

import mpmath
import numpy as np

__all__ = ["half_digits", "half_of_items_digits"]

RIGHT = 8
"""Digits that the size in float64 is taken to have at least."""


def half_digits(
    size: float, error: Callable[[Any], Any], error_digits: Callable[[Any, int], Any], digits: int
) -> "mpmath.mpf":
    """The N near `size` with error(N) = 1/2, by secants in log N; `error` takes floats, `error_digits(N, digits)` digits.

    A step with a slope known to so many digits adds as many to those of the root; each value is computed as well as it is
    used.
    """
    x = float(np.log(size))
    ends = error(np.exp(x + np.array([-1e-4, 1e-4])))
    slope, root = mpmath.mpf(float(np.diff(ends)[0] / 2e-4)), mpmath.mpf(x)
    right, gain, before = RIGHT, 5, None
    while True:
        aim = min(right + gain, digits)
        with mpmath.workdps(aim + 10):
            excess = error_digits(mpmath.exp(root), aim + 5) - mpmath.mpf(1) / 2
        if before is not None and excess != before[1]:
            slope = (excess - before[1]) / (root - before[0])
        before, root = (root, excess), root - excess / slope
        if aim == digits:
            return mpmath.exp(root)
        right, gain = aim, right


def half_of_items_digits(moments: Any, values: Mapping[str, Any], name: str, size: float, digits: int) -> "mpmath.mpf":
    """The value of `name` at which an item is lost half of the time, near `size`."""
    from asymp.theory.recall.item_errors import item_error, item_error_digits

    floats = {key: float(value) for key, value in values.items()}
    return half_digits(
        size,
        lambda N: item_error(moments, {**floats, name: N}),
        lambda N, wanted: item_error_digits(moments, {**values, name: N}, wanted),
        digits,
    )
