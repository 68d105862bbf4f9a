"""SymPy pieces of the laws of recall: the M-way Gaussian error, the Zipf law, class sums, an infimum, a failure."""

from typing import Any

import sympy
from sympy.concrete.expr_with_limits import ExprWithLimits

__all__ = ["Failure", "Infimum", "gaussian_error", "normal_cdf", "zipf"]


def normal_cdf(x: Any) -> Any:
    """Phi(x)."""
    return sympy.erfc(-x / sympy.sqrt(2)) / 2


def gaussian_error(a: Any, M: Any) -> Any:
    """pi_M(a) = 1 - integral of phi(t) Phi(a + t)^(M-1) over all t."""
    t = sympy.Symbol("t", real=True)
    density = sympy.exp(-(t**2) / 2) / sympy.sqrt(2 * sympy.pi)
    return 1 - sympy.Integral(density * normal_cdf(a + t) ** (M - 1), (t, -sympy.oo, sympy.oo))


def zipf(x: Any, alpha: Any, N: Any = sympy.oo) -> Any:
    """p(x) = C x^-alpha; harmonic(N, alpha) is the normaliser, zeta(alpha) at N = infinity."""
    return x**-alpha / (sympy.zeta(alpha) if N == sympy.oo else sympy.harmonic(N, alpha))


class Infimum(ExprWithLimits):
    """Infimum(expr, (g, 0, oo)): the infimum of an expression over a variable, left as it stands."""

    def __new__(cls, function: Any, *limits: Any, **assumptions: Any) -> "Infimum":
        """As for a Sum or an Integral."""
        return ExprWithLimits.__new__(cls, function, *limits, **assumptions)  # type: ignore[no-any-return]

    def _latex(self, printer: Any) -> str:
        variable, low, high = self.limits[0]
        ends = rf"{printer._print(low)} < {printer._print(variable)} < {printer._print(high)}"
        return rf"\inf_{{{ends}}} \left[{printer._print(self.function)}\right]"

    def _mathml_presentation(self, printer: Any) -> Any:
        under = _element(printer, "munder", _text(printer, "mo", "inf"), printer._print(self.variables[0]))
        brackets = _text(printer, "mo", "["), printer._print(self.function), _text(printer, "mo", "]")
        return _element(printer, "mrow", under, *brackets)


class Failure(sympy.Function):
    """Failure(x, ...): the probability that the input x is not recalled, a function of the scheme's parameters.

    It has no closed form: given the outputs' Gram matrix and |e_x| it is the Gaussian measure of a union of half-spaces.
    """

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        x, *rest = (printer._print(a) for a in self.args)
        text = rf"\mathbb{{P}}\left(f_q({x}) \neq f({x}) \mid {', '.join(rest)}\right)"
        return text if exp is None else rf"{text}^{{{exp}}}"

    def _mathml_presentation(self, printer: Any) -> Any:
        words = [_text(printer, "mi", "P"), _text(printer, "mo", "(")]
        for i, a in enumerate(self.args):
            words += [_text(printer, "mo", "," if i > 1 else "|")] if i else []
            words.append(printer._print(a))
        return _element(printer, "mrow", *words, _text(printer, "mo", ")"))


def _element(printer: Any, name: str, *children: Any) -> Any:
    element = printer.dom.createElement(name)
    for child in children:
        element.appendChild(child)
    return element


def _text(printer: Any, name: str, text: str) -> Any:
    return _element(printer, name, printer.dom.createTextNode(text))
