"""SymPy functions without a closed form that the laws of the SGD map are written in."""

from typing import Any

import sympy

__all__ = ["GrowthConstant", "SGDIterate"]

EXPLICIT = 6
"""Up to this n the iterate is written out."""


class SGDIterate(sympy.Function):  # type: ignore[misc]
    """SGDIterate(n, gamma, M) = f^n(0) with f(q) = q + gamma/(1 + exp(q)/(M - 1)); written out for n <= 6.

    >>> gamma, M = sympy.symbols("gamma M", positive=True)
    >>> SGDIterate(1, gamma, M)
    gamma/(1 + 1/(M - 1))
    """

    nargs = 3

    @classmethod
    def eval(cls, n: Any, gamma: Any, M: Any) -> Any:
        """The iterate itself where it is short; None leaves it as it stands."""
        if n.is_Integer and 0 <= n <= EXPLICIT:
            q = sympy.Integer(0)
            for _ in range(int(n)):
                q = q + gamma / (1 + sympy.exp(q) / (M - 1))
            return q
        return None

    def _eval_evalf(self, prec: int) -> Any:
        from asymp.theory.sgd.iterates import sgd_iterate_digits

        if not all(a.is_number for a in self.args):
            return None
        digits = int(prec / 3.32) + 3
        n, gamma, M = (a.evalf(digits) for a in self.args)
        return sympy.Float(sgd_iterate_digits(gamma=gamma, M=M, n=n, digits=digits), digits)

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        n, gamma, M = (printer._print(a) for a in self.args)
        text = rf"f^{{\circ {n}}}_{{{gamma},{M}}}\left(0\right)"
        return text if exp is None else rf"\left({text}\right)^{{{exp}}}"

    def _mathml_presentation(self, printer: Any) -> Any:
        n, gamma, M = self.args
        scripts = _element(printer, "msubsup", _text(printer, "mi", "f"))
        scripts.appendChild(
            _element(printer, "mrow", printer._print(gamma), _text(printer, "mo", ","), printer._print(M))
        )
        scripts.appendChild(_element(printer, "mrow", _text(printer, "mo", "\u2218"), printer._print(n)))
        zero = [_text(printer, kind, text) for kind, text in (("mo", "("), ("mn", "0"), ("mo", ")"))]
        return _element(printer, "mrow", scripts, *zero)


class GrowthConstant(sympy.Function):  # type: ignore[misc]
    """GrowthConstant(gamma, M): c in exp(f^n(0)) = (M - 1) (gamma n + (gamma/2 - 1) log n + c + o(1))."""

    nargs = 2

    def _eval_evalf(self, prec: int) -> Any:
        from asymp.theory.sgd.iterates import growth_constant_digits

        if not all(a.is_number for a in self.args):
            return None
        digits = int(prec / 3.32) + 3
        gamma, M = (a.evalf(digits) for a in self.args)
        return sympy.Float(growth_constant_digits(gamma=gamma, M=M, digits=digits), digits)

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        gamma, M = (printer._print(a) for a in self.args)
        text = rf"c\left({gamma},{M}\right)"
        return text if exp is None else rf"{text}^{{{exp}}}"

    def _mathml_presentation(self, printer: Any) -> Any:
        gamma, M = self.args
        inside = [printer._print(gamma), _text(printer, "mo", ","), printer._print(M)]
        return _element(
            printer, "mrow", _text(printer, "mi", "c"), _text(printer, "mo", "("), *inside, _text(printer, "mo", ")")
        )


def _element(printer: Any, name: str, *children: Any) -> Any:
    element = printer.dom.createElement(name)
    for child in children:
        element.appendChild(child)
    return element


def _text(printer: Any, name: str, text: str) -> Any:
    return _element(printer, name, printer.dom.createTextNode(text))
