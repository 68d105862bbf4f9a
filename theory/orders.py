"""Orders of growth by machine: a positive formula in large sizes as a piecewise-linear function of their logarithms.

A product is a sum of orders, a sum is the largest of them, a power a multiple; min and max stay what they are. A sum over x is the
largest of its terms times x, over the logarithm of x between the limits; an infimum is the least value. What vanishes faster than
every power (exp(-d), the M-way Gaussian error, (1 - p)^T) is 0 or minus infinity. Logarithms count in no exponent.
Leading terms that cancel each other are not seen: the tests compare exponents with the slopes of the laws at very large sizes.

SymPy's `limit` is not used: limit(log(d**(1-alpha) + d**(-1/2))/log(d), d, oo) is 1 - alpha for every alpha in SymPy 1.14, which is
wrong for alpha > 3/2.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import islice

import sympy

from asymp.theory.functions.recall.symbols import GaussianError, Infimum
from asymp.theory.lazy import Expr

LONGEST_NAMED = 60
"""Symbols, numbers and operations of a formula that is written out in a message."""

Symbols = Iterable["sympy.Symbol"]


class Vanishing(sympy.Function):  # type: ignore[misc]
    """The order of what vanishes faster than every power of f: 0 where the order of f is at most 0, else minus infinity."""

    nargs = 1

    @classmethod
    def eval(cls, order: Expr) -> "Expr | None":
        """A number if the sign is known."""
        if order.is_nonpositive:
            return sympy.Integer(0)
        return -sympy.oo if order.is_positive else None


class Largest(sympy.Function):  # type: ignore[misc]
    """Largest(f, x, low, high): the largest value of an order f over x from low to high."""

    nargs = 4


def log_size(size: "sympy.Symbol") -> "sympy.Symbol":
    """The logarithm of a size, in which orders are linear."""
    number = size.dummy_index if isinstance(size, sympy.Dummy) else ""
    return sympy.Symbol(f"log {size.name}{number}", nonnegative=True)


def order(expr: Expr, sizes: Symbols) -> Expr:
    """The order of a formula in the logarithms of its sizes; every other symbol is a constant.

    >>> d, T, a = sympy.symbols("d T a", positive=True)
    >>> order(d**(1 - a) + 1/T, [d, T])
    Max(-log T, log d*(1 - a))
    """
    return _Orders(frozenset(sizes))(expr)


class _Orders:
    """The rules, for given sizes."""

    def __init__(self, sizes: "frozenset[sympy.Symbol]") -> None:
        self.sizes = sizes

    def __call__(self, expr: Expr) -> Expr:
        if not expr.free_symbols & self.sizes:
            return -sympy.oo if expr == 0 else sympy.Integer(0)
        if expr in self.sizes:
            return log_size(expr)
        for kind, rule in RULES:
            if isinstance(expr, kind):
                found = rule(self, expr)
                if found is not None:
                    return found
        return self.no_rule(expr)

    def no_rule(self, expr: Expr) -> Expr:
        names = ", ".join(sorted(s.name for s in self.sizes & expr.free_symbols))
        short = len(list(islice(sympy.preorder_traversal(expr), LONGEST_NAMED))) < LONGEST_NAMED
        named = str(expr) if short else f"a long formula with {expr.func.__name__}"
        raise ValueError(f"no rule gives the growth of {named} in {names}; declare the exponent on the law")

    def product(self, expr: Expr) -> Expr:
        gammas = [f for f in expr.args if f.as_base_exp()[0].func is sympy.gamma and f.free_symbols & self.sizes]
        if not gammas:
            return sympy.Add(*map(self, expr.args))
        # Gamma(z + a)/Gamma(z + b) grows like z^(a - b).
        (over, e), (under, f) = (g.as_base_exp() for g in gammas) if len(gammas) == 2 else ((expr, 0), (expr, 0))
        step = sympy.expand(over.args[0] - under.args[0])
        if not e or e + f != 0 or step.free_symbols & self.sizes:
            return self.no_rule(expr)
        others = [self(g) for g in expr.args if g not in gammas]
        return sympy.Add(e * step * self(under.args[0]), *others)

    def sum_of_terms(self, expr: Expr) -> Expr:
        # 1 - (1 - u)^v is min(1, u v).
        constant, rest = expr.as_coeff_Add()
        base, power = (-rest).as_base_exp()
        if constant == 1 and power.free_symbols & self.sizes and base.as_coeff_Add()[0] == 1:
            return sympy.Min(0, self(1 - base) + self(power))
        return sympy.Max(*map(self, expr.args))

    def power(self, expr: Expr) -> Expr:
        base, power = expr.as_base_exp()
        if not power.free_symbols & self.sizes:
            return sympy.expand(power * self(base))
        one, rest = base.as_coeff_Add()
        if one == 1 and rest != 0:
            small = Vanishing(self(rest) + self(power))
            return small if (-rest).as_coeff_Mul()[0] > 0 else -small
        if base.is_number and base > 0 and base != 1:
            return self.exponential(power * sympy.log(base))
        return self.no_rule(expr)

    def exponential(self, power: Expr) -> Expr:
        if power.func is sympy.LambertW:  # exp(W(x)) = x/W(x)
            return self(power.args[0])
        terms = [term for term in sympy.Add.make_args(sympy.expand(power)) if term.free_symbols & self.sizes]
        signs = {term.is_positive or term.is_nonnegative for term in terms}
        negative = {term.is_negative or term.is_nonpositive for term in terms}
        if signs == {True}:
            return -Vanishing(self(power))
        return Vanishing(self(power)) if negative == {True} else self.no_rule(sympy.exp(power))

    def logarithm(self, expr: Expr) -> Expr:
        """A lower order than every power; log(1 + u) is u where that is small."""
        one, rest = expr.args[0].as_coeff_Add()
        return sympy.Min(0, self(rest)) if one == 1 else sympy.Integer(0)

    def piecewise(self, expr: Expr) -> Expr:
        cases = []
        for value, condition in expr.args:
            if condition.free_symbols & self.sizes and not isinstance(condition, sympy.core.relational.Relational):
                self.no_rule(expr)
            if condition.free_symbols & self.sizes:
                condition = condition.func(self(condition.lhs), self(condition.rhs))
            cases.append((self(value), condition))
        return sympy.Piecewise(*cases)

    def largest_term(self, expr: Expr) -> Expr:
        """Of a sum: its largest term times the number of terms of that order."""
        return self._over(expr, lambda term, x: term + x)

    def infimum(self, expr: Expr) -> Expr:
        return -self._over(expr, lambda value, x: -value)

    def _over(self, expr: Expr, body: Callable[[Expr, Expr], Expr]) -> Expr:
        (letter, low, high), *more = expr.limits
        if more:
            return self.no_rule(expr)
        x = sympy.Dummy(letter.name, positive=True)
        found = body(_Orders(self.sizes | {x})(expr.function.subs(letter, x)), log_size(x))
        start = sympy.Integer(0) if low == 0 else self(low)
        return _largest(found, log_size(x), start, sympy.oo if high == sympy.oo else self(high))

    def harmonic(self, expr: Expr) -> Expr:
        n, *power = expr.args
        x = log_size(sympy.Dummy("j"))
        return _largest((1 - power[0]) * x, x, sympy.Integer(0), self(n)) if power else sympy.Integer(0)


def _largest(order: Expr, x: "sympy.Symbol", low: Expr, high: Expr) -> Expr:
    """Largest(...), worked out where the order is linear in x."""
    rest, slope = order.subs(x, 0), order.diff(x) if order.is_polynomial(x) else x
    if slope.has(x):
        return Largest(order, x, low, high)
    return rest + (sympy.Max(slope * low, slope * high) if slope != 0 else 0)


def _first(self: _Orders, expr: Expr) -> Expr:
    return self(expr.args[0])


RULES: Sequence[tuple[type | tuple[type, ...], Callable[[_Orders, sympy.Expr], sympy.Expr | None]]] = (
    (sympy.Mul, _Orders.product),
    (sympy.Add, _Orders.sum_of_terms),
    (sympy.exp, lambda self, e: self.exponential(e.args[0])),
    (sympy.Pow, _Orders.power),
    (sympy.Max, lambda self, e: sympy.Max(*map(self, e.args))),
    (sympy.Min, lambda self, e: sympy.Min(*map(self, e.args))),
    (sympy.log, _Orders.logarithm),
    (sympy.LambertW, lambda self, e: sympy.Integer(0)),
    ((sympy.floor, sympy.ceiling, sympy.Abs), _first),
    ((sympy.erfc, GaussianError), lambda self, e: Vanishing(self(e.args[0]))),
    (sympy.erf, lambda self, e: sympy.Min(0, self(e.args[0]))),
    (sympy.uppergamma, lambda self, e: Vanishing(self(e.args[1]))),
    (sympy.RisingFactorial, lambda self, e: e.args[1] * self(e.args[0])),
    # Hurwitz's zeta(s, a) is the sum of (x + a)^-s.
    (sympy.zeta, lambda self, e: (1 - e.args[0]) * self(e.args[1]) if len(e.args) > 1 else None),
    (sympy.harmonic, _Orders.harmonic),
    (sympy.Piecewise, _Orders.piecewise),
    (sympy.Sum, _Orders.largest_term),
    (Infimum, _Orders.infimum),
)
