"""A sharp upper bound of the recall error for gaussian inputs and outputs on the sphere.

Weights are q = p^rho on x <= P under a Zipf law, targets x mod M. The bound depends on ratios of weights only, so that
q(x)^2 is x^(-2 rho alpha) in float64, without the law's normaliser.

The sharp bound adds up pairs of outputs. Given the outputs, y beats f = f(z) with probability at most
E_r[exp(-r^2 q^2 d/(2 V))/2] = (1 + q^2/V)^(-d/2)/2, where r^2 ~ chi2_d/d and, with a = u_f.u_y and b_c the squared overlap
of u_c with the direction of u_f - u_y,

    V = S_f - q^2 + S_y + 2/(1-a) sum_{c != f,y} S_c b_c.

b_c ~ Beta(1/2, (d-1)/2), independent of each other and of a. log(V/(V + q^2)) is concave in V, so it lies below its tangent at
any v, of slope kappa = q^2/(v (v + q^2)); the moments of b_c are at most those of g^2/d, so that
E exp(d kappa S_c b_c/(1-a)) <= (1 - t_c)^(-1/2), t_c = 2 kappa S_c/(1-a), and (1-t)^(-1/2) <= 2^t for t <= 1/2. Where a <= 1/2
this gives the first term below, and a > 1/2 has probability at most (3/4)^((d-1)/2)/2 (a spherical cap):

    P(y beats f) <= (1/2) (v/(v + q^2))^(d/2) exp(-d kappa (v - V_0)/2) 2^(4 kappa (S - S_f - S_y)) + (1/4) (3/4)^((d-1)/2),
    V_0 = S_f + S_y - q^2,   v = max(V_0, [(q^4 + 32 q^2 max_c S_c)^(1/2) - q^2]/2),

where v is the smallest that keeps every t_c, c other than f and y, at most 1/2. The sum over y, or min(1, (M-1)/2) if that is
less, bounds the error of z. It holds for every q, M >= 2, d >= 2, N finite or infinite; where v = V_0 the first factor,
(1 - q^2/(S_f + S_y))^(d/2), is the exact exponential rate.
"""

import math
from dataclasses import dataclass

import mpmath as mp
import numpy as np
from numpy.typing import ArrayLike

from asymp.theory.functions.arguments import FloatArray, IntArray, Mpf, float_arrays, guarded, whole
from asymp.theory.functions.zipf.law import class_sums_digits
from asymp.theory.functions.zipf.power_sums import power_sum, power_sum_mp
from asymp.theory.functions.zipf.smooth_sums import sum_nodes

MOST = 20_000
"""Inputs of a class that are added one by one; beyond, float64 sums by quadrature and mpmath gives up."""

CHUNK = 60_000
"""Pairs of an input and a wrong output at a time: what a processor's cache holds."""


def pair_bounds(
    *, alpha: ArrayLike, N: ArrayLike, M: ArrayLike, d: ArrayLike, rho: ArrayLike, P: ArrayLike
) -> FloatArray:
    """The sharp upper bound at every point of the broadcast arrays; relative error about 1e-12."""
    names = ("alpha", "N", "M", "d", "rho", "P")
    grid = float_arrays(alpha, N, M, d, rho, P)
    flat = dict(zip(names, (v.ravel() for v in grid), strict=True))
    last = np.minimum(flat["N"], np.floor(flat["P"]))
    long = (flat["rho"] * flat["alpha"] > 0) & (last > MOST * flat["M"])
    found = np.empty(last.shape)
    for i in np.flatnonzero(long):
        alpha, N, d, rho = (float(flat[name][i]) for name in ("alpha", "N", "d", "rho"))
        found[i] = _long_pair_bound(alpha, N, d, rho, float(last[i]), int(flat["M"][i]))
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
    missed = _Pairs.of(S).input_bounds(square, row, d[point], cap)
    return np.minimum(cap * unstored + np.bincount(point, mass * missed, minlength=a.size), 1.0)


def _long_pair_bound(a: float, n: float, d: float, rho: float, last: float, M: int) -> float:
    """The bound at one point with more inputs than can be added one by one: their sums are smooth up to the cap."""
    slope, cap, C = 2 * rho * a, min(1.0, (M - 1) / 2), 1 / float(power_sum(a, 1.0, n))
    kind = np.arange(M)
    count = np.floor((last - kind - 1) / M) + 1
    pairs = _Pairs.of(power_sum(slope, (kind + 1) / M, count)[None])

    def bound(j: FloatArray, kind: IntArray) -> FloatArray:
        """The bound of the j-th input (from 1 on) of a class."""
        return pairs.input_bounds((j - 1 + (kind + 1) / M) ** -slope, kind, np.full(j.shape, d), cap)

    # From the first input whose bound is the cap on, it stays there: weights fall.
    low, high = np.zeros(M), np.ones(M)
    while (below := (high <= count) & (bound(high, kind) < cap)).any():
        low, high = np.where(below, high, low), np.where(below, 2 * high, high)
    while (high - low > 1).any():
        middle = np.maximum(np.floor((low + high) / 2), 1.0)
        below = (middle <= count) & (bound(middle, kind) < cap)
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    total = cap * C * float(power_sum(a, last + 1, n - last)) if last < n else 0.0
    for c in range(M):
        j, w = sum_nodes(first=1, last=int(low[c]))
        total += C * float(w @ ((c + 1 + M * (j - 1)) ** -a * bound(j, np.full(j.shape, c))))
        total += cap * C * float(M**-a * power_sum(a, (c + 1) / M + low[c], count[c] - low[c]))
    return min(1.0, total)


