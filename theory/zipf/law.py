"""The Zipf law p(x) = C x^-alpha on x = 1..N: normaliser, probabilities, tails, and class sums under x mod M.

N is a positive integer or math.inf; alpha >= 0 is any real number where N is finite, and exceeds 1 where N is infinite.
Every sum is a partial sum of a Hurwitz zeta function, sum_{j<n} (a + j)^-s with a = c/M for the class of x = c mod M:
see power_sums, which adds it up without taking differences of zeta functions.

Functions named `..._digits` return mpmath numbers, correct to `digits` significant digits for the parameters as given:
a float alpha = 1.05 is the binary number nearest to 1.05; pass "1.05" or Fraction(21, 20) for the decimal one.
"""

import math
from dataclasses import dataclass
from typing import Any

import mpmath as mp
import numpy as np
from numpy.typing import NDArray

from asymp.theory.zipf.power_sums import FloatArray, power_sum, power_sum_mp

__all__ = [
    "ClassSums",
    "check_digits",
    "check_zipf",
    "check_zipf_mp",
    "class_sums",
    "class_sums_digits",
    "normaliser",
    "normaliser_digits",
    "real_array",
    "real_mpf",
    "scalar_or_array",
    "zipf_pmf",
    "zipf_tail",
    "zipf_tail_digits",
]


@dataclass(frozen=True)
class ClassSums:
    """Sums over the inputs x <= P of each class c = 0..M-1 of x mod M: `squares` of p(x)^(2 rho), `masses` of p(x)."""

    squares: NDArray[Any]
    masses: NDArray[Any]


def normaliser(*, alpha: Any, N: Any = math.inf) -> float | FloatArray:
    """C = 1/sum_{x<=N} x^-alpha, which is 1/zeta(alpha) for N = inf; arrays broadcast."""
    a, n = check_zipf(alpha, N)
    return scalar_or_array(1 / power_sum(a, 1.0, n))


def zipf_pmf(*, x: Any, alpha: Any, N: Any = math.inf) -> float | FloatArray:
    """p(x) = C x^-alpha for an input x in 1..N; arrays broadcast."""
    a, n = check_zipf(alpha, N)
    inputs = real_array("x", x)
    require("x", inputs, (inputs >= 1) & (inputs <= n) & (inputs == np.floor(inputs)), "an integer with 1 <= x <= N")
    return scalar_or_array(inputs**-a / power_sum(a, 1.0, n))


def zipf_tail(*, alpha: Any, P: Any, N: Any = math.inf) -> float | FloatArray:
    """sum_{x > P} p(x), the mass of the inputs beyond P >= 0 (may be fractional); 0 where P >= N; arrays broadcast."""
    a, n = check_zipf(alpha, N)
    cut = np.floor(real_array("P", P, infinite=True))
    require("P", cut, cut >= 0, "P >= 0")
    a, n, cut = np.broadcast_arrays(a, n, cut)
    left = np.where(cut < n, n - np.where(cut < n, cut, 0.0), 0.0)
    return scalar_or_array(power_sum(a, np.where(cut < n, cut, 0.0) + 1, left) / power_sum(a, 1.0, n))


def class_sums(*, alpha: float, rho: float, M: int, P: float | None = None, N: float = math.inf) -> ClassSums:
    """Class sums of p(x)^(2 rho) and of p(x) over x = c mod M, x <= P (None: x <= N), as float64 arrays of length M.

    Class 0 holds x = M, 2M, ...; with q = p^rho the squares are the S_c of the ledger. An infinite sum of squares needs
    2 rho alpha > 1.
    """
    a, n = check_zipf(alpha, N)
    if a.ndim or n.ndim:
        raise ValueError("alpha and N must be single numbers here, got arrays")
    exponent = float(real_array("rho", rho)) * 2
    classes, cut = _check_classes(a=float(a), exponent=exponent, M=M, P=P, N=N)
    counts = np.array([_count(c, classes, cut) for c in range(1, classes + 1)])
    offset = np.arange(1, classes + 1) / classes
    C = 1 / power_sum(a, 1.0, n)
    s = exponent * float(a)
    squares = (C * float(classes) ** -float(a)) ** exponent * power_sum(s, offset, counts)
    masses = C * float(classes) ** -float(a) * power_sum(a, offset, counts)
    # Computed for c = 1..M; class M is class 0.
    return ClassSums(squares=np.roll(squares, 1), masses=np.roll(masses, 1))


def normaliser_digits(*, alpha: Any, N: Any = math.inf, digits: int = 50) -> Any:
    """C to `digits` significant digits, an mpmath number."""
    with mp.workdps(check_digits(digits) + 10):
        a, n = check_zipf_mp(alpha, N)
        C = 1 / power_sum_mp(a, 1, n)
    return _rounded(C, digits)


def zipf_tail_digits(*, alpha: Any, P: Any, N: Any = math.inf, digits: int = 50) -> Any:
    """sum_{x > P} p(x) to `digits` significant digits, an mpmath number."""
    with mp.workdps(check_digits(digits) + 10):
        a, n = check_zipf_mp(alpha, N)
        cut = check_cut_mp(P)
        if cut >= n:
            return mp.mpf(0)
        tail = power_sum_mp(a, cut + 1, n - cut) / power_sum_mp(a, 1, n)
    return _rounded(tail, digits)


