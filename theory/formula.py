"""Formulas as text: a small grammar of our own, read by Python's parser and never executed.

A formula is made of

- whole numbers and decimals, which mean exactly what they say, and the constants pi, E, EulerGamma, oo;
- the letters that the law declares, and letters that a Sum, Integral or Infimum binds: Sum(1/k, (k, 1, n));
- + - * / ** (or ^) and brackets; comparisons < <= > >= joined by & and | where a Piecewise needs them;
- entries of arrays that are declared with indices: c[z, k];
- the functions of `FUNCTIONS`.

Nothing else is understood: no attribute, no string, no name of Python's. Numbers that would fill the memory (9**9**9**9) are
refused before they are computed.
"""

import ast
import math
import operator
from collections.abc import Callable, Collection, Iterator, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, NoReturn

from asymp.theory.lazy import Expr, Lazy, sympy
from asymp.theory.names import unknown_name

if TYPE_CHECKING:
    from asymp.theory.functions import formulas
    from asymp.theory.functions.recall import symbols as recall
    from asymp.theory.functions.sgd import symbolic as sgd
else:
    formulas = Lazy("asymp.theory.functions.formulas")
    recall = Lazy("asymp.theory.functions.recall.symbols")
    sgd = Lazy("asymp.theory.functions.sgd.symbolic")

LONGEST = 10_000
"""Characters of a formula."""
MOST_DIGITS = 1000
"""Decimal digits of a number that is written or computed in a formula."""
LARGEST = 1000
"""The largest number of which a gamma function, binomial or the like is worked out where the formula stands."""

SYMPY = (
    "sqrt", "cbrt", "exp", "log", "sin", "cos", "tan", "atan", "sinh", "cosh", "tanh", "Abs", "sign", "floor", "ceiling",
    "Min", "Max", "erf", "erfc", "erfinv", "gamma", "loggamma", "uppergamma", "lowergamma", "digamma", "beta",
    "betainc_regularized", "zeta", "harmonic", "LambertW", "binomial", "factorial", "Sum", "Integral", "Piecewise", "Eq",
)  # fmt: skip
RECALL = ("ClassSum", "Failure", "GaussianError", "Infimum", "InverseError", "normal_cdf", "zipf")
SGD = ("GrowthConstant", "SGDIterate")
COMPUTED = (
    "BitMargin", "FairShare", "FlowRoot", "ForgottenMass", "HalfQuantile", "NumberSeen", "OptimalConstant", "PowerConstant",
    "Rising", "SphereWeight", "UnseenMass", "ZipfTail",
)  # fmt: skip
FUNCTIONS = (*SYMPY, *RECALL, *SGD, *COMPUTED)
"""What a formula may call: functions of SymPy's, then this project's own (theory/functions)."""
AS_WRITTEN = {"min": "Min", "max": "Max", "abs": "Abs", "ln": "log"}
"""Functions that may be written as Python writes them."""
CONSTANTS = ("pi", "E", "EulerGamma", "oo")
BINDING = ("Sum", "Integral", "Infimum")
"""Functions whose further arguments, (k, 1, n), bind a letter."""
MOST_COMPARED = 20
"""The most that a Max or Min may compare: SymPy compares each with each."""
WORKED_OUT = {
    "gamma",
    "loggamma",
    "uppergamma",
    "lowergamma",
    "digamma",
    "beta",
    "zeta",
    "harmonic",
    "binomial",
    "factorial",
}
"""Functions that SymPy works out at whole numbers, to all digits."""

OPERATIONS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
ALLOWED = (
    "a formula may contain numbers, declared letters, + - * / ** and brackets, comparisons in a Piecewise, and the functions "
    + ", ".join(SYMPY)
    + " and those of asymp.theory.formula"
)