@dataclass(frozen=True)
class _Pairs:
    """What the bounds need of every right output f (a row for each point and class) and every wrong one (a column)."""

    pair: FloatArray
    """S_f + S_y"""
    top: FloatArray
    """the largest sum of the other classes"""
    rest: FloatArray
    """the total of the other classes"""
    tilt: FloatArray
    """4 log 2 rest/pair"""
    limit: FloatArray
    """weights squared below which the bound has its plain form, for every wrong output"""

    @classmethod
    def of(cls, S: FloatArray) -> "_Pairs":
        """The pairs of the class sums S, a row for each point."""
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
        with np.errstate(divide="ignore", invalid="ignore"):
            # pair/(pair + 0) is exactly 1, so that a weight that is alone in its pair is never below its limit.
            limit = np.min(pair * (pair / (pair + 8 * top)), axis=1)
            tilt = 4 * math.log(2) * rest / pair
        return cls(pair=pair, top=top, rest=rest, tilt=tilt, limit=limit)

    def input_bounds(self, square: FloatArray, row: IntArray, d: FloatArray, cap: float) -> FloatArray:
        """min(cap, sum over y of the pair's bound) for inputs with weights squared, each of the class of a row."""
        # Where w < s^2/(s + 8 m) v is s - w: the logarithm is d/2 log(1 - u) + 4 log 2 (o/s) u/(1 - u), u = w/s.
        plain = square < self.limit[row]
        total: FloatArray = np.empty(square.shape, dtype=np.float64)
        here = row[plain]
        u = square[plain, None] / self.pair[here]
        logs = np.log1p(-u)
        logs *= d[plain, None] / 2
        u /= 1 - u
        u *= self.tilt[here]
        logs += u
        np.minimum(logs, 700.0, out=logs)
        total[plain] = np.exp(logs, out=logs).sum(axis=1) / 2
        here = row[~plain]
        total[~plain] = _crowded(
            square[~plain, None], self.pair[here], self.top[here], self.rest[here], d[~plain, None]
        )
        far = self.pair.shape[1] / 4 * 0.75 ** ((d - 1) / 2)
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


@guarded(20)
def pair_bound_digits(*, alpha: Mpf, N: Mpf, M: Mpf, d: Mpf, rho: Mpf = 0, P: Mpf = math.inf, digits: int = 50) -> Mpf:
    """The same to `digits` significant digits (mpmath), for at most 20000 stored inputs, or rho alpha = 0."""
    a, size, M, last = alpha, whole(N), int(M), min(whole(P), whole(N))
    slope = 2 * rho * a
    if last > MOST and slope != 0:
        raise ValueError(
            f"more than {MOST} inputs would have to be added one by one: about 12 digits can be had, from "
            "asymp.theory.functions.recall.pair_bounds.pair_bounds"
        )
    C = 1 / power_sum_mp(a, 1, size)
    cap = min(mp.mpf(1), mp.mpf(M - 1) / 2)
    rest = mp.mpf(0) if last == size else cap * C * power_sum_mp(a, last + 1, size - last)
    S = [
        mp.fsum(mp.mpf(x) ** -slope for x in range(c or M, last + 1, M)) if slope else _count(c or M, M, last)
        for c in range(M)
    ]

    def bound(square: Mpf, c: int) -> Mpf:
        total = (M - 1) * (mp.mpf(3) / 4) ** (mp.mpf(d - 1) / 2) / 4
        for y in (k for k in range(M) if k != c):
            pair = S[c] + S[y]
            top = max([S[k] for k in range(M) if k not in (c, y)], default=mp.mpf(0))
            V = pair - square
            v = max(V, (mp.sqrt(square**2 + 32 * square * top) - square) / 2)
            if v <= 0:
                continue
            kappa = square / (v * (v + square))
            rate = mp.log1p(square / v) + kappa * (v - V)
            total += mp.exp(-d * rate / 2) * mp.mpf(2) ** (4 * kappa * (mp.fsum(S) - pair)) / 2
        return min(cap, total)

    if slope == 0:
        masses = class_sums_digits(alpha=a, rho=0, M=M, P=last, N=size, digits=digits + 15).masses
        value = rest + mp.fsum(bound(mp.mpf(1), c) * masses[c] for c in range(M))
    else:
        value = rest + mp.fsum(C * mp.mpf(x) ** -a * bound(mp.mpf(x) ** -slope, x % M) for x in range(1, last + 1))
    return min(value, mp.mpf(1))


def _count(c: int, M: int, last: Mpf) -> Mpf:
    return mp.mpf((int(last) - c) // M + 1) if last >= c else mp.mpf(0)
