"""Shared pieces of the weight schemes' laws: points one by one, the exact recall error in a law's arguments, (z)_b."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from asymp.theory.zipf.power_sums import FloatArray

__all__ = ["each_point", "no_more_digits", "recall_errors", "rising"]


def each_point(function: Callable[..., float], **values: Any) -> FloatArray:
    """function at every point of the broadcast arrays, with floats for arguments; equal points are computed once."""
    names = list(values)
    grid = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in values.values()))
    points, where = np.unique(np.stack([a.ravel() for a in grid]), axis=1, return_inverse=True)
    found = np.array([function(**dict(zip(names, map(float, point), strict=True))) for point in points.T])
    return found[where.ravel()].reshape(grid[0].shape)


def recall_errors(*, outputs: str = "gaussian", rel_error: float = 1e-3, **values: Any) -> FloatArray:
    """asymp.theory.recall_error at every point; P = inf and T = inf stand for None, as laws have them."""
    from asymp.theory.recall.exact import recall_error

    def one(**point: float) -> float:
        arguments: dict[str, Any] = dict(point)
        for name in ("P", "T"):
            if arguments.get(name) == math.inf:
                arguments[name] = None
        return recall_error(outputs=outputs, rel_error=rel_error, **arguments).value

    return each_point(one, **values)


def no_more_digits(what: str, digits: str, function: str) -> ValueError:
    """The error that a law without many digits raises: how many digits can be had, and from which function."""
    return ValueError(
        f"{what} cannot be evaluated to any number of digits: about {digits} digits can be had, from {function}"
    )


def rising(z: Any, b: Any) -> FloatArray:
    """Gamma(z + b)/Gamma(z) for z > 0 and b >= 0, relative error about 1e-14 (two log-gammas would lose z log z eps)."""
    from scipy.special import gamma

    z, b = np.broadcast_arrays(np.asarray(z, dtype=np.float64), np.asarray(b, dtype=np.float64))
    # Up to 16 by the functional equation, beyond by Stirling's series with its large terms cancelled by hand.
    steps = np.maximum(np.ceil(16 - z), 0)
    factor = np.ones(z.shape)
    for i in range(int(steps.max(initial=0))):
        factor = np.where(i < steps, factor * (z + i) / (z + b + i), factor)
    y = z + steps
    logs = (y - 0.5) * np.log1p(b / y) + b * np.log(y + b) - b + _stirling(y + b) - _stirling(y)
    small = (z < 1) & (b < 20)
    direct = gamma(np.where(small, z + b, 1.0)) / gamma(np.where(small, z, 1.0))
    return np.asarray(np.where(small, direct, factor * np.exp(logs)))


def _stirling(z: FloatArray) -> FloatArray:
    """log Gamma(z) - [(z - 1/2) log z - z + log(2 pi)/2] for z >= 16, absolute error below 1e-17."""
    coefficients = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)
    return np.asarray(sum(c * z ** (-1.0 - 2 * m) for m, c in enumerate(coefficients)))
