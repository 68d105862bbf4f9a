"""The finite-size capacity: the number of items at which a memory loses half of them, from its curve of errors."""

import math
from collections.abc import Callable
from typing import Any

__all__ = ["common_scale", "half_size", "half_symbol"]

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
