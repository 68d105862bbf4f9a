"""`assert_order`: a numerical method's table of errors without noise, whose only uncertainty is the form of the approach.

The local order between two steps tends to p as h^w. Three local orders say p and w; three that begin one step earlier say them
without the smallest step. Nothing else is known of what both leave out, so their difference is carried on to smaller steps as
slowly as the class allows, and half of the extrapolation counts as uncertain in any case.
"""

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from asymp.montecarlo.fit.forms import Array
from asymp.reports.testing.assertions import Assertion, CouldNotFail

__all__ = ["assert_order"]

ROUNDING = 1e-6
FEWEST = 5
SLOWEST, FASTEST = 0.3, 8.0
"""The powers of h with which a local order may tend to its limit."""
TRUSTED = 0.5
"""The share of an extrapolation that counts as uncertain in any case."""


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
    smallest = np.argsort(-steps)[-FEWEST:]
    middle, half = _order(steps[smallest], values[smallest])
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


def _order(steps: Array, errors: Array) -> tuple[float, float]:
    """The order and half the width of its interval, from five errors at falling steps."""
    gaps = -np.diff(np.log(steps))
    local = -np.diff(np.log(errors)) / gaps
    turns = -np.diff(local)
    slowly = 1 / math.expm1(SLOWEST * float(gaps.min()))  # what is left of a sum whose terms fall so slowly
    before, last = (_limit(steps[i:], local[i : i + 3]) for i in (0, 1))
    if before is None or last is None:
        steady = (turns[1:] * turns[:-1] > 0).all()
        return float(local[-1]), slowly * float(np.abs(turns).sum() if steady else np.abs(turns).max()) + ROUNDING
    return last, slowly * abs(last - before) + TRUSTED * abs(last - float(local[-1])) + ROUNDING


def _limit(steps: Array, local: Array) -> float | None:
    """Where three local orders between four steps tend as a power of the step; None if by no power of the class."""

    def parts(w: float) -> Array:
        """The correction h^w in each local order."""
        powers = (steps[:4] / steps[3]) ** w
        return np.asarray(np.diff(powers) / np.diff(np.log(steps[:4])))

    def ratio(w: float) -> float:
        first, second, third = parts(w)
        return float((first - second) / (second - third))

    early, late = float(local[0] - local[1]), float(local[1] - local[2])
    if max(abs(early), abs(late)) <= ROUNDING / 10:
        return float(local[2])
    if early * late <= 0 or early / late <= ratio(SLOWEST):
        return None
    low, high = SLOWEST, FASTEST
    if early / late >= ratio(FASTEST):
        low = FASTEST
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if ratio(middle) < early / late else (low, middle)
    _, second, third = parts(low)
    return float(local[2] - late / (second - third) * third)


def _shape(values: Any) -> str:
    return str(len(values)) if hasattr(values, "__len__") else type(values).__name__
