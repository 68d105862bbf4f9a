"""Statements as presentation MathML, straight from SymPy."""

import sympy
from sympy.printing.mathml import MathMLPresentationPrinter

__all__ = ["expression_mathml", "statement_mathml"]

SIGNS = {"=": "=", "<=": "&#x2264;", ">=": "&#x2265;", "~": "&#x224D;", "<~": "&#x2272;", ">~": "&#x2273;"}


def expression_mathml(expr: sympy.Expr) -> str:
    """The inside of a <math> element for one expression."""
    printer = MathMLPresentationPrinter({"mul_symbol": "&InvisibleTimes;"})
    text: str = printer.doprint(expr)
    # Browsers know no named entities in MathML inside HTML fragments saved as XML: numeric ones work everywhere.
    return text.replace("&InvisibleTimes;", "&#x2062;").replace("&ApplyFunction;", "&#x2061;")


def statement_mathml(quantity: str, relation: str, expr: sympy.Expr) -> str:
    """`quantity relation expr` as one <math> element in display style."""
    left = expression_mathml(sympy.Symbol(quantity))
    return (
        '<math xmlns="http://www.w3.org/1998/Math/MathML" display="block"><mrow>'
        f"{left}<mo>{SIGNS[relation]}</mo>{expression_mathml(expr)}</mrow></math>"
    )
