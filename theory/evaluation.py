"""What is worked out of a formula: a function of float64 arrays, a number to any digits.

Functions with two sides of their own (`theory.functions.special`) are called by these.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from functools import cache
from typing import Any, TypeVar

from asymp.theory.lazy import Digits, Expr, Floats, mpmath, np, special, sympy

LARGEST = 12
"""Powers up to this one are products; NumPy's own power takes fifty times as long as a product."""
MOST_TERMS = 100_000
"""A sum in a formula is added up term by term, some microseconds each."""
MOST_NESTED = 1_000_000
"""The most terms of a sum within sums, each counted as often as it is added up."""

Base = TypeVar("Base", float, "Floats")


def whole_power(base: Base, n: int) -> Base:
    """base^n for n >= 1 by repeated squaring."""
    found = None
    while n:
        if n & 1:
            found = base if found is None else found * base
        n >>= 1
        if n:
            base = base * base
    if found is None:
        raise ValueError(f"n must be at least 1; got {n}")
    return found


def added_up(term: Callable[[float], Any], low: Any, high: Any) -> Any:
    """The sum of `term` over the whole numbers from `low` to `high`, which may be arrays."""
    total: Any = 0.0
    with _terms(np.min(low), np.max(high)) as numbers:
        for k in numbers:
            total = total + np.where((low <= k) & (k <= high), term(float(k)), 0.0)
    return total


def _digits_added_up(term: Callable[[Digits], Digits], low: Digits, high: Digits) -> Digits:
    with _terms(low, high) as numbers:
        return mpmath.fsum(term(mpmath.mpf(k)) for k in numbers)


_around: ContextVar[float] = ContextVar("terms of the sums around this one", default=1.0)


@contextmanager
def _terms(low: Any, high: Any) -> Iterator[range]:
    """The whole numbers from `low` to `high`, as long as they are not too many, those of the sums around counted too."""
    around = _around.get()
    count, most = max(1.0, float(high - low)) * around, MOST_TERMS if around == 1 else MOST_NESTED
    if count >= most:
        raise ValueError(
            f"a sum of {count:.3g} terms is too long to be added up (at most {most:,}); write it in closed "
            "form, such as harmonic(n), or zeta(a) - zeta(a, n + 1)"
        )
    before = _around.set(count)
    try:
        yield range(math.ceil(low), math.floor(high) + 1)
    finally:
        _around.reset(before)


def numpy_function(arguments: "Sequence[sympy.Symbol]", expr: "Expr | Sequence[Expr]") -> Callable[..., Any]:
    """The function of the arguments that a SymPy expression (or a sequence of them) says, on float64 arrays.

    Whole and half powers become products.
    """
    own = {
        "whole_power": whole_power,
        "added_up": added_up,
        "on_each": _on_each,
        "real_lambertw": _real_lambertw,
        **_sides(expr, "floats"),
    }
    compiled: Callable[..., Any] = sympy.lambdify(
        arguments, expr, modules=[own, "scipy", "numpy"], printer=_printer(), cse=True
    )
    return compiled


def digits_function(arguments: "Sequence[sympy.Symbol]", expr: Expr) -> Callable[..., Digits]:
    """The function of the arguments that a SymPy expression says, at the precision that mpmath has when it is called."""
    own = {"betainc_regularized": _regularized, "added_up": _digits_added_up, **_sides(expr, "digits")}
    compiled: Callable[..., Digits] = sympy.lambdify(
        arguments, expr, modules=[own, "mpmath"], printer=_digits_printer() if expr.has(sympy.Sum) else None
    )
    return compiled


def _on_each(quadrature: Callable[..., float], *values: Floats) -> Floats:
    """A quadrature at one number after the other, which is all that it can do."""
    found: Floats = np.vectorize(quadrature, otypes=[float])(*values)
    return found


def _real_lambertw(x: Floats, branch: int) -> Floats:
    """A branch of Lambert's W where it is real, else nan."""
    found = special.lambertw(x, branch)
    return np.where(found.imag == 0, found.real, np.nan)


def _sides(expr: "Expr | Sequence[Expr]", side: str) -> dict[str, Callable[..., Any]]:
    """The functions in an expression that have this side of their own, by name."""
    atoms = sympy.Tuple(expr).atoms(sympy.Function)
    return {type(f).__name__: getattr(type(f), side) for f in atoms if hasattr(type(f), side)}


def written_out(expr: Expr) -> Expr:
    """A formula with the sums, integrals and roots that our functions stand for in their place."""
    forms = {f: written_out(f.written()) for f in expr.atoms(sympy.Function) if hasattr(f, "written")}
    return expr.xreplace(forms) if forms else expr


