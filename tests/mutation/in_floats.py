"""Formulas that mpmath cannot or can hardly evaluate, in float64: infima, and integrals of integrals.

They are good to some ten digits, which tells a changed formula from the right one.
"""

import math
from functools import lru_cache

import numpy as np
import scipy.special
import sympy
from sympy.printing.pycode import MpmathPrinter

from asymp.theory.functions.recall.symbols import Infimum

STEP, LOW, HIGH = 0.2, -8.0, 6.0
"""The grid of an infimum over (0, oo), in the logarithm; golden sections about the least value do the rest."""


class Printer(MpmathPrinter):
    """mpmath's names in the order in which they stand: to sort a sum SymPy would evaluate its integrals."""

    def __init__(self, functions):
        super().__init__(
            {
                "fully_qualified_modules": False, "inline": True, "allow_unknown_functions": True, "order": "none",
                "user_functions": {name: name for name in functions},
            }
        )  # fmt: skip

    def _print_Infimum(self, expr):
        variable, low, high = expr.limits[0]
        name = "least" if variable.is_integer else "infimum"
        body = self._print(expr.function)
        return f"{name}(lambda {self._print(variable)}: ({body}), {self._print(low)}, {self._print(high)})"

    def _print_Product(self, expr):
        (variable, low, high), *more = expr.limits
        assert not more
        body = self._print(expr.function)
        return f"prod(({body}) for {self._print(variable)} in range({self._print(low)}, {self._print(high)} + 1))"


def needs_floats(expr):
    """Whether a formula has an infimum, or an integral in an integral."""
    return expr.has(Infimum) or any(e.function.has(sympy.Integral) for e in expr.atoms(sympy.Integral))


def plain(function):
    """A function of mpmath numbers as one of floats, its values kept."""
    return lru_cache(maxsize=4096)(lambda *arguments: float(function(*arguments)))


def least(function, low, high):
    """Over whole numbers."""
    return min(function(k) for k in range(int(low), int(high) + 1))


def infimum(function, low, high):
    """Over (0, oo), of a function that falls and then rises or jumps."""
    assert low == 0 and high == math.inf

    def at(y):
        return float(function(math.exp(y)))

    grid = np.arange(LOW, HIGH + STEP / 2, STEP)
    values = [at(y) for y in grid]
    i = int(np.nanargmin(values))
    best, a, b = values[i], grid[i] - STEP, grid[i] + STEP
    golden = (math.sqrt(5) - 1) / 2
    c, d = b - golden * (b - a), a + golden * (b - a)
    at_c, at_d = at(c), at(d)
    for _ in range(45):
        best = min(best, at_c, at_d)
        if at_c < at_d:
            b, d, at_d = d, c, at_c
            c = b - golden * (b - a)
            at_c = at(c)
        else:
            a, c, at_c = c, d, at_d
            d = a + golden * (b - a)
            at_d = at(d)
    return best


WHOLE = np.arange(-88, 89) / 8
HALF = np.arange(-4.5, 4.0, 1 / 32)


def integral(function, limits):
    """The trapezoidal rule: over the line as it is, over (0, oo) in a = exp(u - exp(-u))."""
    low, high = limits
    assert high == math.inf
    if low == -math.inf:
        return float(np.sum(function(WHOLE)) / 8)
    assert low == 0
    a = np.exp(HALF - np.exp(-HALF))
    return float(sum(function(v) * v * (1 + math.exp(-u)) for u, v in zip(HALF, a, strict=True)) / 32)


def gaussian_error(a, M):
    """pi_M(a), by the trapezoidal rule."""
    density = np.exp(-(WHOLE**2) / 2) / math.sqrt(2 * math.pi)
    return float(np.sum(density * (1 - scipy.special.ndtr(float(a) + WHOLE) ** (float(M) - 1))) / 8)


FUNCTIONS = {
    "GaussianError": gaussian_error,
    "quad": integral, "infimum": infimum, "least": least, "prod": math.prod, "inf": math.inf, "pi": math.pi,
    "mpf": float, "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "erfc": scipy.special.erfc, "erf": scipy.special.erf,
    "zeta": lambda s, a=1.0: float(scipy.special.zeta(s, a)), "floor": lambda x: math.floor(x), "gamma": math.gamma,
    "Heaviside": lambda x, at=0.5: 1.0 if x > 0 else float(at) if x == 0 else 0.0, "ceiling": lambda x: math.ceil(x),
}  # fmt: skip