def check_formula(text: str, known: Collection[str], what: str) -> ast.expr:
    """The tree of a formula; ValueError in one sentence if there is anything in it that is no part of one.

    Args:
        text: the formula.
        known: letters that are declared.
        what: whose formula it is, for an error: "law 'my-rate'".
    """
    if len(text) > LONGEST:
        raise ValueError(f"the expression of {what} has {len(text)} characters; a formula may have {LONGEST}")
    try:
        tree = ast.parse(text.strip().replace("^", "**"), mode="eval").body
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                node.func.id = AS_WRITTEN.get(node.func.id, node.func.id)
        _check(tree, frozenset(known), what)
    except (SyntaxError, RecursionError, MemoryError):
        raise ValueError(f"the expression of {what} is not a formula: {_brief(text)!r}") from None
    return tree


def letters(text: str) -> list[str]:
    """The names of a formula that stand for values, in the order in which they appear; none of a text that is no formula."""
    try:
        tree = ast.parse(text.strip().replace("^", "**"), mode="eval").body
    except (SyntaxError, RecursionError, MemoryError, ValueError):
        return []
    return list(dict.fromkeys(_free(tree)))


def _free(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Call):
        limits = node.args[1:] if isinstance(node.func, ast.Name) and node.func.id in BINDING else []
        bound = {
            t.elts[0].id for t in limits if isinstance(t, ast.Tuple) and t.elts and isinstance(t.elts[0], ast.Name)
        }
        for argument in node.args:
            yield from (name for name in _free(argument) if name not in bound)
    else:
        for part in ast.iter_child_nodes(node):
            yield from _free(part)


def _check(node: ast.AST, known: frozenset[str], what: str) -> None:
    if isinstance(node, ast.Name):
        if node.id not in known and node.id not in CONSTANTS:
            raise ValueError(f"the expression of {what} uses {_brief(node.id)}, which its parameters do not declare")
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        if get_close_matches(node.func.id, FUNCTIONS, n=1, cutoff=0.5) and node.func.id not in FUNCTIONS:
            raise ValueError(f"the expression of {what}: {unknown_name('function', node.func.id, FUNCTIONS)}")
        if node.func.id not in FUNCTIONS:
            _refuse(node, what)
        bound = {_letter(argument, what) for argument in node.args[1:]} if node.func.id in BINDING else set()
        for argument in node.args:
            _check(argument, known | bound, what)
    elif _is_composed(node):
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                _check(part, known, what)
    elif not isinstance(node, ast.Constant) or not isinstance(node.value, bool | int | float):
        _refuse(node, what)


def _is_composed(node: ast.AST) -> bool:
    """Whether it is an operation, a comparison, a pair or an entry of an array."""
    if isinstance(node, ast.BinOp | ast.UnaryOp):
        return type(node.op) in OPERATIONS or isinstance(node.op, ast.Pow)
    if isinstance(node, ast.Compare):
        return len(node.ops) == 1 and type(node.ops[0]) in OPERATIONS
    return isinstance(node, ast.Tuple | ast.Subscript)


def _refuse(node: ast.AST, what: str) -> NoReturn:
    raise ValueError(f"the expression of {what} may not contain {_brief(ast.unparse(node))}: {ALLOWED}")


def _letter(limits: ast.expr, what: str) -> str:
    """The letter that (k, 1, n) binds."""
    if isinstance(limits, ast.Tuple) and len(limits.elts) == 3 and isinstance(limits.elts[0], ast.Name):
        return limits.elts[0].id
    raise ValueError(
        f"the expression of {what}: limits must be written (k, 1, n), a letter and where it begins and ends; "
        f"got {_brief(ast.unparse(limits))}"
    )


