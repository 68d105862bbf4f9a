"""`assert_order`: a numerical method's table of errors without noise, whose only uncertainty is the form of the approach."""

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from asymp.montecarlo.exponent.fit import ExponentFit, fit_exponent_of_logs
from asymp.montecarlo.fit.forms import SINGLE
from asymp.montecarlo.fit.solve import solve
from asymp.reports.testing.assertions import Assertion, CouldNotFail

__all__ = ["assert_order"]

FAMILIES = ("power", "corrected")
ROUNDING = 1e-6
FEWEST = 5


def assert_order(h: Sequence[float], errors: Sequence[float], *, order: float, margin: float = 0.1) -> Assertion:
    """Assert that errors of a numerical method fall as h^order: a convergence table, no randomness in it.

    The order's interval holds over the class C h^p (1 + k h^w): what a power with a correction leaves unexplained takes the
    place of noise. The largest steps are left out while none of the class describes them. It fails if `order` is outside the
    interval, and raises CouldNotFail if the interval is wider than `margin`, or if no five steps are of the class.

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
    fit, kept = _fit(steps, values)
    if fit is None:
        raise CouldNotFail(
            f"the order {order:g} is neither shown nor refuted: no power with a correction describes the errors of the "
            f"{FEWEST} smallest steps. Smaller steps would tell."
        )
    low, high = (-end for end in fit.interval(0.95)[::-1])
    words = f"The errors fall as h^p with p = {-fit.exponent:.4g}, from {low:.4g} to {high:.4g} over the class {fit.declared}, "
    words += f"at the {kept} smallest steps." if kept < len(steps) else "at all steps."
    if not low <= order <= high and not (abs(low - order) <= 1e-6 or abs(high - order) <= 1e-6):
        raise AssertionError(f"the order is not {order:g}: {words}")
    if max(order - low, high - order) > margin:
        raise CouldNotFail(
            f"the order {order:g} is neither shown nor refuted within {margin:g}: {words} Smaller steps would tell."
        )
    return Assertion(
        p_value=1.0, seen=max(order - low, high - order), unit="absolute", needed=None, shown=True, words=words
    )


def _fit(steps: np.ndarray[Any, Any], values: np.ndarray[Any, Any]) -> tuple[ExponentFit | None, int]:
    """The fit to as many of the smallest steps as the class describes, and how many these are."""
    order = np.argsort(steps)
    for kept in range(len(steps), FEWEST - 1, -1):
        sizes, errors = (v[order[:kept]][::-1] for v in (steps.max() / steps, values))
        left = min(solve(SINGLE[name], sizes[:, None], errors).cost for name in FAMILIES)
        scale = max(math.sqrt(left / max(kept - 4, 1)), ROUNDING)
        fit = fit_exponent_of_logs(
            sizes, np.log(errors).tolist(), [scale] * kept, freedom=max(kept - 4, 1), families=FAMILIES
        )
        if fit.status != "misfit":
            return fit, kept
    return None, 0


def _shape(values: Any) -> str:
    return str(len(values)) if hasattr(values, "__len__") else type(values).__name__
