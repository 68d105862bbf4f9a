"""Limits and bounds of the recall error: the M-way Gaussian error pi_M, and the two bounds of Theorem 1 of P.

pi_M(a) = 1 - integral phi(t) Phi(a + t)^(M-1) dt is the probability that the largest of M - 1 standard normal scores
exceeds an independent one with mean a. It is the limit of the recall error of one input as d -> inf with balanced
classes, at a = q(z) sqrt(d/S_y).

Theorem 1 (constants recalled, not at hand; inputs gaussian, outputs on the sphere), with Q = max_y S_y and
|q|^2 = sum_y S_y:
    E >= (1/20) p{x : 3 (d+1) q(x)^2 <= Q}
    E <= inf_g 2 d^-g + p{x : d q(x)^2 <= 16 c (Q + 8 c |q|^2/d)},   c = log M + g log d   (M >= 4, d > 8 log M)
"""

import math
from typing import Any

import mpmath as mp
import numpy as np

from asymp.theory.recall.gaussian_error import gaussian_error_digits
from asymp.theory.recall.log_error import log_gaussian_error
from asymp.theory.recall.storage import Scheme, check_whole, make_storage
from asymp.theory.zipf.power_sums import FloatArray, power_sum_mp

__all__ = [
    "SHARP_CONSTANT",
    "SOURCE_CONSTANT",
    "balanced_limit",
    "finite_memory_lower",
    "finite_memory_lower_digits",
    "finite_memory_upper",
    "log_pi_M",
    "pi_M",
    "pi_M_digits",
]

SOURCE_CONSTANT = 1 / 20
"""The constant of the lower bound as the source states it."""

SHARP_CONSTANT = math.erfc(1 / math.sqrt(6)) / 2
"""Phi(-1/sqrt 3) = 0.2819, the best constant of the lower bound for M >= 2 and d >= 2."""


def pi_M(*, a: Any, M: Any) -> float | FloatArray:
    """pi_M(a), the M-way Gaussian error at margin a (any real number; arrays broadcast); relative error below 1e-11."""
    return _shaped(np.exp(_log_pi(a, M)), a, M)


def log_pi_M(*, a: Any, M: Any) -> float | FloatArray:
    """log pi_M(a), also where pi_M itself underflows; absolute error 1e-11, or 1e-15 of the logarithm if that is more."""
    return _shaped(_log_pi(a, M), a, M)


def balanced_limit(*, q: Any, d: Any, S: Any, M: Any) -> float | FloatArray:
    """pi_M(q sqrt(d/S)): the limit d -> inf at fixed d q^2/S of the error of an input, all class sums being S."""
    q, d, S = (np.asarray(v, dtype=np.float64) for v in (q, d, S))
    if not np.all((S > 0) & (d >= 1) & np.isfinite(S) & np.isfinite(d)):
        raise ValueError("S must be a finite number > 0 and d a finite number >= 1")
    return pi_M(a=q * np.sqrt(d / S), M=M)


def pi_M_digits(*, a: Any, M: Any, digits: int = 50) -> Any:
    """pi_M(a) for any real a to `digits` significant digits, an mpmath number."""
    return gaussian_error_digits(a=a, M=M, digits=digits)


def finite_memory_lower(
    *,
    alpha: Any = None,
    N: Any,
    M: Any,
    d: Any,
    rho: Any = 0,
    P: Any = None,
    targets: Any = None,
    weights: Any = None,
    p: Any = None,
    constant: float = SOURCE_CONSTANT,
) -> float:
    """constant * p{x : 3 (d+1) q(x)^2 <= Q}, the lower bound of Theorem 1; M >= 2, d >= 2, N finite or math.inf.

    The source's constant is 1/20; SHARP_CONSTANT = Phi(-1/sqrt 3) holds too. Arguments as in recall_error.
    """
    d, M = check_whole("d", d, 2), check_whole("M", M, 2)
    storage = make_storage(alpha=alpha, N=N, M=M, rho=rho, P=P, targets=targets, weights=weights, p=p)
    Q = float(storage.squares.max())
    return constant * storage.mass_at_most(lambda q: 3 * (d + 1) * q**2 <= Q)


