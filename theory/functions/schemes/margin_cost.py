"""The M-way Gaussian error as a cost of storage: pi_M(a) for the price a^2, its slope, and the best margin at a price.

Storing inputs with margins a_x costs sum a_x^2 = d M. The best margin of an input of probability p at the price lambda
minimises p pi_M(a) + lambda a^2: with b = a^2 and psi(a) = -d pi_M/db = -pi_M'(a)/(2 a) it solves psi(a) = lambda/p.

    -pi_M'(a) = (M-1) phi(a/sqrt 2)/sqrt 2  E[Phi(a/2 + g/sqrt 2)^(M-2)],   g standard normal.

psi falls from infinity to 0, so that every input gets a share, where pi_M is convex in b: for M <= 45. From M = 46 on
psi has a local minimum and a local maximum; there the convex hull of the cost is a line between two margins a_1 < a_2
(touching at both), and the best margin jumps from a_1 to a_2 at p = lambda e^l, l = -log psi there.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from asymp.theory.functions.arguments import BoolArray, FloatArray
from asymp.theory.functions.numerics import PanelTable, make_table
from asymp.theory.functions.recall.gaussian_error import error_table, pi_M
from asymp.theory.lazy import interpolate, optimize, special

STEPS, REACH = ((64, 1 / 4), (1000, 1 / 8), (math.inf, 1 / 16)), 9.0
"""The trapezoidal rule for E[Phi^(M-2)]: its step for M up to a size; measured against finer ones, the error is below
1e-14 for M <= 1000 and 1e-12 for M = 1e6."""

LARGE = 40.0
"""From this margin on errors are those of one competitor at a time: two at once are rarer by exp(-a^2/12) < 1e-57."""

FAR = 64.0
"""The table of slopes ends here; tests find it right to 1e-12 up to M = 10^6."""

CHUNK = 8192
"""Margins solved at a time, to bound the memory."""


@dataclass(frozen=True)
class Jump:
    """The best margin jumps from low to high at log(p/lambda) = level; psi rises between turn_low and turn_high."""

    level: float
    low: float
    high: float
    turn_low: float
    turn_high: float


@dataclass(frozen=True)
class MarginCost:
    """The cost for M outputs: a table of l = -log psi on a grid of margins, and the jump if there is one."""

    M: int
    grid: FloatArray
    levels: FloatArray
    slopes: FloatArray
    jump: Jump | None

    @property
    def steep(self) -> float:
        """The level log(p/lambda) where the best margin changes fastest, or jumps."""
        if self.jump is not None:
            return self.jump.level
        return float(self.levels[np.argmin(self.grid * self.slopes)])

    def margin(self, level: ArrayLike, *, upper: ArrayLike | None = None) -> FloatArray:
        """The best margin at level = log(p/lambda), relative error about 1e-14.

        Where the cost is not convex, `upper` chooses the branch of each entry (None: the global minimum).
        """
        target = np.asarray(level, dtype=np.float64)
        if self.jump is None:
            return self._solve(target, np.full(self.grid.shape, True))
        above = target > self.jump.level if upper is None else np.broadcast_to(upper, target.shape)
        result = np.empty(target.shape)
        result[~above] = self._solve(target[~above], self.grid <= self.jump.turn_low, most=self.jump.turn_low)
        result[above] = self._solve(target[above], self.grid >= self.jump.turn_high, least=self.jump.turn_high)
        return result

    def _solve(self, target: FloatArray, branch: BoolArray, least: float = 0.0, most: float = math.inf) -> FloatArray:
        """Interpolation in the table, psi ~ 1/a below it and exp(-a^2/4) above it, then Newton's method in log a."""
        grid, levels = self.grid[branch], self.levels[branch]
        # d log a/dl; at a turning point it is infinite, and any start will do.
        slopes = 1 / np.maximum(grid * self.slopes[branch], 0.05)
        y = interpolate.CubicHermiteSpline(levels, np.log(grid), slopes)(np.clip(target, levels[0], levels[-1]))
        y = np.where(target < levels[0], np.log(grid[0]) + target - levels[0], y)
        if most == math.inf:
            far = np.sqrt(grid[-1] ** 2 + 4 * np.maximum(target - levels[-1], 0.0))
            y = np.where(target > levels[-1], np.log(far), y)
        flat, wanted = y.ravel(), target.ravel()
        bounds = (math.log(least) if least else -math.inf, math.log(most))
        for start in range(0, flat.size, CHUNK):
            part = slice(start, start + CHUNK)
            flat[part] = self._polish(flat[part], wanted[part], bounds)
        return np.asarray(np.exp(flat).reshape(target.shape), dtype=np.float64)

    def _polish(self, y: FloatArray, target: FloatArray, bounds: tuple[float, float]) -> FloatArray:
        """Newton's method for l(e^y) = target, within a branch."""
        for _ in range(20):
            a = np.exp(np.clip(y, *bounds))
            value, slope = _level(a, self.M)
            change = np.where(slope > 0, (target - value) / np.where(slope > 0, a * slope, 1.0), 0.0)
            y = np.clip(y + np.clip(change, -1, 1), *bounds)
            # The next change would be of the order of the square.
            if np.all(np.abs(change) < 1e-8):
                break
        return y


