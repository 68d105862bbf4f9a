"""Inputs seen at least s times in T samples of a Zipf law: how many there are, and the mass that is left out.

    n = sum_x P(Bin(T, p(x)) >= s),   lost = sum_x p(x) P(Bin(T, p(x)) < s),   p(x) = C x^-alpha, x = 1..N.

A memory with q = 1{seen at least s times} stores n inputs on average and can say nothing about the mass lost; s = 1 is the
scheme "fill". At large d, balanced classes and n well above 1, where n fluctuates little, its error is

    E = (1 - 1/M) lost + (1 - lost) pi_M(sqrt(d M/n)).

P(Bin >= s) = I_p(s, T-s+1) = sum_k binom(T, s) s/(s+k) (s-T)_k/k! p^(s+k): where T p is small the series is summed over x by
power sums, so that N may be infinite. For N = inf and T -> inf at fixed s, with a = 1 - 1/alpha (beta integrals),

    n ~ (C T)^(1/alpha) Gamma(s - 1/alpha)/Gamma(s) - 1/2,   lost ~ C^(1/alpha)/(alpha - 1) Gamma(s + a)/Gamma(s) T^-a.
"""

import math
from dataclasses import dataclass
from typing import Any

import mpmath as mp
import numpy as np

from asymp.theory.recall.gaussian_error import gaussian_error_digits
from asymp.theory.recall.limits import pi_M
from asymp.theory.recall.storage import check_whole
from asymp.theory.storage.smooth_sums import sum_nodes
from asymp.theory.zipf.law import check_digits, check_zipf, check_zipf_mp
from asymp.theory.zipf.power_sums import FloatArray, power_sum, power_sum_mp

__all__ = ["OftenSeen", "seen_error", "seen_error_digits", "seen_often", "seen_often_digits"]

FAINT, SERIES = 1e-3, 8
"""The series is used from T p = FAINT on (float64: six terms), or from T p = SERIES on (mpmath)."""

MOST = 30_000
"""Terms (inputs times counts) that mpmath adds up one by one."""


@dataclass(frozen=True)
class OftenSeen:
    """The mean number of the inputs seen at least s times, and the mean mass of the others."""

    number: Any
    lost: Any


def seen_often(*, alpha: float, T: float, s: float, N: float = math.inf) -> OftenSeen:
    """Number and lost mass in float64, relative error about 1e-11; s >= 1 and T >= 0 whole numbers, N may be inf."""
    from scipy.special import betainc, betaincc, betaln

    T, s = check_whole("T", T, 0), check_whole("s", s, 1)
    law = check_zipf(alpha, N)
    a, size = float(law[0]), float(law[1])
    if s > T:
        return OftenSeen(0.0, 1.0)
    C = 1 / float(power_sum(a, 1.0, size))
    if a == 0:
        return OftenSeen(size * float(betainc(s, T - s + 1, C)), float(betaincc(s, T - s + 1, C)))
    cut = _place(T * C / FAINT, a, size)
    # P(Bin < s) turns from 1 to 0 around T p = s, within a factor exp(1/(alpha sqrt s)) of x: steep for large s only.
    x, w = sum_nodes(first=1, last=cut, steep=max((T * C / s) ** (1 / a), 1.0) if a * a * s > 30 else None)
    p = np.minimum(C * x**-a, 1.0)
    number = float(w @ betainc(s, T - s + 1, p))
    lost = float((w * p) @ betaincc(s, T - s + 1, p))
    if cut < size:
        # binom(T, s) C^s in logarithms: it overflows, and two log-gammas of T would cancel.
        front = s * math.log(C) - math.log(T + 1) - float(betaln(T - s + 1, s + 1))
        powers = _scaled_sums(np.asarray(a * (s + np.arange(7)), dtype=np.float64), cut, size, front)
        seen, coefficient = np.zeros(2), 1.0
        for k in range(6):
            seen += coefficient * s / (s + k) * C**k * powers[k : k + 2]
            coefficient *= (s - T + k) / (k + 1)
        number += float(seen[0])
        lost += C * float(power_sum(a, cut + 1.0, size - cut)) - C * float(seen[1])
    return OftenSeen(number, lost)


