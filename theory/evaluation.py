"""What is worked out of a formula: a function of float64 arrays, a number to any digits, the exponent of its growth.

Functions with two sides of their own (`theory.functions.special`) are called by these.

SymPy's `limit` is not trusted with symbolic exponents: in SymPy 1.14 limit(log(d**(1-alpha) + d**(-1/2))/log(d), d, oo)
is 1 - alpha for every alpha, which is wrong for alpha > 3/2. Here a sum grows like its fastest term and the answer is
written Max(...), so that every regime stays visible. Leading terms that cancel each other are not seen: the tests
compare each exponent with the local slope of the law at very large sizes.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import islice
from typing import Any, TypeVar

from asymp.theory.lazy import Digits, Expr, Floats, mpmath, sympy

LARGEST = 12
"""Powers up to this one are products; NumPy's own power takes fifty times as long as a product."""

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


def numpy_function(arguments: "Sequence[sympy.Symbol]", expr: "Expr | Sequence[Expr]") -> Callable[..., Any]:
    """The function of the arguments that a SymPy expression (or a sequence of them) says, on float64 arrays.

    Whole and half powers become products.
    """
    own = {"whole_power": whole_power, **_sides(expr, "floats")}
    compiled: Callable[..., Any] = sympy.lambdify(
        arguments, expr, modules=[own, "scipy", "numpy"], printer=_printer(), cse=True
    )
    return compiled


def digits_function(arguments: "Sequence[sympy.Symbol]", expr: Expr) -> Callable[..., Digits]:
    """The function of the arguments that a SymPy expression says, at the precision that mpmath has when it is called."""
    own = {"betainc_regularized": _regularized, **_sides(expr, "digits")}
    compiled: Callable[..., Digits] = sympy.lambdify(arguments, expr, modules=[own, "mpmath"])
    return compiled


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

        def _print_LambertW(self, expr: Expr) -> str:
            # SciPy's own is complex, and its argument may overflow: W(x) = omega(log x) for x > 0, as in all laws.
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


def parsed(text: str, symbols: Mapping[str, object], known: Collection[str], what: str) -> Expr:
    """The expression that a text says.

    Args:
        text: the formula.
        symbols: the symbols of its letters, and functions besides SymPy's own.
        known: letters that are declared; another one is an error.
        what: whose formula it is, for an error.
    """
    try:
        # A decimal in the text is the number that it says, not the nearest float: fifty digits depend on it.
        expr = sympy.sympify(text, locals=dict(symbols), rational=True)
    except (sympy.SympifyError, TypeError, AttributeError, SyntaxError) as error:
        raise ValueError(f"the expression of {what} is not a formula: {text!r}") from error
    undeclared = sorted(s.name for s in expr.free_symbols if s.name not in known and not s.has(sympy.Indexed))
    if undeclared:
        raise ValueError(f"the expression of {what} uses {', '.join(undeclared)}, which its parameters do not declare")
    return expr


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
                value = mpmath.mpf(compute(digits + extra))
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


def spell(values: Mapping[str, Any]) -> str:
    """The values as they were given, for a message."""
    return ", ".join(f"{k}={v}" for k, v in values.items())


# -- exponents -----------------------------------------------------------------------------------------------------------

# Symbols, numbers and operations of a formula that is written out in a message.
LONGEST_NAMED = 60


def growth_exponent(expr: Expr, variable: "sympy.Symbol") -> Expr:
    """The exponent e in expr ~ variable**e (up to logarithms) as the variable grows.

    >>> d, a = sympy.symbols("d a", positive=True)
    >>> growth_exponent(d**(1 - a) + d**sympy.Rational(-1, 2), d)
    Max(-1/2, 1 - a)
    """
    if not expr.has(variable):
        return sympy.Integer(0)
    if expr == variable:
        return sympy.Integer(1)
    if isinstance(expr, sympy.Mul):
        return sympy.Add(*(growth_exponent(factor, variable) for factor in expr.args))
    if isinstance(expr, sympy.Add):
        return sympy.Max(*(growth_exponent(term, variable) for term in expr.args))
    if isinstance(expr, sympy.Pow) and not expr.exp.has(variable):
        return sympy.expand(expr.exp * growth_exponent(expr.base, variable))
    if isinstance(expr, sympy.log):
        return sympy.Integer(0)
    if isinstance(expr, sympy.exp) or (isinstance(expr, sympy.Pow) and not expr.base.has(variable)):
        return _exponential(expr, variable)
    raise ValueError(f"no rule gives the growth of {_named(expr)} in {variable}; declare the exponent on the law")


def _exponential(expr: Expr, variable: "sympy.Symbol") -> Expr:
    base, power = expr.as_base_exp()
    if base.is_number and base > 1:
        inner = growth_exponent(power, variable)
        if inner.is_negative:
            return sympy.Integer(0)
        sign = sympy.limit(power / variable**inner, variable, sympy.oo) if inner.is_positive else None
        if sign is not None and sign.is_positive:
            return sympy.oo
        if sign is not None and sign.is_negative:
            return -sympy.oo
    raise ValueError(f"no rule gives the growth of {_named(expr)} in {variable}; declare the exponent on the law")


def _named(expr: Expr) -> str:
    """A formula in a sentence: itself if it is short. Some would fill screens, and take a second to write."""
    short = len(list(islice(sympy.preorder_traversal(expr), LONGEST_NAMED))) < LONGEST_NAMED
    return str(expr) if short else f"a long formula with {expr.func.__name__}"
