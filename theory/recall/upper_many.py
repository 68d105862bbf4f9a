"""The two upper bounds of the recall error at many points at once: the formulas of `upper` and `limits`, vectorised.

Weights enter both bounds through ratios only, so that q(x)^2 is x^(-2 rho alpha) here, without the law's normaliser.
"""

import math
from typing import Any

import numpy as np

from asymp.theory.recall.upper import MOST, pair_bound
from asymp.theory.zipf.power_sums import FloatArray, power_sum

__all__ = ["finite_memory_uppers", "pair_bounds"]

CHUNK = 60_000
"""Pairs of an input and a wrong output at a time: what a processor's cache holds."""

FIRST, NEXT, ROWS = 128, 24, 1024
"""Inputs tried at first, and in each refinement about the best of them; points at a time."""


def pair_bounds(*, alpha: Any, N: Any, M: Any, d: Any, rho: Any, P: Any) -> FloatArray:
    """`upper.pair_bound` at every point of the broadcast arrays; very long sums go one by one."""
    names = ("alpha", "N", "M", "d", "rho", "P")
    grid = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in (alpha, N, M, d, rho, P)))
    flat = dict(zip(names, (v.ravel() for v in grid), strict=True))
    last = np.minimum(flat["N"], np.floor(flat["P"]))
    long = (flat["rho"] * flat["alpha"] > 0) & (last > MOST * flat["M"])
    found = np.empty(last.shape)
    for i in np.flatnonzero(long):
        found[i] = pair_bound(**{name: float(v[i]) for name, v in flat.items()})
    for outputs in np.unique(flat["M"][~long]):
        rows = np.flatnonzero(~long & (flat["M"] == outputs))
        # neighbours of like size make chunks of like size
        rows = rows[np.argsort(last[rows], kind="stable")]
        size = np.cumsum(np.minimum(last[rows], MOST * outputs) * (outputs - 1))
        for part in np.split(rows, np.flatnonzero(np.diff(size // CHUNK)) + 1):
            a, n, dimension, power = (flat[name][part] for name in ("alpha", "N", "d", "rho"))
            found[part] = _pair_bounds(a, n, dimension, power, last[part], int(outputs))
    return found.reshape(grid[0].shape)


def _pair_bounds(a: FloatArray, n: FloatArray, d: FloatArray, rho: FloatArray, last: FloatArray, M: int) -> FloatArray:
    """The bound at points of one M."""
    slope, cap = (2 * rho * a)[:, None], min(1.0, (M - 1) / 2)
    C = 1 / power_sum(a, 1.0, n)
    c = np.arange(1, M + 1)
    count = np.maximum(np.floor((last[:, None] - c) / M) + 1, 0)
    S = power_sum(slope, c / M, count)
    unstored = np.where(last < n, C * power_sum(a, last + 1, np.where(last < n, n - last, 0.0)), 0.0)
    # One row for a point and a class; equal weights are one input that has the mass of its class.
    equal = np.broadcast_to(slope == 0, count.shape).ravel()
    inputs = np.where(equal, 1, count.ravel()).astype(np.int64)
    row = np.repeat(np.arange(inputs.size), inputs)
    j = np.arange(row.size) - np.repeat(np.cumsum(inputs) - inputs, inputs)
    point, kind = row // M, row % M
    x = kind + 1.0 + M * j
    square = (x / M) ** -slope[point, 0]
    mass = C[point] * x ** -a[point]
    if equal.any():
        shared = C[:, None] * float(M) ** -a[:, None] * power_sum(a[:, None], c / M, count)
        mass = np.where(equal[row], shared.ravel()[row], mass)
        square = np.where(equal[row], 1.0, square)
    missed = _input_bounds(square, S, point, kind, d[point], cap)
    return np.minimum(cap * unstored + np.bincount(point, mass * missed, minlength=a.size), 1.0)


def _input_bounds(square: FloatArray, S: FloatArray, point: Any, kind: Any, d: FloatArray, cap: float) -> FloatArray:
    """min(cap, sum over y of the pair's bound) for inputs of the class `kind` at a point, with weights squared."""
    M = S.shape[1]
    own = np.arange(M)[:, None]
    others = (own + np.arange(1, M)) % M
    pair = S[:, :, None] + S[:, others]
    top: FloatArray = np.zeros(pair.shape)
    if M > 2:
        # The largest sum among the classes other than the two of a pair is one of the three largest.
        order = np.argsort(-S, axis=1)[:, :3, None, None]
        sums = np.take_along_axis(S, order[:, :, 0, 0], axis=1)[:, :, None, None]
        free = (order != own) & (order != others)
        top = np.where(free[:, 0], sums[:, 0], np.where(free[:, 1], sums[:, 1], sums[:, 2]))
    rest = S.sum(axis=1)[:, None, None] - pair
    pair, top, rest = (v.reshape(-1, M - 1) for v in (pair, top, rest))
    far = (M - 1) / 4 * 0.75 ** ((d - 1) / 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        limit = np.min(pair**2 / (pair + 8 * top), axis=1)
        tilt = 4 * math.log(2) * rest / pair
    here = point * M + kind
    # Where w < s^2/(s + 8 m) v is s - w: the logarithm is d/2 log(1 - u) + 4 log 2 (o/s) u/(1 - u), u = w/s.
    plain = square < limit[here]
    total: FloatArray = np.empty(square.shape, dtype=np.float64)
    row = here[plain]
    u = square[plain, None] / pair[row]
    logs = np.log1p(-u)
    logs *= d[plain, None] / 2
    u /= 1 - u
    u *= tilt[row]
    logs += u
    np.minimum(logs, 700.0, out=logs)
    total[plain] = np.exp(logs, out=logs).sum(axis=1) / 2
    row = here[~plain]
    total[~plain] = _crowded(square[~plain, None], pair[row], top[row], rest[row], d[~plain, None])
    return np.asarray(np.minimum(total + far, cap))


def _crowded(w: FloatArray, pair: FloatArray, top: FloatArray, rest: FloatArray, d: FloatArray) -> FloatArray:
    """The sum over y of the first term of the pair's bound, in its whole form."""
    V = np.maximum(pair - w, 0.0)
    v = np.maximum(V, (np.sqrt(w * w + 32 * w * top) - w) / 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        kappa = np.where(w > 0, w / (v * (v + w)), 0.0)
        logs = -d / 2 * (np.log1p(w / v) + kappa * (v - V)) + 4 * math.log(2) * kappa * rest
        # v = 0: q is alone in its pair and no other class is stored, or nothing is.
        each = np.where(v > 0, 0.5 * np.exp(np.minimum(logs, 700.0)), np.where(w > 0, 0.0, 0.5))
    return np.asarray(each.sum(axis=1))


def finite_memory_uppers(*, alpha: Any, N: Any, M: Any, d: Any, rho: Any, P: Any) -> FloatArray:
    """`limits.finite_memory_upper` at every point of the broadcast arrays: all of them are refined together.

    Over the stored inputs x the bound is 2 M exp(-c(q(x))) + p{x' > x}, which falls and then rises, or falls again at
    the end: a grid is refined about its least value, and the last input is looked at apart.
    """
    grid = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in (alpha, N, M, d, rho, P)))
    flat = [v.ravel()[:, None] for v in grid]
    parts = range(0, grid[0].size, ROWS)
    found = [_least_bounds(*(v[start : start + ROWS] for v in flat)) for start in parts]
    return np.concatenate([np.empty(0), *found]).reshape(grid[0].shape)


def _least_bounds(
    a: FloatArray, n: FloatArray, outputs: FloatArray, dimension: FloatArray, power: FloatArray, cut: FloatArray
) -> FloatArray:
    last, slope = np.minimum(n, np.floor(cut)), 2 * power * a
    C = 1 / power_sum(a, 1.0, n)
    # The first class has the largest sum, since weights fall.
    Q = outputs**-slope * power_sum(slope, 1 / outputs, np.floor((last - 1) / outputs) + 1)
    total = power_sum(slope, 1.0, last)

    def bound(x: FloatArray) -> FloatArray:
        w = x**-slope
        c = dimension * w / (8 * (Q + np.sqrt(Q**2 + 2 * total * w)))
        left = np.where(x < n, n - np.where(x < n, x, 0.0), 0.0)
        return np.asarray(2 * outputs * np.exp(-c) + C * power_sum(a, x + 1, left))

    # Beyond the input with c = log 2M the bound exceeds 1.
    c = np.log(2 * outputs)
    least = 16 * c * (Q + 8 * c * total / dimension) / dimension
    with np.errstate(divide="ignore"):
        edge = np.exp(np.minimum(np.where(slope > 0, -np.log(least) / np.where(slope > 0, slope, 1.0), 0.0), 600.0))
    high = np.where(slope > 0, np.minimum(np.floor(np.maximum(edge, 1.0)) + 1, last), last)
    # Nothing to look for where all weights are equal: the last input has the least tail.
    low = np.where(slope > 0, 1.0, last)
    # math.inf is no last input that could be looked at; the bound exceeds 1 there.
    best = np.where(np.isfinite(last), bound(np.where(np.isfinite(last), last, 1.0)), 1.0)
    points = FIRST
    while True:
        x = np.rint(np.exp(np.log(low) + np.linspace(0, 1, points) * np.log(high / low))).clip(low, high)
        values = bound(x)
        at = values[:, :-1].argmin(axis=1)[:, None]
        here = np.take_along_axis(x, at, axis=1)
        best = np.minimum(best, np.take_along_axis(values, at, axis=1))
        # Rounded, some inputs are there twice: the neighbours are the next others.
        after = np.min(np.where(x > here, x, high), axis=1, keepdims=True)
        before = np.max(np.where(x < here, x, low), axis=1, keepdims=True)
        if np.all((after - before <= 2) | ((before == low) & (after == high))):
            best = np.minimum(best, np.minimum(bound(before), bound(after)))
            return np.asarray(np.minimum(best, 1.0)[:, 0])
        low, high, points = before, after, NEXT
