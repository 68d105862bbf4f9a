"""Functions of mathematics that SymPy does not have: each a SymPy function with a float64 and an mpmath side.

A law composed of them needs no routine of its own: its formula is compiled with these sides (`theory.evaluation`). Those made by
`computed` have no letter in a formula, which shows the sum, integral or root that they stand for.
"""

from collections.abc import Callable
from typing import ClassVar
from xml.dom.minidom import Element

import mpmath
import numpy as np
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


def computed(
    name: str, letters: str, form: Callable[..., sympy.Expr], floats: Callable[..., object], digits: Callable[..., Mpf]
) -> type[Special]:
    """A SymPy function that stands for a sum, an integral or a root: formulas show that form, and its two sides compute it.

    Args:
        name: its name.
        letters: its arguments, "alpha T P".
        form: what it stands for, as an expression of the arguments in their order.
        floats: its values on arrays; takes the arguments by their letters.
        digits: one value as an mpmath number; takes the arguments by their letters, and the number of digits.
    """
    names = letters.split()

    def in_floats(*values: FloatArray) -> FloatArray:
        return np.asarray(floats(**dict(zip(names, values, strict=True))), dtype=np.float64)

    def in_digits(*values: Mpf) -> Mpf:
        return digits(**dict(zip(names, values, strict=True)), digits=mpmath.mp.dps)

    sides = {"floats": staticmethod(in_floats), "digits": staticmethod(in_digits)}
    return type(name, (Special,), {"nargs": len(names), "written": lambda self: form(*self.args), **sides})


def element(printer: Printer, name: str, *children: Element | sympy.Basic) -> Element:
    """A MathML element with children, which are elements or expressions."""
    made: Element = printer.dom.createElement(name)
    for child in children:
        made.appendChild(printer._print(child) if isinstance(child, sympy.Basic) else child)
    return made


def text(printer: Printer, name: str, words: str) -> Element:
    """A MathML element with text in it."""
    return element(printer, name, printer.dom.createTextNode(words))