@lru_cache(maxsize=64)
def make_cost(M: int) -> MarginCost:
    """The cost for M >= 2 outputs."""
    grid = np.concatenate([np.geomspace(1e-9, 0.05, 400), np.arange(0.0625, 60, 1 / 32)])
    levels, slopes = _level(grid, M)
    falls = np.flatnonzero(slopes < 0)
    jump = _find_jump(M, grid[falls[0] - 1], grid[falls[-1] + 1]) if falls.size else None
    return MarginCost(M=M, grid=grid, levels=levels, slopes=slopes, jump=jump)


def log_error(a: ArrayLike, M: int) -> FloatArray:
    """log pi_M(a) for a >= 0 of any size."""
    margins = np.asarray(a, dtype=np.float64)
    near = error_table(float(M))(np.minimum(margins, LARGE))
    return np.where(margins < LARGE, near, math.log(M - 1) + special.log_ndtr(-margins / math.sqrt(2)))


def log_slope(a: ArrayLike, M: int) -> FloatArray:
    """log(-pi_M'(a)) for a >= 0."""
    return _log_slope(np.asarray(a, dtype=np.float64), M)[0]


def _log_slope(a: FloatArray, M: int) -> tuple[FloatArray, FloatArray]:
    """log(-pi_M'(a)) and its derivative in a: a table of log(-pi_M'(a)) + a^2/4, integrals beyond it."""
    value, slope = _slope_table(M).with_slope(np.minimum(a, FAR))
    value, slope = value - a**2 / 4, slope - a / 2
    if np.any(a >= FAR):
        far = np.asarray(a >= FAR)
        value, slope = np.asarray(value), np.asarray(slope)
        value[far], slope[far] = _integrated_slope(np.asarray(a)[far], M)
    return np.asarray(value), np.asarray(slope)


@lru_cache(maxsize=64)
def _slope_table(M: int) -> PanelTable:
    return make_table(lambda a: _integrated_slope(a, M)[0] + a**2 / 4, 0.0, FAR, 0.5)


def _integrated_slope(a: FloatArray, M: int) -> tuple[FloatArray, FloatArray]:
    """log(-pi_M'(a)) and its derivative in a, by the trapezoidal rule."""
    # phi(g) Phi(a/2 + g/sqrt 2)^(M-2) falls at least as fast as phi on either side of its peak, which lies between 0
    # and 2 sqrt(log M).
    step = next(h for size, h in STEPS if size >= M)
    g = np.arange(-REACH, REACH + 2 * math.sqrt(math.log(M)) + step, step)
    x = a[..., None] / 2 + g / math.sqrt(2)
    log_cdf = special.log_ndtr(x)
    logs = (M - 2) * log_cdf - g**2 / 2
    top = logs.max(axis=-1, keepdims=True)
    terms = np.exp(logs - top)
    total = terms.sum(axis=-1)
    # d/da Phi(x)^(M-2) = (M-2)/2 Phi^(M-2) phi/Phi
    mills = np.exp(-(x**2) / 2 - log_cdf) / math.sqrt(2 * math.pi)
    derivative = -a / 2 + (M - 2) / 2 * (terms * mills).sum(axis=-1) / total
    front = math.log((M - 1) * step / (2 * math.sqrt(2) * math.pi))
    return front - a**2 / 4 + top[..., 0] + np.log(total), derivative


def _level(a: FloatArray, M: int) -> tuple[FloatArray, FloatArray]:
    """l = -log psi(a) and its derivative in a."""
    value, slope = _log_slope(a, M)
    return np.log(2 * a) - value, 1 / a - slope


def _find_jump(M: int, below: float, above: float) -> Jump:
    """The line that touches pi_M(sqrt b) from below at two points; psi turns between the margins below and above."""

    def slope(a: float) -> float:
        return float(_level(np.asarray(a), M)[1])

    middle = np.linspace(below, above, 65)
    inside = float(middle[np.argmin([slope(a) for a in middle])])
    turn_low = float(optimize.brentq(slope, below, inside, xtol=1e-14))
    turn_high = float(optimize.brentq(slope, inside, above, xtol=1e-14))
    # Levels rise to turn_low, fall to turn_high and rise again. A price between those two has a root on each side.
    top, bottom = (float(_level(np.asarray(a), M)[0]) for a in (turn_low, turn_high))

    def root(level: float, low: float, high: float) -> float:
        return float(
            optimize.brentq(lambda a: float(_level(np.asarray(a), M)[0]) - level, low, high, xtol=1e-14, rtol=1e-14)
        )

    def pair(level: float) -> tuple[float, float]:
        return root(level, turn_low / 1e3, turn_low), root(level, turn_high, turn_high + 20)

    def excess(level: float) -> float:
        """(fall of the error) - (price) x (rise of a^2) from one root to the other: 0 where the line touches both."""
        low, high = pair(level)
        return float(pi_M(a=low, M=M)) - float(pi_M(a=high, M=M)) - math.exp(-level) * (high**2 - low**2)

    margin = 1e-9 * (top - bottom)
    level = float(optimize.brentq(excess, bottom + margin, top - margin, xtol=1e-13, rtol=1e-14))
    low, high = pair(level)
    return Jump(level=level, low=low, high=high, turn_low=turn_low, turn_high=turn_high)
