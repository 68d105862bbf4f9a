"""Statements as presentation MathML, from SymPy's printer with the notations that papers use."""

import re
from collections.abc import Sequence
from html.entities import html5
from typing import Any

import sympy
from sympy.printing.mathml import MathMLPresentationPrinter
from sympy.printing.precedence import precedence_traditional

TOKEN = re.compile(r"\s*(\w+|[-+/^(),.|])")
GREEK = {
    *("alpha", "beta", "gamma", "delta", "epsilon", "eta", "theta", "kappa", "lambda", "mu", "nu", "xi", "rho", "sigma", "tau"),
    *("phi", "psi", "omega", "Delta", "Gamma", "Sigma", "Phi", "Psi", "Omega"),
}  # fmt: skip
OPERATORS = ("Delta", "Var", "Cov", "log", "max")
"""Names that act on what follows them: log_N is the logarithm of N."""
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
        """Cases behind a brace; numbers only are a table, and written as they were published."""
        rows = []
        published = all(value.is_Rational for value, _ in expr.args)
        for value, condition in expr.args:
            when = self._words("otherwise") if condition == sympy.true else self._row(self._words("if "), condition)
            shown = self._text("mn", f"{float(value):.6g}") if published else self._print(value)
            rows.append(self._node("mtr", self._node("mtd", shown), self._node("mtd", when)))
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

    def _print_betainc_regularized(self, expr: Any) -> Any:
        """I_x(a, b), of which all our formulas begin at 0."""
        first, second, low, x = expr.args
        letter = self._node(
            "msub", self._letter("I"), self._print(x) if low == 0 else self._row(low, self._sign(","), x)
        )
        return self._row(letter, self._sign("("), first, self._sign(","), second, self._sign(")"))

    def _print_AppliedUndef(self, expr: Any) -> Any:
        """A function without a formula, N_half(d), by its letter: N_1/2(d)."""
        letter, _, index = expr.func.__name__.partition("_")
        head = self._letter(letter)
        if index:
            half = self._row(*map(self._text, ("mn", "mo", "mn"), "1/2"))
            head = self._node("msub", head, half if index == "half" else self._letter(index))
        inside = [part for i, a in enumerate(expr.args) for part in ((self._sign(","), a) if i else (a,))]
        return self._row(head, self._sign("("), *inside, self._sign(")"))

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


def quantity_latex(quantity: str) -> str:
    """What a law is about, in LaTeX: each name has its own index, and quotients and differences stay what they are.

    >>> quantity_latex("E_sgd/E_map"), quantity_latex("A_2 - A_1"), quantity_latex("(noise/signal)^2")
    ('E_{\\mathrm{sgd}} / E_{\\mathrm{map}}', 'A_{2} - A_{1}', '(\\mathrm{noise} / \\mathrm{signal})^{2}')
    """
    found, last = "", ""
    for token, power in _tokens(quantity):
        apart = token in "+-/" or last in ("+", "-", "/", ",")
        words = _is_name(last) and _is_name(token)
        gap = r"\ " if words and len(last + token) > 2 else " " * bool(found and (apart or words))
        found += f"^{{{token}}}" if power else gap + _name_latex(token)
        last = token
    return found


def quantity_mathml(quantity: str) -> str:
    """The same as the inside of a <math> element."""
    found: list[str] = []
    open_at: list[int] = []
    last = ""
    for token, power in _tokens(quantity):
        if power:
            # what is raised is the last name, or all that stands in the last brackets
            start = open_at.pop() if found[-1] == "<mo>)</mo>" else len(found) - 1
            found[start:] = [f"<msup><mrow>{''.join(found[start:])}</mrow><mn>{token}</mn></msup>"]
            continue
        if token == "(":
            open_at.append(len(found))
        elif token == ")" and len(open_at) > 1:
            open_at.pop()
        found.append('<mspace width="0.3em"/>' * (_is_name(last) and _is_name(token)) + _name_mathml(token))
        last = token
    return found[0] if len(found) == 1 else f"<mrow>{''.join(found)}</mrow>"


def _tokens(quantity: str) -> list[tuple[str, bool]]:
    """Names, numbers and signs, each with whether it is an exponent."""
    found = TOKEN.findall(quantity)
    pairs = zip(["", *found], found, strict=False)
    return [(token, before == "^") for before, token in pairs if token != "^"]


def _is_name(token: str) -> bool:
    return bool(re.match(r"\w", token))


def _name_latex(token: str) -> str:
    letter, _, index = token.partition("_")
    if token in "+-/(),.|" or token.isdigit():
        return token
    head = f"\\{letter}" if letter in GREEK else letter if len(letter) == 1 else rf"\mathrm{{{letter}}}"
    if not index:
        return head
    if letter in OPERATORS:
        return rf"{head}\,{_name_latex(index)}"
    words = [part if len(part) == 1 or part.isdigit() else rf"\mathrm{{{part}}}" for part in index.split("_")]
    return f"{head}_{{{', '.join(words)}}}"


def _name_mathml(token: str) -> str:
    letter, _, index = token.partition("_")
    if token in "+-/(),.|":
        return f"<mo>{'&#x2212;' if token == '-' else token}</mo>"
    if re.fullmatch(r"\d+[A-Za-z]?", token):
        return "".join(f"<mn>{c}</mn>" if c.isdigit() else f"<mi>{c}</mi>" for c in re.findall(r"\d+|[A-Za-z]", token))
    head = f"<mi>{html5.get(f'{letter};', letter) if letter in GREEK else letter}</mi>"
    if not index:
        return head
    if letter in OPERATORS:
        return f'{head}<mspace width="0.17em"/>{_name_mathml(index)}'
    parts = [f"<mn>{part}</mn>" if part.isdigit() else f"<mi>{part}</mi>" for part in index.split("_")]
    return f"<msub>{head}<mrow>{'<mo>,</mo>'.join(parts)}</mrow></msub>"


def _numbered(name: "re.Match[str]") -> str:
    if name[1] in ("lt", "gt", "amp"):
        return name[0]
    return "".join(f"&#x{ord(character):04X};" for character in html5[f"{name[1]};"])


def statement_mathml(
    quantity: str, relation: str, expr: sympy.Expr, pieces: Sequence[tuple[sympy.Expr, sympy.Expr]] = ()
) -> str:
    """`quantity relation expr` as one <math> element in display style, and below it what its pieces are."""
    rows = [f"{quantity_mathml(quantity)}<mo>{SIGNS[relation]}</mo>{expression_mathml(expr)}"]
    rows += [f"{expression_mathml(name)}<mo>=</mo>{expression_mathml(part)}" for name, part in pieces]
    table = "".join(f'<mtr><mtd style="text-align: left"><mrow>{row}</mrow></mtd></mtr>' for row in rows)
    shown = (
        f"<mrow>{rows[0]}</mrow>" if not pieces else f'<mtable columnalign="left" displaystyle="true">{table}</mtable>'
    )
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML" display="block">{shown}</math>'
