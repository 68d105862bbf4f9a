"""Numbers of a law: in float64 for arrays, and to any number of digits. What the `Law` declares is worked out here."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import mpmath

    from asymp.theory.law import Law

__all__ = ["in_floats", "spell", "symbolic", "to_digits", "word"]


def to_digits(law: "Law", digits: int, values: Mapping[str, Any]) -> "mpmath.mpf":
    """The law at given values to `digits` digits, every one of them right."""
    import mpmath

    if isinstance(digits, bool) or not isinstance(digits, int) or not 1 <= digits <= 100_000:
        raise ValueError(f"digits must be an integer from 1 to 100000; got {digits!r}")
    full = law._complete(values)
    for name, value in full.items():
        if name not in law.words and (symbolic(value) or getattr(value, "ndim", False) or isinstance(value, list)):
            raise ValueError(f"{name} must be one number to be evaluated to {digits} digits; got {value!r}")
    # Cancellation shows as a change under more precision; two values that agree to all digits have none left.
    extra, last = 15, None
    while True:
        with mpmath.workdps(digits + extra):
            value = +_once(law, full, digits + extra)
            settled = last is not None and abs(value - last) <= abs(value) * mpmath.mpf(10) ** (-digits - 5)
            # Nothing may be left of a number that cancels: a zero is believed only at far more digits.
            if settled and (value != 0 or extra > 1000):
                break
            last = value
        if extra > 20 * digits + 2000:
            raise ValueError(f"law {law.id!r} does not settle to {digits} digits at {spell(values)}")
        extra = 2 * extra + digits // 2
    with mpmath.workdps(digits):
        result = +value
    if not mpmath.isfinite(result):
        raise ValueError(f"law {law.id!r} is not finite at {spell(values)}")
    return result


def _once(law: "Law", full: Mapping[str, Any], digits: int) -> "mpmath.mpf":
    """The law at one precision, which may lose digits to cancellation."""
    import mpmath
    import sympy

    numbers = {k: v if k in law.words else _mpf(v) for k, v in full.items()}
    if law.exact is not None:
        return mpmath.mpf(law.exact(digits=digits, **numbers))
    words = {k: full[k] for k in law.words}
    names = [k for k in numbers if k not in law.words]
    key = tuple(words.items())
    if key not in law._in_digits:
        # Numbers of the formula are made at every call, so that one function serves every precision.
        arguments = [law.symbols[k] for k in names]
        law._in_digits[key] = sympy.lambdify(arguments, law.variant(**words), modules="mpmath")
    return mpmath.mpf(law._in_digits[key](*(numbers[k] for k in names)))


def in_floats(law: "Law", full: Mapping[str, Any]) -> Any:
    """The law at checked arrays, in float64: by its own routine, or by its formula compiled."""
    import numpy as np

    from asymp.theory.compiled import numpy_function

    if law.numeric is not None:
        return law.numeric(**full)
    words = {k: full[k] for k in law.words}
    names = [k for k in full if k not in law.words]
    key = tuple(words.items())
    if key not in law._functions:
        arguments = [law.symbols[k] for k in names]
        law._functions[key] = numpy_function(arguments, law.variant(**words))
    arrays = [full[k] for k in names]
    result = law._functions[key](*arrays)
    # A formula that does not use all parameters still has the shape of all of them together.
    return np.broadcast_to(result, np.broadcast_shapes(*(np.shape(a) for a in arrays))) if arrays else result


def symbolic(value: Any) -> bool:
    """Whether a value has symbols in it."""
    if isinstance(value, int | float | str | Fraction | list | tuple) or value is None:
        return False
    return hasattr(value, "free_symbols") and not value.is_number


def word(value: Any, words: Sequence[str]) -> Any:
    """A word that is a number may be given as one: order=4 is order='4'."""
    named = str(value)
    return named if isinstance(value, int | Fraction) and not isinstance(value, bool) and named in words else value


def _mpf(value: Any) -> "mpmath.mpf":
    import mpmath

    if isinstance(value, Fraction):
        return mpmath.mpf(value.numerator) / value.denominator
    if hasattr(value, "is_Rational") and value.is_Rational:
        return mpmath.mpf(int(value.p)) / int(value.q)
    if hasattr(value, "item"):
        value = value.item()
    return mpmath.mpf(value)


def spell(values: Mapping[str, Any]) -> str:
    """The values as they were given, for a message."""
    return ", ".join(f"{k}={v}" for k, v in values.items())
