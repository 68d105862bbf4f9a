"""p-values from nested intervals: the smallest level at which the interval no longer touches what the law says."""

import math
from collections.abc import Callable

__all__ = ["p_by_interval"]

SMALLEST = 1e-11
# p-values are known to a thousandth of themselves, rounded up: an interval of an exponent takes milliseconds.
ROUNDED = 1.001


def p_by_interval(interval: Callable[[float], tuple[float, float]], low: float, high: float) -> float:
    """The p-value against 'the quantity lies in [low, high]', from intervals that are nested in their level."""

    def excludes(p: float) -> bool:
        left, right = interval(1 - p)
        return right < low or left > high

    if not excludes(0.5):
        return 1.0
    if excludes(SMALLEST):
        return SMALLEST
    bottom, top = SMALLEST, 0.5
    while top > ROUNDED * bottom:
        middle = math.sqrt(bottom * top)
        if excludes(middle):
            top = middle
        else:
            bottom = middle
    return top
