"""When is it best to store every input with the same weight? Fill (rho = 0) against the power scheme (rho > 0), T = inf.

At large d with balanced classes fill has the error pi_M(a) at the margin a = sqrt(d M/N), and q = p^rho has
sum_x p(x) pi_M(q(x) sqrt(d M/sum q^2)). Two statements follow.

- Crossover: against a fixed rho fill wins from a value of d M/N on.
- Rate: for outputs on the sphere the error of an input of weight q falls like (1 - q^2/(S_f + S_y))^(d/2) at best (M and N
  fixed, d -> inf), and equal weights make the smallest q^2 as large as it can be: no scheme has a better exponential rate.
"""

import math
from collections.abc import Callable

import mpmath as mp
import numpy as np
from numpy.typing import ArrayLike

from asymp.theory.functions.arguments import FloatArray, Mpf, float_arrays, guarded, whole
from asymp.theory.functions.schemes.margin_cost import log_error
from asymp.theory.functions.zipf.law import class_sums_digits
from asymp.theory.functions.zipf.power_sums import power_sum
from asymp.theory.functions.zipf.smooth_sums import sum_nodes
from asymp.theory.lazy import special

CHUNK = 200_000
"""Inputs in one array, unless a point alone has more."""


class _Pieces:
    """Nodes x and weights w for the sums over 1..N of every point, one piece after another."""

    def __init__(self, N: FloatArray, nodes: Callable[[int], tuple[FloatArray, FloatArray]]) -> None:
        different, place = np.unique(N, return_inverse=True)
        rules = [nodes(int(n)) for n in different]
        lengths = np.array([len(x) for x, _ in rules])[place]
        self.first = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        self.x, self.w = (np.concatenate([rules[k][i] for k in place]) for i in (0, 1))
        self.row = np.repeat(np.arange(N.size), lengths)

    def sum(self, terms: FloatArray) -> FloatArray:
        """The sum of the weighted terms of each point."""
        return np.asarray(np.add.reduceat(self.w * terms, self.first))


