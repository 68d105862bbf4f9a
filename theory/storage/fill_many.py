"""Fill against the power scheme at many points at once: inputs of all points in one long array, a piece for each point."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from asymp.theory.storage.margin_cost import log_error
from asymp.theory.storage.schemes import each_point
from asymp.theory.storage.smooth_sums import sum_nodes
from asymp.theory.zipf.power_sums import FloatArray

__all__ = ["fill_crossovers", "pair_losses", "power_rates"]

FEW = 4096
"""Inputs of a point that are all put in the array; beyond, points are done one by one."""
CHUNK = 200_000
"""Inputs in one array."""


class Pieces:
    """Nodes x and weights w for the sums over 1..N of every point, one piece after another."""

    def __init__(self, N: FloatArray, nodes: Callable[[int], tuple[FloatArray, FloatArray]]) -> None:
        different, place = np.unique(N, return_inverse=True)
        rules = [nodes(int(n)) for n in different]
        self.lengths = np.array([len(x) for x, _ in rules])[place]
        self.first = np.concatenate([[0], np.cumsum(self.lengths)[:-1]])
        self.x, self.w = (np.concatenate([rules[k][i] for k in place]) for i in (0, 1))
        self.row = np.repeat(np.arange(N.size), self.lengths)

    def sum(self, terms: FloatArray) -> FloatArray:
        """The sum of the weighted terms of each point."""
        return np.asarray(np.add.reduceat(self.w * terms, self.first))


def fill_crossovers(*, alpha: Any, N: Any, M: Any, rho: Any) -> FloatArray:
    """`fill_crossover` at every point of the broadcast arrays, relative error about 1e-9."""
    grid = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in (alpha, N, M, rho)))
    flat = [v.ravel() for v in grid]
    found = np.empty(flat[0].size)
    for outputs in np.unique(flat[2]):
        rows = np.flatnonzero(flat[2] == outputs)
        for part in np.array_split(rows, max(1, rows.size // 1000)):
            found[part] = _crossovers(flat[0][part], flat[1][part], flat[3][part], int(outputs))
    return found.reshape(grid[0].shape)


def _crossovers(alpha: FloatArray, N: FloatArray, rho: FloatArray, M: int) -> FloatArray:
    pieces = Pieces(N, lambda last: sum_nodes(first=1, last=last))
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


def _stored(alpha: FloatArray, N: FloatArray, rho: FloatArray) -> tuple[Pieces, FloatArray, FloatArray]:
    """All inputs of all points, p and q^2 = p^(2 rho)."""
    pieces = Pieces(N, lambda last: (np.arange(1.0, last + 1), np.ones(last)))
    p = pieces.x ** -alpha[pieces.row]
    p /= pieces.sum(p)[pieces.row]
    return pieces, p, p ** (2 * rho)[pieces.row]


def _in_parts(function: Callable[..., FloatArray], alone: Callable[..., float], **values: Any) -> FloatArray:
    """function on parts of the points whose inputs fit in an array; points of very many inputs go one by one."""
    grid = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in values.values()))
    flat = dict(zip(values, (v.ravel() for v in grid), strict=True))
    found = np.empty(grid[0].size)
    few = np.flatnonzero(flat["N"] <= FEW)
    many = np.flatnonzero(flat["N"] > FEW)
    if few.size:
        pieces = max(1, math.ceil(float(flat["N"][few].sum()) / CHUNK))
        for part in np.array_split(few, min(pieces, few.size)):
            found[part] = function(**{name: v[part] for name, v in flat.items()})
    if many.size:
        found[many] = each_point(alone, **{name: v[many] for name, v in flat.items()})
    return found.reshape(grid[0].shape)


def power_rates(**values: Any) -> FloatArray:
    """`power_rate` at every point of the broadcast arrays alpha, N, M and rho."""
    from asymp.theory.storage.fill_order import power_rate

    def rates(*, alpha: FloatArray, N: FloatArray, M: FloatArray, rho: FloatArray) -> FloatArray:
        pieces, _, squares = _stored(alpha, N, rho)
        pair = pieces.sum(np.where(pieces.x % M[pieces.row] < 2, squares, 0.0))
        rarest = squares[pieces.first + pieces.lengths - 1]
        return np.asarray(-np.log1p(-rarest / pair) / 2)

    return _in_parts(rates, power_rate, **values)


def pair_losses(alone: Callable[..., float], **values: Any) -> FloatArray:
    """sum_x p/2 P(t_d^2 > ...) of each point: an input against the class of the next, arrays alpha, N, M, d and rho."""
    from scipy.special import betaincc

    def losses(*, alpha: FloatArray, N: FloatArray, M: FloatArray, d: FloatArray, rho: FloatArray) -> FloatArray:
        pieces, p, squares = _stored(alpha, N, rho)
        outputs, most = M[pieces.row], int(M.max())
        own, other = pieces.x % outputs, (pieces.x + 1) % outputs
        place = pieces.row * most
        sums = np.bincount(place + own.astype(int), weights=squares, minlength=N.size * most)
        pair = sums[place + own.astype(int)] + sums[place + other.astype(int)]
        return pieces.sum(p * betaincc(0.5, d[pieces.row] / 2, squares / pair)) / 2

    return _in_parts(losses, alone, **values)
