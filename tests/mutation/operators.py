"""Mutants of a formula: every number, exponent, sign and symbol of its tree changed, one at a time."""

from collections.abc import Callable
from dataclasses import dataclass

import sympy


@dataclass(frozen=True)
class Mutant:
    """A changed formula: which law, what was changed where, and the new expression.

    `of_value`: what becomes of the law's value, where the formula was changed as a whole.
    """

    law: str
    what: str
    place: str
    expr: sympy.Expr
    of_value: Callable[[float], float] | None = None

    def __str__(self) -> str:
        return f"{self.law} | {self.what} | {self.place}"


# A derived formula may have hundreds of nodes: of those so many changes are taken, spread over the tree.
MOST = 24


def mutants(law, most=MOST, words=None) -> list[Mutant]:
    """The mutants of the law's formula for given words (its own, if none are); those equal to it or each other left out."""
    original = law.variant(**(words or {}))
    symbols = [law.symbols[name] for name in law.symbols]
    changes = [((), original, "sign", -original)]
    for path, node, parent in _nodes(original):
        changes += [(path, node, what, new) for what, new in _variants(node, parent, path, symbols)]
    if len(changes) > most:
        changes = [changes[round(i * (len(changes) - 1) / (most - 1))] for i in range(most)]
    found, seen = [], {original}
    for path, node, what, new in changes:
        try:
            mutated = _put(original, path, new)
        except (TypeError, ValueError, AttributeError, RecursionError):
            continue  # no formula: an integer argument that is none any more
        if mutated not in seen:
            seen.add(mutated)
            found.append(Mutant(law.id, what, f"{str(node)[:40]} -> {str(new)[:40]}", mutated))
    return found


# A bare letter has no exponent in it to change, 0 no sign, and a bound may have room for a factor.
WHOLE = {
    "sign": lambda value: -value,
    "exponent": lambda value: value**2,
    "number": lambda value: value - 1,
    "factor": lambda value: 10**6 * value,
    "share": lambda value: value / 10**6,
}


def of_the_whole(law, words=None) -> list[Mutant]:
    """Changes of the formula as a whole, which need no more than the law's value: some formulas take minutes by mpmath."""
    original = law.variant(**(words or {}))
    made = [(what, change(original), change) for what, change in WHOLE.items()]
    return [Mutant(law.id, what, f"{str(original)[:40]} -> {str(e)[:40]}", e, change) for what, e, change in made]


def _nodes(expr, path=(), parent=None):
    yield path, expr, parent
    for i, argument in enumerate(expr.args):
        if isinstance(argument, sympy.Basic) and not isinstance(argument, sympy.Tuple):
            yield from _nodes(argument, (*path, i), expr)


def _variants(node, parent, path, symbols):
    exponent = isinstance(parent, sympy.Pow) and path[-1] == 1
    if node.is_Number and node not in (sympy.oo, -sympy.oo, sympy.nan):
        if node == -1 and isinstance(parent, sympy.Mul):
            yield "sign", sympy.Integer(1)
        else:
            yield ("exponent" if exponent else "number"), node + 1 if node.is_Integer else node * sympy.Rational(11, 10)
    elif exponent:
        yield "exponent", node + 1
    if isinstance(parent, sympy.Add) and not node.is_Number:
        yield "sign", -node
    if isinstance(node, sympy.Symbol) and node in symbols:
        others = [s for s in symbols if s != node]
        yield "symbol", others[symbols.index(node) % len(others)] if others else 2 * node


def _put(expr, path, new):
    if not path:
        return new
    arguments = list(expr.args)
    arguments[path[0]] = _put(arguments[path[0]], path[1:], new)
    return expr.func(*arguments)
