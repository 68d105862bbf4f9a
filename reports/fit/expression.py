"""Any SymPy expression, or a law, as a form: its linear parameters found symbolically, its derivatives exact.

The letters N and D (or x) stand for the table's sizes, as do the names of its columns; all others are parameters. A text
is read by the grammar of `asymp.theory.formula`; nothing in it is executed.
"""

import ast
import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np

from asymp.montecarlo.fit.forms import FORMS, Array, Form
from asymp.theory import Law
from asymp.theory.evaluation import numpy_function
from asymp.theory.formula import parsed
from asymp.theory.lazy import Expr, sympy

__all__ = ["form_of", "law_values", "read_formula"]

STARTS, TRIALS = 97, 24


def read_formula(text: str) -> Expr:
    """The expression that a text says; its letters need no declaration."""
    try:
        tree = ast.parse(text.strip().replace("^", "**"), mode="eval")
    except (SyntaxError, RecursionError, MemoryError, ValueError):
        raise ValueError(f"{text[:80]!r} is no formula; one is written like 'E + A*N**-alpha + B*D**-beta'") from None
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in called} - {"pi"}
    return parsed(text, {name: sympy.Symbol(name) for name in names}, names, "the form or law")


def form_of(what: Any, variables: Sequence[str]) -> Form:
    """A form by its name, from a formula's text, a SymPy expression or a law, for a table of these sizes."""
    if isinstance(what, Form):
        return what
    if isinstance(what, str) and what in FORMS:
        form = FORMS[what]
        if len(form.variables) != len(variables):
            raise ValueError(
                f"the form {what} is one of {len(form.variables)} size{'s' * (len(form.variables) > 1)}; the table has "
                f"{' and '.join(variables)}: name {len(form.variables)} with x (--x)"
            )
        return form.called(tuple(variables))
    if isinstance(what, str) and what.isidentifier():
        raise ValueError(f"there is no form {what!r}; forms are {', '.join(FORMS)}, or a formula such as 'E + A*x**-b'")
    text, expr = (what, read_formula(what)) if isinstance(what, str) else (str(what), _expression(what))
    places = _places(expr, variables, text)
    names = sorted(s.name for s in expr.free_symbols if s.name not in places)
    if not names:
        raise ValueError(
            f"the formula {text!r} has no parameters to fit; to test it as it is, give it as a law (--law)"
        )
    return _form(text, expr, places, names, variables)


def law_values(what: Any, variables: Sequence[str], x: Array) -> Array:
    """What a published law, in which only the sizes are letters, says at sizes x."""
    text, expr = (what, read_formula(what)) if isinstance(what, str) else (str(what), _expression(what))
    places = _places(expr, variables, text)
    unknown = sorted(s.name for s in expr.free_symbols if s.name not in places)
    if unknown:
        raise ValueError(
            f"the law {text!r} has the unknown symbol{'s' * (len(unknown) > 1)} {', '.join(unknown)}; only the sizes "
            f"({', '.join(sorted(_aliases(variables)))}) may be letters, everything else must be a number"
        )
    found: Array = _numerical([], list(places), [expr], text)([], [x[:, i] for i in places.values()])[0]
    if not (np.isfinite(found).all() and (found > 0).all()):
        raise ValueError(f"the law {text!r} is not positive and finite at every row of the table")
    return found


def _numerical(
    letters: Sequence[str], sizes: Sequence[str], exprs: Sequence[Expr], text: str
) -> Callable[[Sequence[float], Sequence[Array]], Array]:
    """The function of letters and sizes that expressions say: a row of float64 each, NaN where they are not real."""
    compute = numpy_function([[sympy.Symbol(name) for name in names] for names in (letters, sizes)], list(exprs))

    def rows(values: Sequence[float], columns: Sequence[Array]) -> Array:
        try:
            with np.errstate(all="ignore"):
                found = [np.broadcast_to(np.asarray(row), len(columns[0])) for row in compute(values, columns)]
                real = [np.where(np.imag(row) == 0, np.real(row), np.nan) for row in found]
            return np.asarray(real, dtype=np.float64)
        except (NameError, OverflowError, TypeError) as problem:
            raise ValueError(
                f"{text!r} cannot be computed in floating point, or its derivatives cannot: {problem}"
            ) from None

    return rows


