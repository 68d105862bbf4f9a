"""SymPy functions without a closed form that the laws of the SGD map are written in."""

from xml.dom.minidom import Element

import mpmath
import numpy as np
import sympy
from sympy.printing.printer import Printer

from asymp.theory.functions.arguments import FloatArray
from asymp.theory.functions.sgd.iterates import (
    growth_constant,
    growth_constant_digits,
    sgd_iterate,
    sgd_iterate_digits,
)
from asymp.theory.functions.special import Special, element, text

EXPLICIT = 6
"""Up to this n the iterate is written out."""


class SGDIterate(Special):
    """SGDIterate(n, gamma, M) = f^n(0) with f(q) = q + gamma/(1 + exp(q)/(M - 1)); written out for n <= 6.

    >>> gamma, M = sympy.symbols("gamma M", positive=True)
    >>> SGDIterate(1, gamma, M)
    gamma/(1 + 1/(M - 1))
    """

    nargs = 3
    letter = r"f^{{\circ {0}}}_{{{1},{2}}}\left(0\right)"

    @classmethod
    def eval(cls, n: sympy.Expr, gamma: sympy.Expr, M: sympy.Expr) -> sympy.Expr | None:
        """The iterate itself where it is short; None leaves it as it stands."""
        if n.is_Integer and 0 <= n <= EXPLICIT:
            q = sympy.Integer(0)
            for _ in range(int(n)):
                q = q + gamma / (1 + sympy.exp(q) / (M - 1))
            return q
        return None

    @staticmethod
    def floats(n: FloatArray, gamma: FloatArray, M: FloatArray) -> FloatArray:
        """The iterate in float64."""
        return np.asarray(sgd_iterate(gamma=gamma, M=M, n=n))

    @staticmethod
    def digits(n: mpmath.mpf, gamma: mpmath.mpf, M: mpmath.mpf) -> mpmath.mpf:
        """The iterate as an mpmath number."""
        return sgd_iterate_digits(gamma=gamma, M=M, n=n, digits=mpmath.mp.dps)

    def _mathml_presentation(self, printer: Printer) -> Element:
        n, gamma, M = self.args
        below = element(printer, "mrow", gamma, text(printer, "mo", ","), M)
        above = element(printer, "mrow", text(printer, "mo", "\u2218"), n)
        scripts = element(printer, "msubsup", text(printer, "mi", "f"), below, above)
        zero = [text(printer, kind, words) for kind, words in (("mo", "("), ("mn", "0"), ("mo", ")"))]
        return element(printer, "mrow", scripts, *zero)


class GrowthConstant(Special):
    """GrowthConstant(gamma, M): c in exp(f^n(0)) = (M - 1) (gamma n + (gamma/2 - 1) log n + c + o(1))."""

    nargs = 2
    letter = r"c\left({0},{1}\right)"

    @staticmethod
    def floats(gamma: FloatArray, M: FloatArray) -> FloatArray:
        """The constant in float64."""
        return np.asarray(growth_constant(gamma=gamma, M=M))

    @staticmethod
    def digits(gamma: mpmath.mpf, M: mpmath.mpf) -> mpmath.mpf:
        """The constant as an mpmath number."""
        return growth_constant_digits(gamma=gamma, M=M, digits=mpmath.mp.dps)

    def _mathml_presentation(self, printer: Printer) -> Element:
        gamma, M = self.args
        inside = text(printer, "mo", "("), gamma, text(printer, "mo", ","), M, text(printer, "mo", ")")
        return element(printer, "mrow", text(printer, "mi", "c"), *inside)
