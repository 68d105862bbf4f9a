"""`assert_order`: a numerical method's table of errors without noise, whose only uncertainty is the form of the approach."""

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from asymp.montecarlo.exponent.noiseless import FEWEST, SLOWEST, NoiselessFit
from asymp.reports.testing.assertions import Assertion, CouldNotFail

__all__ = ["assert_order"]


def assert_order(h: Sequence[float], errors: Sequence[float], *, order: float, margin: float = 0.1) -> Assertion:
    """Assert that errors of a numerical method fall as h^order: a convergence table, no randomness in it.

    The order's interval holds over the class C h^p (1 + k h^w + smaller), w at least 0.3: the local orders between the five
    smallest steps tend to p steadily, and no logarithm of h comes in. It fails if `order` is outside the interval, and raises
    CouldNotFail if the interval is wider than `margin`.

    >>> step = [0.1, 0.05, 0.025, 0.0125, 0.00625, 0.003125]
    >>> assert_order(step, [3 * s**2 * (1 + s) for s in step], order=2).shown
    True

    Args:
        h: step sizes, at least five different ones.
        errors: the error at each.
        order: the order that the method should have.
        margin: how far from `order` the interval's ends may lie at most.
    """
    __tracebackhide__ = True
    try:
        steps, values = np.asarray(h, dtype=float), np.asarray(errors, dtype=float)
    except (TypeError, ValueError):
        raise ValueError("h and errors must be sequences of numbers") from None
    if steps.ndim != 1 or steps.shape != values.shape or len(np.unique(steps)) < max(FEWEST, len(steps)):
        raise ValueError(
            f"h and errors must have the same length, h at least {FEWEST} different steps; got {_shape(h)} and {_shape(errors)}"
        )
    if not all((np.isfinite(v) & (v > 0)).all() for v in (steps, values)):
        raise ValueError("h and errors must be positive and finite; leave out steps whose error is 0 or only rounding")
    if not all(isinstance(v, Real) and math.isfinite(v) for v in (order, margin)) or margin <= 0:
        raise ValueError(f"order must be a number and margin above 0; got {order!r} and {margin!r}")
    fit = NoiselessFit.of(steps.max() / steps, values)
    middle, half = -fit.exponent, fit.half
    words = (
        f"the errors at the {FEWEST} smallest steps fall as h^p with p = {middle:.4g}, from {middle - half:.4g} to "
        f"{middle + half:.4g} over the class C h^p (1 + k h^w), w at least {SLOWEST:g}."
    )
    if abs(order - middle) > half:
        raise AssertionError(f"the order is not {order:g}: {words}")
    seen = abs(order - middle) + half
    if seen > margin:
        raise CouldNotFail(
            f"the order {order:g} is neither shown nor refuted within {margin:g}: {words} Smaller steps would tell."
        )
    return Assertion(p_value=1.0, seen=seen, unit="absolute", needed=None, shown=True, words=words)


def _shape(values: Any) -> str:
    return str(len(values)) if hasattr(values, "__len__") else type(values).__name__