def _expression(what: Any) -> Expr:
    expr = what.expr if isinstance(what, Law) else what
    if not isinstance(expr, sympy.Expr):
        raise ValueError(f"a form is a name, a formula's text, a SymPy expression or a law; got {type(what).__name__}")
    return expr.xreplace({s: sympy.Symbol(s.name) for s in expr.free_symbols})


def _aliases(variables: Sequence[str]) -> dict[str, int]:
    """The letters that stand for the sizes."""
    usual = {"x": 0, "N": 0} if len(variables) == 1 else {"N": 0, "D": 1}
    return {**usual, **{name: i for i, name in enumerate(variables) if name.isidentifier()}}


def _places(expr: Expr, variables: Sequence[str], text: str) -> dict[str, int]:
    known = _aliases(variables)
    used = {s.name: known[s.name] for s in expr.free_symbols if s.name in known}
    if len(variables) == 1 and len(used) > 1:  # a column may be called N while x is a parameter, or the reverse
        used = {name: i for name, i in used.items() if name == variables[0]} or {"x": 0}
    if not used:
        raise ValueError(f"the formula {text!r} has no size in it; call the sizes {', '.join(known)}")
    return used


def _form(text: str, expr: Expr, places: dict[str, int], names: list[str], variables: Sequence[str]) -> Form:
    letters = [sympy.Symbol(name) for name in names]
    slopes = [sympy.diff(expr, letter) for letter in letters]
    linear: list[str] = []
    for letter, slope in zip(letters, slopes, strict=True):
        others = {sympy.Symbol(name) for name in linear} | {letter}
        if not slope.free_symbols & others:
            linear.append(letter.name)
    compute = _numerical(names, list(places), [expr, *slopes], text)
    columns = list(places.values())
    _check_independent(text, compute, names, len(places), variables)

    def value(p: Array, x: Array) -> tuple[Array, Array]:
        found = compute(p.tolist(), [x[:, i] for i in columns])
        return found[0], found[1:].T

    def starts(x: Array, y: Array) -> Any:
        typical = (0.3, 0.05, 1.0, float(np.exp(np.log(x).mean())), -0.3)
        grid = list(product(*((math.nan,) if name in linear else typical for name in names)))
        return [grid[i] for i in np.linspace(0, len(grid) - 1, STARTS).astype(int)] if len(grid) > 5 * STARTS else grid

    # A parameter q that enters as N**-q, or (N/1e9)**-q, is the rate in N, if it is the only one.
    rates: dict[str, set[str]] = defaultdict(set)
    for power in expr.atoms(sympy.Pow):
        (_, base), exponent = power.base.as_coeff_Mul(), -power.exp
        if base.is_Symbol and base.name in places and exponent.is_Symbol:
            rates[list(variables)[places[base.name]]].add(exponent.name)
    return Form(
        name=text.replace(" ", ""),
        formula=text,
        variables=tuple(variables),
        parameters=tuple(names),
        value=value,
        positive=frozenset(),
        linear=frozenset(linear),
        low=dict.fromkeys(names, -math.inf),
        high=dict.fromkeys(names, math.inf),
        starts=starts,
        exponents={size: name for size, (name, *others) in rates.items() if not others},
        words="the formula that was given",
    )


def _check_independent(text: str, compute: Any, names: list[str], count: int, variables: Sequence[str]) -> None:
    """Raise ValueError if some parameters only act together, as a size that is misspelt does: B*M**-b is one constant."""
    rng = np.random.default_rng(0)
    most = 0
    for _ in range(TRIALS):
        # A letter may act at some sizes only, as in exp(-b*x/1e8): the ranges tried lie between 1 and 1e15.
        sizes = list(np.exp(rng.uniform(0, 30, (count, 1)) + rng.uniform(0, 4, (count, 8 * len(names)))))
        slopes = compute(rng.uniform(0.2, 0.9, len(names)).tolist(), sizes)[1:]
        if np.isfinite(slopes).all():
            slopes = slopes / np.maximum(np.abs(slopes).max(1, keepdims=True), 1e-300)
            most = max(most, int(np.linalg.matrix_rank(slopes, tol=1e-12)))
    if 0 < most < len(names):
        raise ValueError(
            f"the parameters {', '.join(names)} of {text!r} cannot be told apart by any sizes: {len(names)} letters act as {most}; "
            f"is one of them a size that is spelt differently? The sizes are {', '.join(_aliases(variables))}"
        )
