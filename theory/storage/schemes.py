"""Shared pieces of the weight schemes' laws: points one by one, the exact recall error in a law's arguments, (z)_b."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from asymp.theory.recall.panels import make_table
from asymp.theory.zipf.power_sums import FloatArray

__all__ = ["along", "each_point", "no_more_digits", "recall_errors", "rising"]

SWEEP = 300
"""Points that differ in one variable only from which a table in it pays."""

AGREED = 1e-11
"""A table that is off by more between its nodes is not used."""


def each_point(function: Callable[..., float], **values: Any) -> FloatArray:
    """function at every point of the broadcast arrays, with floats for arguments; equal points are computed once."""
    names = list(values)
    grid = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in values.values()))
    points, where = np.unique(np.stack([a.ravel() for a in grid]), axis=1, return_inverse=True)
    found = np.array([function(**dict(zip(names, map(float, point), strict=True))) for point in points.T])
    return found[where.ravel()].reshape(grid[0].shape)


def along(variable: str, function: Callable[..., float], **values: Any) -> FloatArray:
    """each_point for a positive function that is analytic in log(variable): long sweeps of it come from a table.

    The table, of log(function) on panels of width 1, is compared with the function between its nodes in every panel;
    where it is off, the points are computed one by one.
    """
    names = list(values)
    grid = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in values.values()))
    flat = np.stack([a.ravel() for a in grid])
    moving = names.index(variable)
    fixed, where = np.unique(np.delete(flat, moving, axis=0), axis=1, return_inverse=True)
    found = np.empty(flat.shape[1])
    for i, point in enumerate(fixed.T):
        here = np.flatnonzero(where.ravel() == i)
        others = dict(zip((n for n in names if n != variable), map(float, point), strict=True))
        x = flat[moving, here]
        smooth = _sweep(partial(_at, function, variable, others), x) if here.size >= SWEEP else None
        found[here] = each_point(function, **{variable: x}, **others) if smooth is None else smooth
    return found.reshape(grid[0].shape)


def _at(function: Callable[..., float], variable: str, others: dict[str, float], x: float) -> float:
    return function(**{variable: x}, **others)


def _sweep(function: Callable[[float], float], x: FloatArray) -> FloatArray | None:
    """function(x) from a table of its logarithm in log x; None if that is not accurate, or no gain."""
    low, high = float(np.log(x.min())), float(np.log(x.max()))
    panels = max(1, math.ceil(high - low))
    if 20 * panels > np.unique(x).size:
        return None

    def logs(y: FloatArray) -> FloatArray:
        return np.array([math.log(function(math.exp(v))) for v in y])

    # The ends are kept inside: a variable must not leave its domain by rounding.
    width = max(high - low, 1e-6) / panels
    table = make_table(logs, low, low + panels * width, width)
    between = np.asarray(low + width * (np.arange(panels) + 0.47), dtype=np.float64)
    if np.max(np.abs(table(between) - logs(between))) > AGREED:
        return None
    return np.asarray(np.exp(table(np.log(x))))


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
