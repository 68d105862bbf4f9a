"""Shared pieces of the weight schemes' laws: points one by one, and the exact recall error in a law's arguments."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from asymp.theory.power_sums import FloatArray

__all__ = ["each_point", "no_more_digits", "recall_errors"]


def each_point(function: Callable[..., float], **values: Any) -> FloatArray:
    """function at every point of the broadcast arrays, with floats for arguments; equal points are computed once."""
    names = list(values)
    grid = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in values.values()))
    points, where = np.unique(np.stack([a.ravel() for a in grid]), axis=1, return_inverse=True)
    found = np.array([function(**dict(zip(names, map(float, point), strict=True))) for point in points.T])
    return found[where.ravel()].reshape(grid[0].shape)


def recall_errors(*, outputs: str = "gaussian", rel_error: float = 1e-3, **values: Any) -> FloatArray:
    """asymp.theory.recall_error at every point; P = inf and T = inf stand for None, as laws have them."""
    from asymp.theory.recall_error import recall_error

    def one(**point: float) -> float:
        arguments: dict[str, Any] = dict(point)
        for name in ("P", "T"):
            if arguments.get(name) == math.inf:
                arguments[name] = None
        return recall_error(outputs=outputs, rel_error=rel_error, **arguments).value

    return each_point(one, **values)


def no_more_digits(what: str, digits: str, function: str) -> ValueError:
    """The error that a law without many digits raises: how many digits can be had, and from which function."""
    return ValueError(f"{what} cannot be evaluated to any number of digits: about {digits} digits can be had, from {function}")
