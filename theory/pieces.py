"""Formulas that are wider than a screen, written with named pieces: E = A + B, with A = ... and B = ..."""

import re
from collections import Counter
from string import ascii_uppercase
from typing import Any
from xml.etree import ElementTree

import sympy

from asymp.theory import typesetting

SCREEN = 84.0
"""How many letters a line of a page has."""
MOST = 14
"""A formula that would need more pieces is not shown."""
PIECE = (24, 1200)
"""How long a piece is as text, at least and at most: what is looked at."""
Pieces = list[tuple[sympy.Expr, sympy.Expr]]


def width(mathml: str) -> float:
    """How wide a formula is drawn, in letters."""
    return _width(ElementTree.fromstring(f"<math>{mathml}</math>" if not mathml.startswith("<math") else mathml))


def named_pieces(expr: sympy.Expr, longest: float = SCREEN) -> tuple[sympy.Expr, Pieces]:
    """An expression with letters in the place of its widest parts, and what each letter stands for, none wider than asked.

    >>> x = sympy.Symbol("x")
    >>> named_pieces(sympy.sin(x) + 1)
    (sin(x) + 1, [])
    """
    found: Pieces = []
    used = {str(s) for s in expr.free_symbols} | {"C", "E", "I", "N", "O", "P", "S", "W", "Q", "H"}
    letters = [letter for letter in ascii_uppercase if letter not in used]
    while _drawn(expr) > longest and len(found) < min(MOST, len(letters)):
        part, whole = _widest(expr, longest), None
        if part is None:
            part, whole = _terms(expr, longest)
        if part is None:
            break
        bound = sorted((s for s in part.free_symbols if s not in expr.free_symbols), key=str)
        letter = letters[len(found)]
        name = sympy.Function(letter)(*bound) if bound else sympy.Symbol(letter, positive=True)
        expr = expr.xreplace({part: name} if whole is None else {whole: name + (whole - part)})
        found.append((name, part))
    return expr, found


def _terms(expr: sympy.Expr, longest: float) -> tuple[sympy.Expr | None, sympy.Expr | None]:
    """As many terms of the widest sum as fit into a line, and that sum; nothing if no sum is as wide."""
    sums = [part for part in sympy.preorder_traversal(expr) if isinstance(part, sympy.Add)]
    whole = max(sums, key=_drawn, default=None)
    if whole is None or _drawn(whole) <= longest / 2:
        return None, None
    taken: list[sympy.Expr] = []
    for term in whole.args[:-1]:
        if taken and _drawn(sympy.Add(*taken, term)) > longest:
            break
        taken.append(term)
    part = sympy.Add(*taken)
    return (part, whole) if len(taken) > 1 and _drawn(part) <= longest else (None, None)


def _widest(expr: sympy.Expr, longest: float) -> sympy.Expr | None:
    """The part whose letter saves most, of those that fit into a line; the same part may stand at several places."""
    counts: Counter[Any] = Counter(
        part
        for part in sympy.preorder_traversal(expr)
        if part.args and part is not expr and isinstance(part, sympy.Expr)
    )
    sized = ((len(str(part)), part, count) for part, count in counts.items())
    likely = sorted(((n * c, n, str(p), p, c) for n, p, c in sized if PIECE[0] <= n <= PIECE[1]), reverse=True)[:60]
    best, most = None, 3.0
    for _, _, _, part, count in likely:
        size = _drawn(part)
        if size <= longest and (size - 2) * count > most:
            best, most = part, (size - 2) * count
    return best


def _drawn(expr: sympy.Expr) -> float:
    return width(typesetting.expression_mathml(expr))


def _width(node: ElementTree.Element) -> float:
    kind, kids = re.sub(r"\{.*\}", "", node.tag), [_width(kid) for kid in node]
    if not kids:
        return float(len(node.text or ""))
    if kind in ("mfrac", "mtable"):
        return max(kids) + 0.5
    if kind in ("msup", "msub"):
        return kids[0] + 0.7 * kids[1]
    if kind in ("munderover", "munder", "msubsup"):
        return max(kids[0], 0.7 * max(kids[1:])) if kind != "msubsup" else kids[0] + 0.7 * max(kids[1:])
    return sum(kids) + (kind == "msqrt")
