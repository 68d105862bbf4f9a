"""A small calculus of exponents: the growth of a finite-size expression in one variable, as an explicit maximum.

SymPy's `limit` is not trusted with symbolic exponents: in SymPy 1.14 limit(log(d**(1-alpha) + d**(-1/2))/log(d), d, oo)
is 1 - alpha for every alpha, which is wrong for alpha > 3/2. Here a sum grows like its fastest term and the answer is
written Max(...), so that every regime stays visible. Leading terms that cancel each other are not seen: the tests
compare each exponent with the local slope of the law at very large sizes.
"""

from itertools import islice

import sympy

__all__ = ["growth_exponent"]

# Symbols, numbers and operations of a formula that is written out in a message.
LONGEST = 60


def growth_exponent(expr: sympy.Expr, variable: sympy.Symbol) -> sympy.Expr:
    """The exponent e in expr ~ variable**e (up to logarithms) as the variable grows.

    >>> d, a = sympy.symbols("d a", positive=True)
    >>> growth_exponent(d**(1 - a) + d**sympy.Rational(-1, 2), d)
    Max(-1/2, 1 - a)
    """
    if not expr.has(variable):
        return sympy.Integer(0)
    if expr == variable:
        return sympy.Integer(1)
    if isinstance(expr, sympy.Mul):
        return sympy.Add(*(growth_exponent(factor, variable) for factor in expr.args))
    if isinstance(expr, sympy.Add):
        return sympy.Max(*(growth_exponent(term, variable) for term in expr.args))
    if isinstance(expr, sympy.Pow) and not expr.exp.has(variable):
        return sympy.expand(expr.exp * growth_exponent(expr.base, variable))
    if isinstance(expr, sympy.log):
        return sympy.Integer(0)
    if isinstance(expr, sympy.exp) or (isinstance(expr, sympy.Pow) and not expr.base.has(variable)):
        return _exponential(expr, variable)
    raise ValueError(f"no rule gives the growth of {_named(expr)} in {variable}; declare the exponent on the law")


def _exponential(expr: sympy.Expr, variable: sympy.Symbol) -> sympy.Expr:
    base, power = expr.as_base_exp()
    if base.is_number and base > 1:
        inner = growth_exponent(power, variable)
        if inner.is_negative:
            return sympy.Integer(0)
        sign = sympy.limit(power / variable**inner, variable, sympy.oo) if inner.is_positive else None
        if sign is not None and sign.is_positive:
            return sympy.oo
        if sign is not None and sign.is_negative:
            return -sympy.oo
    raise ValueError(f"no rule gives the growth of {_named(expr)} in {variable}; declare the exponent on the law")


def _named(expr: sympy.Expr) -> str:
    """A formula in a sentence: itself if it is short. Some would fill screens, and take a second to write."""
    short = len(list(islice(sympy.preorder_traversal(expr), LONGEST))) < LONGEST
    return str(expr) if short else f"a long formula with {expr.func.__name__}"