def fill_crossovers(*, alpha: ArrayLike, N: ArrayLike, M: ArrayLike, rho: ArrayLike) -> FloatArray:
    """The value of d M/N at which fill and q = p^rho have the same error (large d, balanced classes): fill wins above.

    alpha > 0 and rho > 0; arrays broadcast; relative error about 1e-9.
    """
    grid = float_arrays(alpha, N, M, rho)
    flat = [v.ravel() for v in grid]
    found = np.empty(flat[0].size)
    for outputs in np.unique(flat[2]):
        rows = np.flatnonzero(flat[2] == outputs)
        for part in np.array_split(rows, max(1, rows.size // 1000)):
            found[part] = _crossovers(flat[0][part], flat[1][part], flat[3][part], int(outputs))
    return found.reshape(grid[0].shape)


def _crossovers(alpha: FloatArray, N: FloatArray, rho: FloatArray, M: int) -> FloatArray:
    pieces = _Pieces(N, lambda last: sum_nodes(first=1, last=last))
    log_x = np.log(pieces.x)
    p = np.exp(-alpha[pieces.row] * log_x)
    p /= pieces.sum(p)[pieces.row]
    q = np.exp(-(alpha * rho)[pieces.row] * log_x)
    # margins of p^rho in units of that of fill
    shares = q * np.sqrt(N / pieces.sum(q**2))[pieces.row]

    def gain(log_load: FloatArray) -> FloatArray:
        margin = np.exp(log_load / 2)
        logs = log_error(np.concatenate([margin[pieces.row] * shares, margin]), M)
        return np.asarray(logs[pieces.row.size :] - np.log(pieces.sum(p * np.exp(logs[: pieces.row.size]))))

    low, high = np.full(N.shape, math.log(1e-2)), np.zeros(N.shape)
    at_low, at_high = gain(low), gain(high)
    while (behind := at_high > 0).any():
        low, at_low = np.where(behind, high, low), np.where(behind, at_high, at_low)
        high = np.where(behind, high + 0.5, high)
        # pi_M falls like exp(-d M/(4 N)): beyond 2000 it leaves float64.
        if high.max() > math.log(2000) + 0.5:
            worst = int(np.argmax(high))
            raise ValueError(
                f"rho and alpha are so large (rho alpha = {rho[worst] * alpha[worst]:g}) that fill wins only beyond "
                "d M/N = 2000"
            )
        at_high = gain(high)
    root = high
    for _ in range(100):
        # Illinois: the end that stays counts half, so that it moves the next time
        slope = at_high - at_low
        middle = np.where(slope != 0, high - at_high * (high - low) / np.where(slope != 0, slope, 1.0), high)
        value = gain(middle)
        above = value > 0
        low, high = np.where(above, middle, low), np.where(above, high, middle)
        at_low, at_high = np.where(above, value, at_low / 2), np.where(above, at_high / 2, value)
        done = (np.abs(middle - root) < 1e-10) | (np.abs(value) < 1e-12)
        root = middle
        if done.all():
            break
    return np.asarray(np.exp(root))


def power_rates(*, alpha: ArrayLike, N: ArrayLike, M: ArrayLike, rho: ArrayLike) -> FloatArray:
    """-log(1 - q(N)^2/(S_0 + S_1))/2: no scheme p^rho loses its rarest input N more slowly than exp(-d rate); M divides N.

    At rho = 0 it is log(1/(1 - M/(2 N)))/2, the rate of fill, and that is the largest. Arrays broadcast.
    """
    a, size, outputs, power = float_arrays(alpha, N, M, rho)
    slope = 2 * power * a
    # The classes of x = M, 2M, ... and of x = 1, M + 1, ..., in units of M^-slope.
    pair = power_sum(slope, 1.0, size / outputs) + power_sum(slope, 1 / outputs, size / outputs)
    return np.asarray(-np.log1p(-((size / outputs) ** -slope) / pair) / 2)


def pair_losses(*, alpha: ArrayLike, N: ArrayLike, M: ArrayLike, d: ArrayLike, rho: ArrayLike) -> FloatArray:
    """sum_x p(x)/2 P(t_d^2 > ...) of each point: an input of weight p^rho against the class of the next; arrays broadcast."""
    grid = float_arrays(alpha, N, M, d, rho)
    flat = [v.ravel() for v in grid]
    found = np.empty(grid[0].size)
    chunk = np.cumsum(flat[1]) // CHUNK
    for part in np.split(np.arange(found.size), np.flatnonzero(np.diff(chunk)) + 1):
        found[part] = _pair_losses(*(v[part] for v in flat))
    return found.reshape(grid[0].shape)


def _pair_losses(alpha: FloatArray, N: FloatArray, M: FloatArray, d: FloatArray, rho: FloatArray) -> FloatArray:
    pieces = _Pieces(N, lambda last: (np.arange(1.0, last + 1), np.ones(last)))
    p = pieces.x ** -alpha[pieces.row]
    p /= pieces.sum(p)[pieces.row]
    squares = p ** (2 * rho)[pieces.row]
    outputs, most = M[pieces.row], int(M.max(initial=1))
    own, other = pieces.x % outputs, (pieces.x + 1) % outputs
    place = pieces.row * most
    sums = np.bincount(place + own.astype(int), weights=squares, minlength=N.size * most)
    pair = sums[place + own.astype(int)] + sums[place + other.astype(int)]
    return np.asarray(pieces.sum(p * special.betaincc(0.5, d[pieces.row] / 2, squares / pair)) / 2)


@guarded(15)
def power_rate_digits(*, alpha: Mpf, N: Mpf, M: Mpf, rho: Mpf, digits: int = 50) -> Mpf:
    """power_rates at one point, to `digits` significant digits."""
    a, size, power = alpha, whole(N), rho
    sums = class_sums_digits(alpha=a, rho=power, M=int(M), N=size, digits=digits + 12).squares
    C = 1 / mp.fsum(mp.mpf(x) ** -a for x in range(1, size + 1))
    return -mp.log1p(-((C * mp.mpf(size) ** -a) ** (2 * power)) / (sums[0] + sums[1])) / 2