def class_sums_digits(*, alpha: Any, rho: Any, M: int, P: Any = None, N: Any = math.inf, digits: int = 50) -> ClassSums:
    """The class sums of `class_sums` to `digits` significant digits, as object arrays of mpmath numbers."""
    with mp.workdps(check_digits(digits) + 10):
        a, n = check_zipf_mp(alpha, N)
        exponent = 2 * real_mpf("rho", rho)
        classes, cut = _check_classes(a=a, exponent=exponent, M=M, P=P, N=n)
        C = 1 / power_sum_mp(a, 1, n)

        def sums(power: Any) -> NDArray[Any]:
            front = (C * mp.mpf(classes) ** -a) ** power
            values = []
            for c in [classes, *range(1, classes)]:
                total = front * power_sum_mp(power * a, mp.mpf(c) / classes, _count(c, classes, cut))
                values.append(_rounded(total, digits))
            return np.array(values, dtype=object)

        return ClassSums(squares=sums(exponent), masses=sums(mp.mpf(1)))


def _count(c: int, M: int, cut: Any) -> Any:
    """The number of x = c, c + M, c + 2M, ... up to the integer `cut` (which may be infinite)."""
    if cut == math.inf:
        return math.inf
    return (int(cut) - c) // M + 1 if cut >= c else 0


def _check_classes(*, a: Any, exponent: Any, M: Any, P: Any, N: Any) -> tuple[int, Any]:
    """M as an int, and the last input that counts."""
    if isinstance(M, bool) or int(M) != M or M < 1:
        raise ValueError(f"M must be an integer >= 1, got {M}")
    if exponent < 0:
        raise ValueError(f"rho must be >= 0, got {exponent / 2}")
    cut = N if P is None else min(check_cut_mp(P), N)
    if cut == math.inf and not exponent * a > 1:
        raise ValueError(
            "rho must exceed 1/(2 alpha) when infinitely many inputs are stored (the sum of p(x)^(2 rho) diverges "
            f"otherwise; pass a finite P or N), got rho = {exponent / 2} with alpha = {a}"
        )
    return int(M), cut


# The checks of the arguments, shared with the missing mass.


def require(name: str, values: FloatArray, valid: Any, domain: str) -> None:
    """Raise ValueError naming the argument, its domain and the first value outside."""
    valid = np.broadcast_to(valid, np.broadcast_shapes(np.shape(valid), np.shape(values)))
    if not np.all(valid):
        bad = np.broadcast_to(values, valid.shape)[~valid]
        raise ValueError(f"{name} must satisfy: {domain}; got {bad.flat[0]:g}")


def real_array(name: str, value: Any, *, infinite: bool = False) -> FloatArray:
    """The argument as a float64 array; NaN is an error, and infinity too unless it is allowed."""
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be a real number or an array of them, got {value!r}") from error
    finite = np.isfinite(array) | (infinite & (array == np.inf))
    require(name, array, finite, "a finite real number" if not infinite else "a real number or inf")
    return array


def check_zipf(alpha: Any, N: Any) -> tuple[FloatArray, FloatArray]:
    """alpha and N as float64 arrays, after checking that p(x) has a normaliser."""
    a, n = real_array("alpha", alpha), real_array("N", N, infinite=True)
    require("alpha", a, a >= 0, "alpha >= 0")
    require("N", n, (n >= 1) & (n == np.floor(n)), "an integer N >= 1, or inf")
    advice = "alpha > 1 when N is infinite (the Zipf law has no normaliser otherwise; pass a finite N)"
    require("alpha", a, (a > 1) | np.isfinite(n), advice)
    return a, n


def scalar_or_array(values: FloatArray) -> float | FloatArray:
    """A float for a single number, the array otherwise."""
    return float(values) if np.ndim(values) == 0 else values


def check_digits(digits: int) -> int:
    """The wanted number of digits, at least 1."""
    if isinstance(digits, bool) or digits != int(digits) or digits < 1:
        raise ValueError(f"digits must be an integer >= 1, got {digits}")
    return int(digits)


def real_mpf(name: str, value: Any) -> Any:
    """The argument as an mpmath number at the present precision: numbers, strings, fractions (also SymPy's)."""
    try:
        if hasattr(value, "numerator") and hasattr(value, "denominator"):
            number = mp.mpf(int(value.numerator)) / int(value.denominator)
        else:
            number = mp.mpf(value)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be a real number, got {value!r}") from error
    if mp.isnan(number):
        raise ValueError(f"{name} must be a real number, got {value!r}")
    return number


def check_zipf_mp(alpha: Any, N: Any) -> tuple[Any, Any]:
    """alpha as an mpmath number, N as an int or math.inf, after checking that p(x) has a normaliser."""
    a, n = real_mpf("alpha", alpha), _whole("N", N)
    if mp.isinf(a) or a < 0:
        raise ValueError(f"alpha must satisfy: alpha >= 0 and finite; got {alpha}")
    if n is None or n < 1:
        raise ValueError(f"N must satisfy: an integer N >= 1, or inf; got {N}")
    if n == math.inf and a <= 1:
        raise ValueError(
            "alpha must satisfy: alpha > 1 when N is infinite (the Zipf law has no normaliser otherwise; pass a "
            f"finite N); got {alpha}"
        )
    return a, n


def check_cut_mp(P: Any) -> Any:
    """floor(P) as an int, or math.inf."""
    whole = _whole("P", P)
    if real_mpf("P", P) < 0:
        raise ValueError(f"P must satisfy: P >= 0; got {P}")
    return whole if whole is not None else int(mp.floor(real_mpf("P", P)))


def _whole(name: str, value: Any) -> Any:
    """A whole number as an int, infinity as math.inf, anything else None; an int is not rounded to the precision."""
    if isinstance(value, int):
        return value
    number = real_mpf(name, value)
    if mp.isinf(number):
        return math.inf if number > 0 else -math.inf
    return int(number) if number == mp.floor(number) else None


def _rounded(value: Any, digits: int) -> Any:
    with mp.workdps(digits):
        return +value
