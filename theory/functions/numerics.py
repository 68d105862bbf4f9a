"""A smooth function of one variable as a table: Chebyshev interpolation on panels of equal width, in float64.

A function that is analytic well beyond the panels (in an ellipse about each of several times its width) is reproduced to
rounding by 16 nodes a panel; a value then costs 16 multiplications. Who makes a table says, and tests, how good it is.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from asymp.theory.functions.arguments import FloatArray, float_arrays
from asymp.theory.lazy import special

NODES = 16


@dataclass(frozen=True)
class PanelTable:
    """Powers of the distance from the middle of each panel in units of half its width, the highest first."""

    low: float
    width: float
    powers: FloatArray

    def __call__(self, x: FloatArray) -> FloatArray:
        """The function at x, which lies between the ends."""
        panel, t = self._locate(x)
        value = self.powers[0][panel]
        for row in self.powers[1:]:
            value *= t
            value += row[panel]
        return np.asarray(value, dtype=np.float64)

    def with_slope(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The function and its derivative; the derivative has lost some three digits."""
        panel, t = self._locate(x)
        value, slope = self.powers[0][panel], np.zeros(np.shape(x))
        for row in self.powers[1:]:
            slope *= t
            slope += value
            value *= t
            value += row[panel]
        return value, slope * (2 / self.width)

    def _locate(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        position = (np.asarray(x, dtype=np.float64) - self.low) / self.width
        panel = np.minimum(position.astype(np.int64), self.powers.shape[1] - 1)
        return panel, 2 * (position - panel) - 1


def make_table(function: Callable[[FloatArray], FloatArray], low: float, high: float, width: float) -> PanelTable:
    """The table of a function (of one-dimensional arrays) on [low, high], a whole number of panels."""
    middle = low + width * (np.arange(round((high - low) / width)) + 0.5)
    nodes = np.cos(np.pi * (np.arange(NODES) + 0.5) / NODES)
    values = function((middle[:, None] + nodes * width / 2).ravel()).reshape(len(middle), NODES)
    series = np.polynomial.chebyshev.chebfit(nodes, values.T, NODES - 1)
    # From Chebyshev polynomials to powers: 16 of them lose four digits of the high coefficients, which are small.
    powers = np.zeros((NODES, NODES))
    for k in range(NODES):
        powers[: k + 1, k] = np.polynomial.chebyshev.cheb2poly([0] * k + [1])
    return PanelTable(low=low, width=width, powers=np.ascontiguousarray((powers @ series)[::-1]))


SWEEP = 300
"""Points that differ in one variable only from which a table in it pays."""

AGREED = 1e-11
"""A table that is off by more between its nodes is not used."""


def each_point(function: Callable[..., float], **values: ArrayLike) -> FloatArray:
    """function at every point of the broadcast arrays, with floats for arguments; equal points are computed once."""
    names = list(values)
    grid = float_arrays(*values.values())
    points, where = np.unique(np.stack([a.ravel() for a in grid]), axis=1, return_inverse=True)
    found = np.array([function(**dict(zip(names, map(float, point), strict=True))) for point in points.T])
    return found[where.ravel()].reshape(grid[0].shape)


def along(variable: str, function: Callable[..., float], **values: ArrayLike) -> FloatArray:
    """each_point for a positive function that is analytic in log(variable): long sweeps of it come from a table.

    The table, of log(function) on panels of width 1, is compared with the function between its nodes in every panel;
    where it is off, the points are computed one by one.
    """
    names = list(values)
    grid = float_arrays(*values.values())
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


def no_more_digits(what: str, digits: str, function: str) -> ValueError:
    """The error that a law without many digits raises: how many digits can be had, and from which function."""
    return ValueError(
        f"{what} cannot be evaluated to any number of digits: about {digits} digits can be had, from {function}"
    )


def rising(z: ArrayLike, b: ArrayLike) -> FloatArray:
    """Gamma(z + b)/Gamma(z) for z > 0 and b >= 0, relative error about 1e-14 (two log-gammas would lose z log z eps)."""
    z, b = float_arrays(z, b)
    # Up to 16 by the functional equation, beyond by Stirling's series with its large terms cancelled by hand.
    steps = np.maximum(np.ceil(16 - z), 0)
    factor = np.ones(z.shape)
    for i in range(int(steps.max(initial=0))):
        factor = np.where(i < steps, factor * (z + i) / (z + b + i), factor)
    y = z + steps
    logs = (y - 0.5) * np.log1p(b / y) + b * np.log(y + b) - b + _stirling(y + b) - _stirling(y)
    small = (z < 1) & (b < 20)
    direct = special.gamma(np.where(small, z + b, 1.0)) / special.gamma(np.where(small, z, 1.0))
    return np.asarray(np.where(small, direct, factor * np.exp(logs)))


def _stirling(z: FloatArray) -> FloatArray:
    """log Gamma(z) - [(z - 1/2) log z - z + log(2 pi)/2] for z >= 16, absolute error below 1e-17."""
    coefficients = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)
    return np.asarray(sum(c * z ** (-1.0 - 2 * m) for m, c in enumerate(coefficients)))
