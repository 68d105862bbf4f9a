"""The Zipf law p(x) = C x^-alpha on x = 1..N: normaliser, probabilities, tails, and class sums under x mod M.

N is a positive integer or math.inf; alpha >= 0 is any real number where N is finite, and exceeds 1 where N is infinite.
Every sum is a partial sum of a Hurwitz zeta function, sum_{j<n} (a + j)^-s with a = c/M for the class of x = c mod M:
see power_sums, which adds it up without taking differences of zeta functions.
"""

import math
from dataclasses import dataclass

import mpmath as mp
import numpy as np
from numpy.typing import ArrayLike

from asymp.theory.functions.arguments import (
    FloatArray,
    Mpf,
    check_zipf,
    guarded,
    real_array,
    require,
    rounded,
    scalar_or_array,
    whole,
)
from asymp.theory.functions.zipf.power_sums import power_sum, power_sum_mp


@dataclass(frozen=True)
class ClassSums:
    """Sums over the inputs x <= P of each class c = 0..M-1 of x mod M: `squares` of p(x)^(2 rho), `masses` of p(x)."""

    squares: FloatArray
    masses: FloatArray


def normaliser(*, alpha: ArrayLike, N: ArrayLike = math.inf) -> float | FloatArray:
    """C = 1/sum_{x<=N} x^-alpha, which is 1/zeta(alpha) for N = inf; arrays broadcast.

    Args:
        alpha: exponent of the Zipf law, >= 0; above 1 where N is infinite.
        N: number of inputs, a whole number >= 1 or math.inf.
    """
    a, n = check_zipf(alpha, N)
    return scalar_or_array(1 / power_sum(a, 1.0, n))


def zipf_tail(*, alpha: ArrayLike, P: ArrayLike, N: ArrayLike = math.inf) -> float | FloatArray:
    """sum_{x > P} p(x), the mass of the inputs beyond P; arrays broadcast.

    Args:
        alpha: exponent of the Zipf law, >= 0; above 1 where N is infinite.
        P: rank of the last input that is left out, >= 0 (may be fractional); the mass is 0 where P >= N.
        N: number of inputs, a whole number >= 1 or math.inf.
    """
    a, n = check_zipf(alpha, N)
    cut = np.floor(real_array("P", P, infinite=True))
    require("P", cut, cut >= 0, "P >= 0")
    a, n, cut = np.broadcast_arrays(a, n, cut)
    left = np.where(cut < n, n - np.where(cut < n, cut, 0.0), 0.0)
    return scalar_or_array(power_sum(a, np.where(cut < n, cut, 0.0) + 1, left) / power_sum(a, 1.0, n))


def class_sums(*, alpha: float, rho: float, M: int, P: float | None = None, N: float = math.inf) -> ClassSums:
    """Class sums of p(x)^(2 rho) and of p(x) over x = c mod M, x <= P, as float64 arrays of length M.

    Class 0 holds x = M, 2M, ...; with weights q = p^rho the squares are the S_c of the laws of recall.

    Args:
        alpha: exponent of the Zipf law, >= 0; above 1 where N is infinite.
        rho: exponent of the weights, >= 0; 2 rho alpha must exceed 1 where infinitely many inputs count.
        M: number of classes, a whole number >= 1.
        P: rank of the last input that counts, >= 0; None: all inputs.
        N: number of inputs, a whole number >= 1 or math.inf.
    """
    a, n = check_zipf(alpha, N)
    if a.ndim or n.ndim:
        raise ValueError("alpha and N must be single numbers here, got arrays")
    exponent = float(real_array("rho", rho)) * 2
    classes, cut = _check_classes(a=float(a), exponent=exponent, M=M, P=P, N=N)
    counts = np.array([_count(c, classes, cut) for c in range(1, classes + 1)])
    offset = np.arange(1, classes + 1) / classes
    front = float(1 / power_sum(a, 1.0, n)) * float(classes) ** -float(a)
    squares = front**exponent * power_sum(exponent * float(a), offset, counts)
    masses = front * power_sum(a, offset, counts)
    # Computed for c = 1..M; class M is class 0.
    return ClassSums(squares=np.roll(squares, 1), masses=np.roll(masses, 1))


@guarded(10)
def zipf_tail_digits(*, alpha: Mpf, P: Mpf, N: Mpf = math.inf, digits: int = 50) -> Mpf:
    """sum_{x > P} p(x) to `digits` significant digits."""
    n, cut = whole(N), whole(P)
    return mp.mpf(0) if cut >= n else power_sum_mp(alpha, cut + 1, n - cut) / power_sum_mp(alpha, 1, n)


def class_sums_digits(
    *, alpha: Mpf, rho: Mpf, M: int, P: Mpf | None = None, N: Mpf = math.inf, digits: int = 50
) -> ClassSums:
    """The class sums of `class_sums` to `digits` significant digits, as object arrays of mpmath numbers."""
    with mp.workdps(digits + 10):
        a, exponent, n = mp.mpf(alpha), 2 * mp.mpf(rho), whole(N)
        classes, cut = _check_classes(a=a, exponent=exponent, M=M, P=P, N=n)
        front = mp.mpf(classes) ** -a / power_sum_mp(a, 1, n)

        def sums(power: Mpf) -> FloatArray:
            values = []
            for c in [classes, *range(1, classes)]:
                total = front**power * power_sum_mp(power * a, mp.mpf(c) / classes, _count(c, classes, cut))
                values.append(rounded(total, digits))
            return np.array(values, dtype=object)

        return ClassSums(squares=sums(exponent), masses=sums(mp.mpf(1)))


def _count(c: int, M: int, cut: float) -> float:
    """The number of x = c, c + M, c + 2M, ... up to the integer `cut` (which may be infinite)."""
    if cut == math.inf:
        return math.inf
    return (int(cut) - c) // M + 1 if cut >= c else 0


def _check_classes(*, a: Mpf, exponent: Mpf, M: int, P: Mpf | None, N: Mpf) -> tuple[int, Mpf]:
    """M as an int, and the last input that counts."""
    if isinstance(M, bool) or int(M) != M or M < 1:
        raise ValueError(f"M must be an integer >= 1, got {M}")
    if exponent < 0:
        raise ValueError(f"rho must be >= 0, got {exponent / 2}")
    cut = N if P is None else min(whole(P), N)
    if cut == math.inf and not exponent * a > 1:
        raise ValueError(
            "rho must exceed 1/(2 alpha) when infinitely many inputs are stored (the sum of p(x)^(2 rho) diverges "
            f"otherwise; pass a finite P or N), got rho = {exponent / 2} with alpha = {a}"
        )
    return int(M), cut