def seen_error(*, alpha: Any, T: Any, s: Any, d: Any, M: Any, N: Any = math.inf) -> FloatArray:
    """(1 - 1/M) lost + (1 - lost) pi_M(sqrt(d M/n)) in float64; arrays broadcast, equal alpha, T, s, N are done once."""
    from asymp.theory.storage.often_seen_many import seen_often_many  # which is made of this file's pieces

    arrays = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in (alpha, T, s, N, d, M)))
    flat = np.stack([v.ravel() for v in arrays])
    memories, where = np.unique(flat[:4], axis=1, return_inverse=True)
    found = seen_often_many(**dict(zip(("alpha", "T", "s", "N"), memories, strict=True)))
    number, lost = (seen[where.ravel()] for seen in found)
    dimension, outputs = flat[4:]
    # Nothing is stored where no input can have been seen s times: lost = 1.
    margin = np.sqrt(dimension * outputs / np.where(number > 0, number, 1.0))
    value = (1 - 1 / outputs) * lost + (1 - lost) * np.asarray(pi_M(a=margin, M=outputs))
    return np.asarray(value.reshape(arrays[0].shape), dtype=np.float64)


def seen_often_digits(*, alpha: Any, T: Any, s: Any, N: Any = math.inf, digits: int = 50) -> OftenSeen:
    """The same to `digits` significant digits, mpmath numbers."""
    T, s = check_whole("T", T, 0), check_whole("s", s, 1)
    with mp.workdps(check_digits(digits) + 30):
        a, size = check_zipf_mp(alpha, N)
        if s > T:
            return OftenSeen(mp.mpf(0), mp.mpf(1))
        C = 1 / power_sum_mp(a, 1, size)
        cut = size if a == 0 else min(size, int(mp.floor((T * C / SERIES) ** (1 / a))))
        if cut * s > MOST:
            raise ValueError(
                f"{cut} inputs times {s} counts would have to be added one by one: about 11 digits can be had, from "
                "asymp.theory.storage.often_seen.seen_often"
            )
        number, lost = mp.mpf(0), mp.mpf(0)
        for x in range(1, cut + 1):
            p = C * mp.mpf(x) ** -a
            less = (
                mp.mpf(0)
                if p == 1
                else mp.fsum(mp.binomial(T, j) * p**j * (1 - p) ** (T - j) for j in range(min(s, T + 1)))
            )
            number += 1 - less
            lost += p * less
        if cut < size:
            more, mass = _series_mp(a, C, T, s, cut, size)
            number += more
            lost += C * power_sum_mp(a, cut + 1, size - cut) - mass
    with mp.workdps(digits):
        return OftenSeen(+number, +lost)


def seen_error_digits(*, alpha: Any, T: Any, s: Any, d: Any, M: Any, N: Any = math.inf, digits: int = 50) -> Any:
    """(1 - 1/M) lost + (1 - lost) pi_M(sqrt(d M/n)) to `digits` significant digits, an mpmath number."""
    seen = seen_often_digits(alpha=alpha, T=T, s=s, N=N, digits=digits + 20)
    with mp.workdps(digits + 20):
        guess = 1 - 1 / mp.mpf(M)
        if seen.number == 0:
            value = guess
        else:
            missed = gaussian_error_digits(a=mp.sqrt(mp.mpf(d) * M / seen.number), M=M, digits=digits + 10)
            value = guess * seen.lost + (1 - seen.lost) * missed
    with mp.workdps(digits):
        return +value


def _place(ratio: float, a: float, size: float) -> int:
    """The last x with x^a <= ratio, at most size."""
    if ratio < 1:
        return 0
    return int(min(math.exp(min(math.log(ratio) / a, 600.0)), size))


def _scaled_sums(exponents: FloatArray, cut: int, size: float, front: float) -> FloatArray:
    """e^front sum_{cut < x <= size} x^-e for each exponent e, where the two factors alone would overflow."""
    start = cut + 1.0
    # sum x^-e = start^-e sum (x/start)^-e; the second sum is of order start/e at most, and 1 where e is enormous.
    logs = exponents * math.log(start)
    relative = power_sum(np.minimum(exponents, 600 / max(math.log(start), 1e-3)), start, size - cut)
    relative = np.where(logs < 600, relative * np.exp(np.minimum(logs, 600.0)), 1.0)
    return np.asarray(np.exp(np.maximum(front - logs, -745.2)) * relative, dtype=np.float64)


def _series_mp(a: Any, C: Any, T: int, s: int, cut: int, size: Any) -> tuple[Any, Any]:
    """sum of P(Bin >= s), and of p P(Bin >= s), over cut < x <= size."""
    coefficient = mp.binomial(T, s) * C**s
    number, mass, k = mp.mpf(0), mp.mpf(0), 0
    powers = power_sum_mp(a * s, cut + 1, size - cut)
    while coefficient != 0:
        share = coefficient * s / (s + k)
        term = share * powers
        number += term
        powers = power_sum_mp(a * (s + k + 1), cut + 1, size - cut)
        mass += C * share * powers
        if k > SERIES and abs(term) <= mp.eps * abs(number):
            break
        coefficient *= C * (s - T + k) / (k + 1)
        k += 1
    return number, mass