def _regularized(a: Digits, b: Digits, low: Digits, high: Digits) -> Digits:
    # SymPy calls mpmath's betainc without saying that it is the regularised one.
    return mpmath.betainc(a, b, low, high, regularized=True)


@cache
def _printer() -> Any:
    from sympy.printing.numpy import SciPyPrinter

    class Printer(SciPyPrinter):  # type: ignore[misc]
        def _print_Pow(self, expr: Expr, rational: bool = False) -> str:
            exponent, half = expr.exp, sympy.Rational(1, 2)
            size = abs(exponent) if exponent.is_Rational else None
            if size is None or size.q > 2 or size in (half, 1, 2) or size > LARGEST:
                return str(super()._print_Pow(expr, rational=rational))
            base = self._print(expr.base)
            if size.q == 2:
                base = f"{self._module_format('numpy.sqrt')}({base})"
            power = f"whole_power({base}, {size.p})"
            return power if exponent > 0 else f"(1/{power})"

        def _print_log(self, expr: Expr) -> str:
            whole, rest = expr.args[0].as_coeff_Add()
            if whole != 1 or rest == 0:
                return str(super()._print_log(expr))
            return f"{self._module_format('numpy.log1p')}({self._print(rest)})"

        def _print_Sum(self, expr: Expr) -> str:
            return _sum_text(self, expr)

        def _print_Integral(self, expr: Expr) -> str:
            letters = ", ".join(sorted(self._print(symbol) for symbol in expr.free_symbols))
            each = f"lambda {letters}: {super()._print_Integral(expr)}"
            return f"on_each({each}, {letters})" if letters else f"({each})()"

        def _print_LambertW(self, expr: Expr) -> str:
            if len(expr.args) > 1 or expr.args[0].is_negative:
                branch = self._print(expr.args[1]) if len(expr.args) > 1 else "0"
                return f"real_lambertw({self._print(expr.args[0])}, {branch})"
            # SciPy's own is complex, and its argument may overflow: W(x) = omega(log x) for x > 0
            logs = sympy.expand_log(sympy.log(expr.args[0]), force=True)
            return f"{self._module_format('scipy.special.wrightomega')}({self._print(logs)})"

        def _print_harmonic(self, expr: Expr) -> str:
            n, *order = expr.args
            if order:
                raise ValueError(f"{expr} has no numeric form here: write harmonic(n, a) as zeta(a) - zeta(a, n + 1)")
            # NumPy has no harmonic numbers: H_n = digamma(n + 1) + Euler's constant.
            return (
                f"({self._module_format('scipy.special.digamma')}({self._print(n)} + 1) + {float(sympy.EulerGamma)!r})"
            )

        def _print_betainc_regularized(self, expr: Expr) -> str:
            a, b, low, high = expr.args
            ends = [end for end in (high, low) if end != 0]
            name = self._module_format("scipy.special.betainc")
            return "(" + " - ".join(f"{name}({self._print(a)}, {self._print(b)}, {self._print(e)})" for e in ends) + ")"

    return Printer({"fully_qualified_modules": False, "inline": True, "allow_unknown_functions": True})


@cache
def _digits_printer() -> Any:
    from sympy.printing.pycode import MpmathPrinter

    class Printer(MpmathPrinter):  # type: ignore[misc]
        def _print_Sum(self, expr: Expr) -> str:
            return _sum_text(self, expr)

    return Printer({"fully_qualified_modules": False, "inline": True, "allow_unknown_functions": True})


def _sum_text(printer: Any, expr: Expr) -> str:
    if any(limit[2] is sympy.oo for limit in expr.limits):
        return str(printer._print(_in_closed_form(expr)))
    text = printer._print(expr.function)
    for letter, low, high in expr.limits:
        text = f"added_up(lambda {printer._print(letter)}: {text}, {printer._print(low)}, {printer._print(high)})"
    return str(text)


def _in_closed_form(total: Expr) -> Expr:
    """What SymPy knows of a sum without end; infinite where that is known under a condition that does not hold."""
    found = sympy.expand_func(total.doit()).replace(
        lambda f: isinstance(f, sympy.harmonic) and len(f.args) == 2,
        lambda f: sympy.zeta(f.args[1]) - sympy.zeta(f.args[1], f.args[0] + 1),
    )
    left = found.atoms(sympy.Sum)
    if left and not found.has(sympy.Piecewise):
        raise ValueError(f"no closed form of {total} is known: a sum in a formula ends, or is one such as zeta(a, n)")
    return found.xreplace(dict.fromkeys(left, sympy.oo))