def parsed(text: str, symbols: Mapping[str, Any], known: Collection[str], what: str) -> Expr:
    """The SymPy expression that a text says.

    Args:
        text: the formula.
        symbols: the SymPy symbols of its letters; a letter that has none becomes a plain symbol.
        known: letters that are declared; another one is an error.
        what: whose formula it is, for an error: "law 'my-rate'".
    """
    tree = check_formula(text, known, what)
    source = text.strip().replace("^", "**")
    try:
        found = _built(tree, symbols, source)
    except _TooLarge:
        raise ValueError(f"the expression of {what} has a number of more than {MOST_DIGITS} digits in it") from None
    except RecursionError:
        raise ValueError(f"the expression of {what} is not a formula: {_brief(text)!r}") from None
    except (TypeError, ValueError, AttributeError, NotImplementedError, IndexError) as error:
        # a function that got too few arguments, a comparison where a number must be
        words = " ".join(str(error).split())[:200]
        raise ValueError(f"the expression of {what} is not a formula: {_brief(text)!r} ({words})") from None
    if not isinstance(found, sympy.Expr):
        raise ValueError(f"the expression of {what} is not a formula: {_brief(text)!r}")
    unbound = sorted({s.name for s in found.free_symbols if isinstance(s, sympy.Symbol)} - set(known) - set(symbols))
    if unbound:
        raise ValueError(f"the expression of {what} uses {unbound[0]} outside the limits that bind it")
    if found.has(sympy.zoo, sympy.nan):
        raise ValueError(f"the expression of {what} divides by zero")
    return found


class _TooLarge(Exception):
    """A number that would have too many digits."""


def _built(node: ast.AST, symbols: Mapping[str, Any], text: str) -> Any:
    if isinstance(node, ast.Constant):
        return _number(node, text)
    if isinstance(node, ast.Name):
        if node.id in symbols:
            return symbols[node.id]
        return getattr(sympy, node.id) if node.id in CONSTANTS else sympy.Symbol(node.id)
    if isinstance(node, ast.Tuple):
        return tuple(_built(part, symbols, text) for part in node.elts)
    if isinstance(node, ast.Subscript):
        return _built(node.value, symbols, text)[_built(node.slice, symbols, text)]
    if isinstance(node, ast.UnaryOp):
        return OPERATIONS[type(node.op)](_built(node.operand, symbols, text))
    if isinstance(node, ast.Compare):
        left, right = _built(node.left, symbols, text), _built(node.comparators[0], symbols, text)
        return OPERATIONS[type(node.ops[0])](left, right)
    if isinstance(node, ast.BinOp):
        left, right = _built(node.left, symbols, text), _built(node.right, symbols, text)
        return _power(left, right) if isinstance(node.op, ast.Pow) else OPERATIONS[type(node.op)](left, right)
    assert isinstance(node, ast.Call)
    assert isinstance(node.func, ast.Name)
    return _called(node.func.id, [_built(argument, symbols, text) for argument in node.args])


def _number(node: ast.Constant, text: str) -> Any:
    """A number as it is written: a decimal is the fraction that it says, not the nearest float."""
    if isinstance(node.value, bool):
        return sympy.true if node.value else sympy.false
    written = (ast.get_source_segment(text, node) or "").replace("_", "")
    mantissa, _, exponent = written.lower().partition("e")
    if len(mantissa) > MOST_DIGITS or (exponent and abs(int(exponent)) > MOST_DIGITS):
        raise _TooLarge
    return sympy.Integer(node.value) if isinstance(node.value, int) else sympy.Rational(written)


def _power(base: Any, exponent: Any) -> Any:
    if getattr(base, "is_Rational", False) and getattr(exponent, "is_Rational", False):
        size = max(abs(base.p), base.q).bit_length()  # 1 for 0 and 1, whose powers are small
        if size > 1 and size * abs(exponent) > MOST_DIGITS * math.log2(10):
            raise _TooLarge
    return base**exponent


def _called(name: str, arguments: list[Any]) -> Any:
    if name in WORKED_OUT and any(getattr(a, "is_Rational", False) and abs(a) > LARGEST for a in arguments):
        raise _TooLarge
    if name in ("Max", "Min") and not 1 <= len(arguments) <= MOST_COMPARED:
        raise ValueError(f"{name} compares 1 to {MOST_COMPARED} numbers, and has {len(arguments)}")
    if name in ("sqrt", "cbrt") and len(arguments) != 1:  # a second argument of SymPy's says whether it is worked out
        raise ValueError(f"{name} takes 1 number, and has {len(arguments)}")
    for module, names in ((recall, RECALL), (formulas, COMPUTED), (sgd, SGD)):
        if name in names:
            return getattr(module, name)(*arguments)
    return getattr(sympy, name)(*arguments)


def _brief(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:76]} ..."
