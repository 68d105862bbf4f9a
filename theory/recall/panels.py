"""A smooth function of one variable as a table: Chebyshev interpolation on panels of equal width, in float64.

A function that is analytic well beyond the panels (in an ellipse about each of several times its width) is reproduced to
rounding by 16 nodes a panel; a value then costs 16 multiplications. Who makes a table says, and tests, how good it is.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from asymp.theory.zipf.power_sums import FloatArray

__all__ = ["PanelTable", "make_table"]

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