# -- digits --------------------------------------------------------------------------------------------------------------


def settled(
    compute: Callable[[int], Digits], digits: int, sizes: Iterable[Digits], what: str, values: Mapping[str, object]
) -> Digits:
    """A number to `digits` digits, every one of them right.

    Args:
        compute: the number at a precision, which may lose digits to cancellation.
        digits: how many digits are wanted.
        sizes: the arguments; a large one must itself be held exactly, or d + 1 is d at every precision.
        what: what is computed, for an error.
        values: the arguments as they were given, for an error.
    """
    largest = max([abs(size) for size in sizes if mpmath.isfinite(size)], default=mpmath.mpf(0))
    size = int(mpmath.log10(largest)) + 1 if largest >= 1 else 0
    # Cancellation shows as a change under more precision; two values that agree to all digits have none left.
    extra, last = 15 + size, None
    while True:
        with mpmath.workdps(digits + extra):
            try:
                found = compute(digits + extra)
                if isinstance(found, mpmath.mpc) and found.imag != 0:
                    raise ValueError(f"{what} is no real number at {spell(values)}")
                value = mpmath.mpf(found.real)
            except ZeroDivisionError:
                # A difference has vanished at this precision.
                value = mpmath.nan
            agrees = last is not None and abs(value - last) <= abs(value) * mpmath.mpf(10) ** (-digits - 5)
            # Nothing may be left of a number that cancels: a zero is believed only at far more digits.
            if agrees and (value != 0 or extra > 1000 + size):
                break
            last = value
        if extra > 20 * digits + 2000 + size:
            raise ValueError(f"{what} does not settle to {digits} digits at {spell(values)}")
        extra = 2 * extra + digits // 2
    with mpmath.workdps(digits):
        result = +value
    if not mpmath.isfinite(result):
        raise ValueError(f"{what} is not finite at {spell(values)}")
    return result


def as_mpf(value: Any) -> Digits:
    """A number as an mpmath number at the present precision; fractions, SymPy's too, are divided at it."""
    if hasattr(value, "is_Rational") and value.is_Rational:
        value = Fraction(int(value.p), int(value.q))
    if isinstance(value, Fraction):
        return mpmath.mpf(value.numerator) / value.denominator
    return mpmath.mpf(value.item() if hasattr(value, "item") else value)


# -- arguments -----------------------------------------------------------------------------------------------------------


def symbolic(value: Any) -> bool:
    """Whether a value has symbols in it."""
    if isinstance(value, int | float | str | Fraction | list | tuple) or value is None:
        return False
    return hasattr(value, "free_symbols") and not value.is_number


def word(value: Any, words: Sequence[str]) -> Any:
    """A word that is a number may be given as one: order=4 is order='4'."""
    named = str(value)
    return named if isinstance(value, int | Fraction) and not isinstance(value, bool) and named in words else value


LONGEST_NAMED, LONGEST_REASON = 60, 160
"""Values with more characters are cut in messages."""


def real(result: Any) -> Any:
    """A float, or an array of floats; TypeError for complex numbers, OverflowError for whole ones beyond them."""
    if np.ndim(result) == 0:
        return float(result)
    if np.iscomplexobj(result):
        raise TypeError("it is complex")
    return np.asarray(result, dtype=float)


def spell(values: Mapping[str, Any]) -> str:
    """The values as they were given, for a message; a very long one is cut."""
    return ", ".join(f"{k}={v if len(str(v)) <= LONGEST_NAMED else f'{str(v)[:20]}...'}" for k, v in values.items())


@contextmanager
def computing(what: str, values: Mapping[str, Any]) -> Iterator[None]:
    """Numbers inside a domain may still be too large for a routine: ValueError in one sentence, whatever breaks first."""
    try:
        with np.errstate(all="ignore"):  # what is not finite is said in a sentence
            yield
    except (ArithmeticError, IndexError, MemoryError, RecursionError, mpmath.libmp.NoConvergence) as error:
        raise ValueError(
            f"{what} cannot be computed at {spell(values)} ({type(error).__name__}): numbers are too large or too small for it"
        ) from error
    except (TypeError, NameError, NotImplementedError) as error:  # such as the square root of -1
        words = " ".join(str(error).split())[:LONGEST_REASON]
        raise ValueError(
            f"{what} cannot be computed at {spell(values)}: its formula has no real number there ({words})"
        ) from error
