"""The two bounds of Theorem 1 on the recall error of the weight schemes, in float64 (many points at once) and to any digits.

Theorem 1 (constants recalled, not at hand; inputs gaussian, outputs on the sphere), with S_y the sum of q^2 over the class y,
Q = max_y S_y and |q|^2 = sum_y S_y:

    E >= (1/20) p{x : 3 (d+1) q(x)^2 <= Q},
    E <= inf_{g>0} 2 d^-g + p{x : d q(x)^2 <= 16 c (Q + 8 c |q|^2/d)},   c = log M + g log d   (M >= 4, d > 8 log M).

The best constant of the lower bound for M >= 2 and d >= 2 is Phi(-1/sqrt 3) = 0.2819.

Here q = p^rho on x <= P under a Zipf law, and targets are x mod M: the class of x = 1 has the largest sum of squares, and both
bounds depend on ratios of weights only. The lower one is the tail of the Zipf law beyond the last input that is too heavy,
p{x : 3 (d+1) x^-s <= sum_j (j M + 1)^-s} with s = 2 rho alpha. In the upper one the mass is a step function of g that jumps up
where the threshold reaches a weight, so the infimum is approached just before a jump: it is the least of
2 M exp(-c(q)) + p{x' > x} over the stored inputs x, where c(q) solves d q^2 = 16 c (Q + 8 c |q|^2/d), and of 1 (g -> inf).
"""

import math
from collections.abc import Callable

import mpmath as mp
import numpy as np
from numpy.typing import ArrayLike

from asymp.theory.functions.arguments import BoolArray, FloatArray, Mpf, float_arrays, guarded, whole
from asymp.theory.functions.zipf.law import class_sums_digits
from asymp.theory.functions.zipf.power_sums import power_sum, power_sum_mp

FIRST, NEXT, ROWS = 128, 24, 1024
"""Inputs tried at first, and in each refinement about the best of them; points at a time."""


def forgotten_mass(
    *, alpha: ArrayLike, N: ArrayLike, M: ArrayLike, d: ArrayLike, rho: ArrayLike, P: ArrayLike
) -> FloatArray:
    """p{x : 3 (d+1) q(x)^2 <= Q}; arrays broadcast; alpha >= 0, rho >= 0, P >= 1, N and P may be inf where sums converge."""
    arrays = float_arrays(alpha, N, M, d, rho, P)
    a, size, outputs, dimension, power, cut = (v.ravel() for v in arrays)
    last = np.minimum(size, np.floor(cut))
    s = 2 * power * a
    largest = outputs**-s * power_sum(s, 1 / outputs, np.floor((last - 1) / outputs) + 1)

    def small(x: FloatArray) -> BoolArray:
        return np.asarray((x > last) | (3 * (dimension + 1) * x**-s <= largest))

    # The first small input by the formula, then moved until it is: rounding may have put it one off.
    with np.errstate(over="ignore", divide="ignore"):
        root = np.exp(np.minimum(np.log(3 * (dimension + 1) / largest) / np.where(s > 0, s, 1.0), 690.0))
    flat = s == 0
    least = np.where(flat, np.where(3 * (dimension + 1) <= largest, 1.0, last + 1), np.ceil(root))
    least = np.clip(least, 1.0, last + 1)
    for _ in range(4):
        least = np.where(~flat & (least > 1) & small(np.maximum(least - 1, 1.0)), least - 1, least)
        least = np.where(~flat & ~small(least), least + 1, least)
    mass = power_sum(a, least, size - least + 1) / power_sum(a, 1.0, size)
    return np.asarray(mass.reshape(arrays[0].shape), dtype=np.float64)


@guarded(20)
def forgotten_mass_digits(
    *, alpha: Mpf, N: Mpf, M: Mpf, d: Mpf, rho: Mpf = 0, P: Mpf = math.inf, digits: int = 50
) -> Mpf:
    """The same to `digits` significant digits."""
    exponent, size, power, last = alpha, whole(N), rho, min(whole(P), whole(N))
    sums = class_sums_digits(alpha=exponent, rho=power, M=int(M), P=last, N=size, digits=digits + 15)
    normaliser = power_sum_mp(exponent, 1, size)
    least = max(sums.squares) / (3 * (d + 1))

    def small(x: int) -> bool:
        return bool(x > last or (mp.mpf(x) ** -exponent / normaliser) ** (2 * power) <= least)

    # The first stored input with q^2 = (x^-alpha/normaliser)^(2 rho) <= least, by doubling and bisection.
    low, high = 0, 1
    while not small(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if small(middle) else (middle, high)
    left = size - low
    return mp.mpf(0) if left == 0 else power_sum_mp(exponent, low + 1, left) / normaliser


def finite_memory_uppers(
    *, alpha: ArrayLike, N: ArrayLike, M: ArrayLike, d: ArrayLike, rho: ArrayLike, P: ArrayLike
) -> FloatArray:
    """The bound of Theorem 1 at every point of the broadcast arrays: all of them are refined together.

    Over the stored inputs x the bound is 2 M exp(-c(q(x))) + p{x' > x}, which falls and then rises, or falls again at
    the end: a grid is refined about its least value, and the last input is looked at apart.
    """
    grid = float_arrays(alpha, N, M, d, rho, P)
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


@guarded(20)
def finite_memory_upper_digits(
    *, alpha: Mpf, N: Mpf, M: Mpf, d: Mpf, rho: Mpf = 0, P: Mpf = math.inf, digits: int = 50
) -> Mpf:
    """The bound of Theorem 1, its infimum taken, to `digits` significant digits (mpmath); M >= 4, d > 8 log M.

    It is the least of 2 M exp(-c(q(x))) + p{x' : x' > x} over the stored inputs x: float64 finds where, mpmath looks around it.
    """
    a, size, power, last = alpha, whole(N), rho, min(whole(P), whole(N))
    sums = class_sums_digits(alpha=a, rho=power, M=int(M), P=last, N=size, digits=digits + 15).squares
    C = 1 / power_sum_mp(a, 1, size)
    Q, total = max(sums), mp.fsum(sums)

    def value_at(x: int) -> Mpf:
        square = (C * mp.mpf(x) ** -a) ** (2 * power)
        first = 2 * M * mp.exp(-d * square / (8 * (Q + mp.sqrt(Q**2 + 2 * total * square))))
        return first + (C * power_sum_mp(a, x + 1, size - x) if x < size else 0)

    if a * power == 0:
        value = value_at(int(last))
    else:
        best = _place_of_least(value_at, last)
        value = min(value_at(x) for x in range(max(best - 3, 1), int(min(best + 3, last)) + 1))
    return min(value, mp.mpf(1))


def _place_of_least(value_at: Callable[[int], Mpf], last: Mpf) -> int:
    """The x with the least value: it falls, then rises. By doubling, then by thirds, at low precision."""
    with mp.workdps(25):
        high = 1
        while high < last and (value_at(high) >= 1 or value_at(min(2 * high, last)) <= value_at(high)):
            high = int(min(2 * high, last))
        low, high = 1, int(min(2 * high, last))
        while high - low > 3:
            left = low + (high - low) // 3
            right = high - (high - low) // 3
            if value_at(left) <= value_at(right):
                high = right
            else:
                low = left
        return min(range(low, high + 1), key=value_at)