def finite_memory_upper(
    *,
    alpha: Any = None,
    N: Any,
    M: Any,
    d: Any,
    rho: Any = 0,
    P: Any = None,
    targets: Any = None,
    weights: Any = None,
    p: Any = None,
) -> float:
    """The upper bound of Theorem 1 with its infimum over g > 0 taken; M >= 4, d > 8 log M, N finite or math.inf.

    The mass is a step function of g that jumps up where the threshold reaches a weight, so the infimum is approached
    just before a jump: it is the least of 2 M exp(-c(q)) + p{x : q(x)^2 < q^2} over the weights q, where c(q) solves
    d q^2 = 16 c (Q + 8 c |q|^2/d), and of 1 (g -> inf).
    """
    d, M = check_whole("d", d, 2), check_whole("M", M, 4)
    if d <= 8 * math.log(M):
        raise ValueError(f"d must exceed 8 log M = {8 * math.log(M):.4g} for this bound, got {d}")
    storage = make_storage(alpha=alpha, N=N, M=M, rho=rho, P=P, targets=targets, weights=weights, p=p)
    S = storage.squares
    Q, total = float(S.max()), float(S.sum())
    if total == 0:
        return 1.0

    def first(q: Any) -> FloatArray:
        """2 d^-g at the jump of q: c is the positive root of a quadratic, in the form that does not cancel."""
        square = np.asarray(q, dtype=np.float64) ** 2
        return np.asarray(2 * M * np.exp(-d * square / (8 * (Q + np.sqrt(Q**2 + 2 * total * square)))))

    if isinstance(storage, Scheme):
        return min(1.0, _least_over_inputs(storage, first))
    magnitude = np.abs(storage.weights)
    order = np.argsort(magnitude)
    below = np.concatenate([[0.0], np.cumsum(storage.probabilities[order])])
    values, start = np.unique(magnitude[order], return_index=True)
    return min(1.0, float(np.min(first(values) + below[start])))


def finite_memory_lower_digits(
    *,
    alpha: Any,
    N: Any,
    M: Any,
    d: Any,
    rho: Any = 0,
    P: Any = None,
    constant: Any = None,
    digits: int = 50,
) -> Any:
    """finite_memory_lower for a Zipf law and targets x mod M to `digits` digits (mpmath); constant None is 1/20."""
    # Imported here: the float64 bounds need nothing of it.
    from asymp.theory.zipf.law import class_sums_digits, real_mpf

    d, M, digits = check_whole("d", d, 2), check_whole("M", M, 2), check_whole("digits", digits)
    with mp.workdps(digits + 20):
        exponent, power = real_mpf("alpha", alpha), real_mpf("rho", rho)
        sums = class_sums_digits(alpha=exponent, rho=power, M=M, P=P, N=N, digits=digits + 15)
        size = math.inf if mp.isinf(mp.mpf(N)) else int(mp.mpf(N))
        last = size if P is None or mp.isinf(mp.mpf(P)) else min(size, int(mp.floor(mp.mpf(P))))
        normaliser = power_sum_mp(exponent, 1, size)
        least = max(sums.squares) / (3 * (d + 1))
        # The first stored input with q^2 = (x^-alpha/normaliser)^(2 rho) <= least, by doubling and bisection.
        low, high = 0, 1

        def small(x: int) -> bool:
            return bool(x > last or (mp.mpf(x) ** -exponent / normaliser) ** (2 * power) <= least)

        while not small(high):
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if small(middle) else (middle, high)
        left = size - low
        value = mp.mpf(0) if left == 0 else power_sum_mp(exponent, low + 1, left) / normaliser
        value *= mp.mpf(1) / 20 if constant is None else mp.mpf(constant)
    with mp.workdps(digits):
        return +value


def _least_over_inputs(storage: Scheme, first: Any) -> float:
    """min over stored inputs x of first(q(x)) + p{x' > x}: falls, then rises, so a grid around the least is refined."""
    if storage.last < 1:
        return 1.0
    if storage.rho == 0:
        return float(first(1.0) + storage.tail(storage.last))
    low, high = 1, 2
    while high < storage.last and first(storage.q(high)) < 1:
        high *= 2
    high = int(min(high, storage.last))
    while True:
        x = np.unique(np.round(np.geomspace(low, high, 4096))).clip(low, high)
        values = first(storage.q(x)) + storage.tail(x)
        best = int(np.argmin(values))
        before, after = int(x[max(best - 1, 0)]), int(x[min(best + 1, len(x) - 1)])
        if after - before <= 2 or (before, after) == (low, high):
            return float(values[best])
        low, high = before, after


def _log_pi(a: Any, M: Any) -> FloatArray:
    margins, sizes = np.broadcast_arrays(np.asarray(a, dtype=np.float64), np.asarray(M, dtype=np.float64))
    if not np.all(np.isfinite(margins)):
        raise ValueError("a must be a finite real number")
    if not np.all((sizes >= 1) & (sizes == np.floor(sizes)) & np.isfinite(sizes)):
        raise ValueError("M must be a whole number >= 1")
    return log_gaussian_error(margins, sizes)


def _shaped(values: FloatArray, *arguments: Any) -> float | FloatArray:
    return float(values) if all(np.ndim(v) == 0 for v in arguments) else values
