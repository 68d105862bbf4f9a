"""Arguments and values of the functions of theory: the types of their numbers, and the checks.

Functions in float64 take numbers or arrays (`ArrayLike`), which broadcast. Functions named `..._digits` take single numbers
(`Real`) and return mpmath numbers (`Mpf`), correct to `digits` significant digits for the arguments as given: a float
alpha = 1.05 is the binary number nearest to 1.05; pass "1.05" or Fraction(21, 20) for the decimal one. Functions named
`..._mp` work at mpmath's present precision.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import wraps
from typing import TypeAlias

import mpmath as mp
import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

Mpf: TypeAlias = mp.mpf
"""An mpmath number; whole numbers and infinities may also come as int and float."""

Real: TypeAlias = float | str | Fraction | mp.mpf
"""A number, given exactly: an int, a float, a fraction (also SymPy's), an mpmath number or a decimal string."""

Number: TypeAlias = mp.mpf
"""A number of any kind, in functions of plain arithmetic: mpmath numbers, float64 arrays, SymPy's expressions."""


def require(name: str, values: FloatArray, valid: ArrayLike, domain: str) -> None:
    """Raise ValueError naming the argument, its domain and the first value outside."""
    valid = np.broadcast_to(np.asarray(valid), np.broadcast_shapes(np.shape(valid), np.shape(values)))
    if not np.all(valid):
        bad = np.broadcast_to(values, valid.shape)[~valid]
        raise ValueError(f"{name} must satisfy: {domain}; got {bad.flat[0]:g}")


def real_array(name: str, value: ArrayLike, *, infinite: bool = False) -> FloatArray:
    """The argument as a float64 array; NaN is an error, and infinity too unless it is allowed."""
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be a real number or an array of them, got {value!r}") from error
    finite = np.isfinite(array) | (infinite & (array == np.inf))
    require(name, array, finite, "a finite real number" if not infinite else "a real number or inf")
    return array


def float_arrays(*values: ArrayLike) -> list[FloatArray]:
    """The arguments as float64 arrays of one common shape; they are not checked."""
    return [*np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in values))]


def scalar_or_array(values: FloatArray) -> float | FloatArray:
    """A float for a single number, the array otherwise."""
    return float(values) if np.ndim(values) == 0 else values


def check_whole(name: str, value: Real, low: int = 1) -> int:
    """A whole number >= low (2.0 counts as 2), as an int."""
    number = check_number(name, value, low, f"a whole number >= {low}")
    if number != math.floor(number):
        raise ValueError(f"{name} must be a whole number >= {low}, got {value!r}")
    return int(value)


def check_number(name: str, value: Real, low: float, domain: str = "") -> float:
    """A finite number >= low, as a float; `domain` says in words what is allowed."""
    domain = domain or f"a finite number >= {low:g}"
    try:
        number = math.nan if isinstance(value, bool | str | bytes) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not (math.isfinite(number) and number >= low):
        raise ValueError(f"{name} must be {domain}, got {value!r}")
    return number


def check_zipf(alpha: ArrayLike, N: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """alpha and N as float64 arrays, after checking that p(x) has a normaliser."""
    a, n = real_array("alpha", alpha), real_array("N", N, infinite=True)
    require("alpha", a, a >= 0, "alpha >= 0")
    require("N", n, (n >= 1) & (n == np.floor(n)), "an integer N >= 1, or inf")
    advice = "alpha > 1 when N is infinite (the Zipf law has no normaliser otherwise; pass a finite N)"
    require("alpha", a, (a > 1) | np.isfinite(n), advice)
    return a, n


def check_digits(digits: int) -> int:
    """The wanted number of digits, at least 1."""
    if isinstance(digits, bool) or digits != int(digits) or digits < 1:
        raise ValueError(f"digits must be an integer >= 1, got {digits}")
    return int(digits)


def guarded(extra: int) -> Callable[[Callable[..., Mpf]], Callable[..., Mpf]]:
    """Decorates a function of numbers, given by name, and of `digits`.

    It runs with `extra` more digits than that, all numbers are mpmath's, and its value is rounded to `digits`.
    """

    def decorate(function: Callable[..., Mpf]) -> Callable[..., Mpf]:
        @wraps(function)
        def evaluate(*, digits: int = 50, **values: Real) -> Mpf:
            with mp.workdps(check_digits(digits) + extra):
                numbers = {name: real_mpf(name, value) for name, value in values.items()}
                value = function(**numbers, digits=digits)
            return rounded(value, digits)

        return evaluate

    return decorate


def whole(value: Mpf) -> Mpf:
    """The whole part of an mpmath number as an int, infinity as math.inf."""
    return math.inf if mp.isinf(value) else int(mp.floor(value))


def rounded(value: Mpf, digits: int) -> Mpf:
    """The number, rounded to `digits` significant digits."""
    with mp.workdps(digits):
        return +value


def real_mpf(name: str, value: Real) -> Mpf:
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
