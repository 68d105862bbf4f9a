"""A SymPy expression as a fast NumPy function: whole and half powers become products."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

__all__ = ["numpy_function", "whole_power"]

LARGEST = 12
"""Powers up to this one are products; NumPy's own power takes fifty times as long as a product."""


def whole_power(base: Any, n: int) -> Any:
    """base^n for n >= 1 by repeated squaring."""
    found = None
    while n:
        if n & 1:
            found = base if found is None else found * base
        n >>= 1
        if n:
            base = base * base
    return found


def numpy_function(arguments: Sequence[Any], expr: Any) -> Callable[..., Any]:
    """The function of the arguments that a SymPy expression (or a sequence of them) says, on float64 arrays."""
    import sympy

    return sympy.lambdify(  # type: ignore[no-any-return]
        arguments, expr, modules=[{"whole_power": whole_power}, "scipy", "numpy"], printer=_printer(), cse=True
    )


@cache
def _printer() -> Any:
    import sympy
    from sympy.printing.numpy import SciPyPrinter

    class Printer(SciPyPrinter):  # type: ignore[misc]
        def _print_Pow(self, expr: Any, rational: bool = False) -> str:
            exponent, half = expr.exp, sympy.Rational(1, 2)
            size = abs(exponent) if exponent.is_Rational else None
            if size is None or size.q > 2 or size in (half, 1, 2) or size > LARGEST:
                return str(super()._print_Pow(expr, rational=rational))
            base = self._print(expr.base)
            if size.q == 2:
                base = f"{self._module_format('numpy.sqrt')}({base})"
            power = f"whole_power({base}, {size.p})"
            return power if exponent > 0 else f"(1/{power})"

    return Printer({"fully_qualified_modules": False, "inline": True, "allow_unknown_functions": True})
