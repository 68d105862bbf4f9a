"""Functions of mathematics that SymPy does not have: each a SymPy function with a float64 and an mpmath side.

A law composed of them needs no routine of its own: its formula is compiled with these sides (`theory.evaluation`).
"""

from collections.abc import Callable
from typing import ClassVar
from xml.dom.minidom import Element

import mpmath
import sympy
from sympy.printing.printer import Printer

from asymp.theory.functions.arguments import FloatArray, Mpf, real_mpf


class Special(sympy.Function):  # type: ignore[misc]
    """A function with two sides: `floats`, on arrays, and `digits`, at the precision that mpmath has."""

    letter: ClassVar[str] = ""
    """How LaTeX writes a value, with {0}, {1} ... for the arguments."""
    definition: ClassVar[str] = ""
    """What the function is, in a sentence, where its letter alone would not say it."""

    floats: ClassVar[Callable[..., FloatArray]]
    """Values in float64, on arrays."""
    digits: ClassVar[Callable[..., Mpf]]
    """One value as an mpmath number."""

    def _eval_evalf(self, prec: int) -> sympy.Expr | None:
        if not all(a.is_number for a in self.args):
            return None
        digits = int(prec / 3.32) + 3
        with mpmath.workdps(digits + 5):
            value = self.digits(*(real_mpf("argument", a.evalf(digits + 5)) for a in self.args))
            return sympy.Float(value, digits)

    def _latex(self, printer: Printer, exp: str | None = None) -> str:
        written = self.letter.format(*(printer._print(a) for a in self.args))
        return written if exp is None else rf"\left({written}\right)^{{{exp}}}"


def element(printer: Printer, name: str, *children: Element | sympy.Basic) -> Element:
    """A MathML element with children, which are elements or expressions."""
    made: Element = printer.dom.createElement(name)
    for child in children:
        made.appendChild(printer._print(child) if isinstance(child, sympy.Basic) else child)
    return made


def text(printer: Printer, name: str, words: str) -> Element:
    """A MathML element with text in it."""
    return element(printer, name, printer.dom.createTextNode(words))
