"""Statements as presentation MathML, from SymPy's printer with the notations that papers use."""

import re
from html.entities import html5
from typing import Any

import sympy
from sympy.printing.mathml import MathMLPresentationPrinter
from sympy.printing.precedence import precedence_traditional

SIGNS = {"=": "=", "<=": "&#x2264;", ">=": "&#x2265;", "~": "&#x224D;", "<~": "&#x2272;", ">~": "&#x2273;"}

SPELT = {
    "&ExponentialE;": "e",
    "&dd;": "d",
    "<mo>-</mo>": "<mo>&#x2212;</mo>",
    "<mn>-": "<mn>&#x2212;",
    "<mo><</mo>": "<mo>&lt;</mo>",
    "<mo>></mo>": "<mo>&gt;</mo>",
}


class Printer(MathMLPresentationPrinter):  # type: ignore[misc]
    """SymPy's printer writes some functions by their name in the code; here they are written as in a paper."""

    def _print_Piecewise(self, expr: sympy.Piecewise) -> Any:
        """Cases behind a brace."""
        rows = []
        for value, condition in expr.args:
            when = self._words("otherwise") if condition == sympy.true else self._row(self._words("if "), condition)
            rows.append(self._node("mtr", self._node("mtd", self._print(value)), self._node("mtd", when)))
        table = self._node("mtable", *rows)
        table.setAttribute("columnalign", "left")
        return self._row(self._sign("{"), table)

    def _print_harmonic(self, expr: Any) -> Any:
        """H_N, and H_N^(alpha) for the generalised harmonic number."""
        n, *order = expr.args
        letter = self._letter("H")
        if not order:
            return self._node("msub", letter, self._print(n))
        return self._node("msubsup", letter, self._print(n), self._row(self._sign("("), order[0], self._sign(")")))

    def _print_Sum(self, expr: sympy.Sum) -> Any:
        """One sign for each index, with its limits below and above."""
        signs = [
            self._node("munderover", self._sign("\u2211"), self._row(index, self._sign("="), low), self._print(high))
            for index, low, high in expr.limits
        ]
        return self._row(*signs, self.parenthesize(expr.function, precedence_traditional(expr)))

    def _print_Indexed(self, expr: sympy.Indexed) -> Any:
        """A letter with its indices one after the other: t_zk."""
        return self._node("msub", self._print(expr.base), self._row(*expr.indices))

    def _print_RisingFactorial(self, expr: Any) -> Any:
        """Pochhammer's (x)_n."""
        x, n = expr.args
        return self._node("msub", self._row(self._sign("("), x, self._sign(")")), self._print(n))

    def _print_erfinv(self, expr: Any) -> Any:
        """The inverse of erf."""
        raised = self._node("msup", self._letter("erf"), self._row(self._sign("-"), self._print(sympy.S.One)))
        return self._row(raised, self._sign("("), expr.args[0], self._sign(")"))

    def _print_loggamma(self, expr: Any) -> Any:
        """log Gamma."""
        letters = self._letter("log"), self._letter("\u0393")
        return self._row(*letters, self._sign("("), expr.args[0], self._sign(")"))

    def _print_hyper(self, expr: Any) -> Any:
        """Hypergeometric pFq(a; b; z)."""
        above, below, z = expr.args
        counts = [self._print(sympy.Integer(len(numbers))) for numbers in (below, above)]
        scripts = [
            self._letter("F"),
            counts[0],
            self._node("none"),
            self._node("mprescripts"),
            counts[1],
            self._node("none"),
        ]
        inside: list[Any] = []
        for numbers in (above, below):
            for i, number in enumerate(numbers):
                inside += [self._sign(","), number] if i else [number]
            inside.append(self._sign(";"))
        return self._row(self._node("mmultiscripts", *scripts), self._sign("("), *inside, z, self._sign(")"))

    def _node(self, tag: str, *children: Any) -> Any:
        node = self.dom.createElement(tag)
        for child in children:
            node.appendChild(child)
        return node

    def _row(self, *children: Any) -> Any:
        return self._node("mrow", *(self._print(c) if isinstance(c, sympy.Basic) else c for c in children))

    def _text(self, tag: str, text: str) -> Any:
        node = self.dom.createElement(tag)
        node.appendChild(self.dom.createTextNode(text))
        return node

    def _letter(self, text: str) -> Any:
        return self._text("mi", text)

    def _sign(self, text: str) -> Any:
        return self._text("mo", text)

    def _words(self, text: str) -> Any:
        return self._text("mtext", text.replace(" ", "\u00a0"))


def expression_mathml(expr: sympy.Expr) -> str:
    """The inside of a <math> element for one expression."""
    printer = Printer({"mul_symbol": "&InvisibleTimes;"})
    text: str = printer.doprint(expr)
    # Plain letters e and d instead of the double-struck ones, true minus signs, and what XML would take for a tag.
    for sign, better in SPELT.items():
        text = text.replace(sign, better)
    # XML knows none of HTML's names for characters: numbers work everywhere.
    return re.sub(r"&(\w+);", _numbered, text)


def _numbered(name: "re.Match[str]") -> str:
    if name[1] in ("lt", "gt", "amp"):
        return name[0]
    return "".join(f"&#x{ord(character):04X};" for character in html5[f"{name[1]};"])


def statement_mathml(quantity: str, relation: str, expr: sympy.Expr) -> str:
    """`quantity relation expr` as one <math> element in display style."""
    left = expression_mathml(sympy.Symbol(quantity))
    return (
        '<math xmlns="http://www.w3.org/1998/Math/MathML" display="block"><mrow>'
        f"{left}<mo>{SIGNS[relation]}</mo>{expression_mathml(expr)}</mrow></math>"
    )
