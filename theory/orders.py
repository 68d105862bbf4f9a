"""Orders of growth by machine: a positive formula in large sizes as a piecewise-linear function of their logarithms.

A product is a sum of orders, a sum is the largest of them, a power a multiple; min and max stay what they are. A sum over x is the
largest of its terms times x, over the logarithm of x between the limits; an infimum is the least value. What vanishes faster than
every power (exp(-d), the M-way Gaussian error, (1 - p)^T) is 0 or minus infinity. Logarithms count in no exponent.
Where the leading terms of a difference cancel, where a difference is negative, and where only a logarithm tells whether something
vanishes, an order is unknown, and whoever asks for it is told so.

SymPy's `limit` is not used: limit(log(d**(1-alpha) + d**(-1/2))/log(d), d, oo) is 1 - alpha for every alpha in SymPy 1.14, which is
wrong for alpha > 3/2.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice, product

import sympy

from asymp.theory.functions.recall.symbols import ClassSum, GaussianError, Infimum, InverseError
from asymp.theory.functions.sgd.symbolic import SGDIterate
from asymp.theory.lazy import Expr

LONGEST_EXPANDED = 2000
"""Letters of a sum that is multiplied out where it has negative terms."""
LONGEST_NAMED = 60
"""Symbols, numbers and operations of a formula that is written out in a message."""

Symbols = Iterable["sympy.Symbol"]
Letters = Mapping["sympy.Symbol", Sequence["sympy.Expr"]]


class Vanishing(sympy.Function):  # type: ignore[misc]
    """Vanishing(f, logs): the order of what vanishes faster than every power of f.

    0 where the order of f is negative, minus infinity where it is positive; 0 where it is 0, unless logs = 1: f then has a
    logarithm in it, which may make it large, and the order is unknown.
    """

    nargs = 2
    is_number = False  # it may be unknown

    @classmethod
    def eval(cls, order: Expr, logs: Expr) -> "Expr | None":
        """A number if the sign is known."""
        if order.is_extended_negative or (order.is_extended_nonpositive and not logs):
            return sympy.Integer(0)
        return -sympy.oo if order.is_extended_positive else None


class Difference(sympy.Function):  # type: ignore[misc]
    """Difference(f, g, kind): the order of a difference of two quantities of the orders f and g.

    f where f is above g, unknown where they are equal. Where g is above f the difference is negative, and its order unknown
    (kind 0), minus infinity in a maximum with 0 (kind 1), g of its absolute value (kind 2).
    """

    nargs = 3
    is_number = False  # it may be unknown

    @classmethod
    def eval(cls, more: Expr, less: Expr, kind: Expr) -> "Expr | None":
        """The larger of the two, if it is known which that is."""
        if less == -sympy.oo or sympy.expand(more - less).is_positive:
            return more
        return less if kind == 2 and (more == -sympy.oo or sympy.expand(less - more).is_positive) else None


class Largest(sympy.Function):  # type: ignore[misc]
    """Largest(f, x, low, high): the largest value of an order f over x from low to high."""

    nargs = 4


class Quantity(sympy.Symbol):  # type: ignore[misc]
    """The letter of what a law speaks of, which may be small as well as large: its logarithm has any sign."""


def log_size(size: "sympy.Symbol") -> "sympy.Symbol":
    """The logarithm of a size, in which orders are linear."""
    number = size.dummy_index if isinstance(size, sympy.Dummy) else ""
    sign = {"real": True} if isinstance(size, Quantity) else {"positive": True}
    return sympy.Symbol(f"log {size.name}{number}", **sign)


def order(expr: Expr, sizes: Symbols, letters: Letters | None = None) -> Expr:
    """The order of a formula in the logarithms of its sizes; every other symbol is a constant.

    Args:
        expr: a formula.
        sizes: its large variables.
        letters: values of its other letters, at which the signs of constants are looked up; without them they count as positive.

    >>> d, T, a = sympy.symbols("d T a", positive=True)
    >>> order(d**(1 - a) + 1/T, [d, T])
    Max(-log T, log d*(1 - a))
    """
    return _Orders(frozenset(sizes), letters or {})(expr)


class _Orders:
    """The rules, for given sizes."""

    def __init__(self, sizes: "frozenset[sympy.Symbol]", letters: Letters) -> None:
        self.sizes, self.letters = sizes, letters

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
        constant, rest = expr.as_coeff_Add()
        if abs(constant) == 1:
            found = self.near_one(-constant * rest, constant)
            if found is not None:
                return found
        if any(map(_negative, expr.args)) and len(str(expr)) < LONGEST_EXPANDED:
            expr = sympy.expand(expr)  # (d + T)^2 - d^2 has no negative term left
        for term in sympy.Add.make_args(expr):
            if isinstance(term, sympy.Max) and not (expr - term).free_symbols & self.sizes:  # max(a, b) - c
                return self(sympy.Max(*(a + expr - term for a in term.args)))
        factors: dict[Expr, Expr] = {}
        for term in sympy.Add.make_args(expr):
            factor, size = term.as_independent(*self.sizes, as_Add=False)
            factors[size] = factors.get(size, 0) + factor
        signs = {size: self.signs(factor) for size, factor in factors.items()}
        more, less = ([size for size in factors if sign in signs[size]] for sign in (1, -1))
        if not more or not less:
            return sympy.Max(*map(self, more or less))
        return Difference(sympy.Max(*map(self, more)), sympy.Max(*map(self, less)), 0)

    def signs(self, constant: Expr) -> set[int]:
        """The signs that a constant has at the values of the letters in it."""
        known = {s: self.letters[s] for s in constant.free_symbols if s in self.letters}
        points = (dict(zip(known, values, strict=True)) for values in islice(product(*known.values()), 27))
        values = {constant.subs(point) for point in points}
        return {-1 if _negative(value) else 1 for value in values if value != 0}

    def near_one(self, near: Expr, sign: Expr) -> "Expr | None":
        """The order of 1 - f (sign 1) or f - 1 (sign -1), for functions f that come near 1."""
        base, power = near.as_base_exp()
        if sign == 1 and power.free_symbols & self.sizes and base.as_coeff_Add()[0] == 1:  # (1 - u)^v
            return sympy.Min(0, self(1 - base) + self(power))
        if near.func is sympy.exp and all(map(_negative, sympy.Add.make_args(sign * sympy.expand(near.args[0])))):
            grown = self(near.args[0])  # 1 - exp(-u) is u where that is small, exp(u) - 1 exp(u) where it is large
            return sympy.Min(0, grown) - (Vanishing(grown, 0) if sign == -1 else 0)
        return Vanishing(self(near.args[0]), self.logs(near.args[0])) if sign == 1 and near.func is sympy.erf else None

    def logs(self, expr: Expr) -> int:
        """Whether there are logarithms of sizes in it, which count in no exponent."""
        return int(any(log.free_symbols & self.sizes for log in expr.atoms(sympy.log, sympy.LambertW)))

    def power(self, expr: Expr) -> Expr:
        base, power = expr.as_base_exp()
        if not power.free_symbols & self.sizes:
            found = _absolute(self(base)) if power.is_even else self(base)
            return sympy.expand(power * found)
        one, rest = base.as_coeff_Add()
        if one == 1 and rest != 0:
            small = Vanishing(self(rest) + self(power), self.logs(rest * power))
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
        if {True} not in (signs, negative):
            return self.no_rule(sympy.exp(power))
        return (-1 if signs == {True} else 1) * Vanishing(self(power), self.logs(power))

    def logarithm(self, expr: Expr) -> Expr:
        """A lower order than every power; log(f) is f - 1 where f is near 1, and no logarithm where f is exponential."""
        (inside,) = expr.args
        self.no_exponential(expr)
        if inside.as_coeff_Add()[0] == 1:
            return sympy.Min(0, _absolute(self(inside - 1)))
        ratio = sympy.cancel(inside - 1) if inside.is_rational_function(*self.sizes) else sympy.Integer(1)
        return sympy.Min(0, _absolute(self(ratio)))

    def no_exponential(self, expr: Expr) -> Expr:
        """0, the order of a logarithm of what grows like a power."""
        if self(expr.args[0]).has(Vanishing, sympy.oo, -sympy.oo):
            return self.no_rule(expr)
        return sympy.Integer(0)

    def maximum(self, expr: Expr) -> Expr:
        """The largest; what is negative counts for nothing beside what is not."""
        orders = [self(a) for a in expr.args]
        constants = [a for a in expr.args if not a.free_symbols & self.sizes]
        if any(a.is_nonnegative or (a in constants and self.signs(a) <= {1}) for a in expr.args):
            orders = [_of_kind(o, 1) for o in orders]
        return sympy.Max(*orders)

    def vanishing(self, expr: Expr) -> Expr:
        return Vanishing(self(expr.args[0]), self.logs(expr.args[0]))

    def of_a_logarithm(self, expr: Expr) -> "Expr | None":
        """The inverse of a gaussian error and the iterates of SGD grow like logarithms, in their one large argument."""
        large = [i for i, argument in enumerate(expr.args) if argument.free_symbols & self.sizes]
        return sympy.Integer(0) if large == [1 if isinstance(expr, InverseError) else 0] else None

    def beta(self, expr: Expr) -> "Expr | None":
        """I_x(a, b) vanishes with x^a, for a large a."""
        a, b, low, x = expr.args
        if low != 0 or b.free_symbols & self.sizes or not a.free_symbols & self.sizes:
            return None
        return Vanishing(self(1 - x) + self(a), self.logs(x))

    def class_sum(self, expr: Expr) -> "Expr | None":
        """A class has its share of the sum of p(x)^(2 rho) over x up to min(N, P), if there is a fixed number of classes."""
        _, alpha, N, M, rho, P = expr.args
        whole = sympy.harmonic(sympy.Min(N, P), 2 * alpha * rho) / sympy.harmonic(N, alpha) ** (2 * rho)
        return None if M.free_symbols & self.sizes else self(whole)

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
        orders = _Orders(self.sizes | {x}, self.letters)
        last = sympy.oo if high == sympy.oo else self(high)
        found = _largest(body(orders(expr.function.subs(letter, x)), log_size(x)), log_size(x), _start(low, self), last)
        if low != 0 or isinstance(expr, sympy.Sum):
            return found
        small = body(orders(expr.function.subs(letter, 1 / x)), -log_size(x))
        return sympy.Max(found, _largest(small, log_size(x), sympy.Integer(0), sympy.oo))

    def harmonic(self, expr: Expr) -> Expr:
        n, *power = expr.args
        x = log_size(sympy.Dummy("j"))
        return _largest((1 - power[0]) * x, x, sympy.Integer(0), self(n)) if power else sympy.Integer(0)


def _start(low: Expr, orders: _Orders) -> Expr:
    return sympy.Integer(0) if low == 0 else orders(low)


def _largest(order: Expr, x: "sympy.Symbol", low: Expr, high: Expr) -> Expr:
    """Largest(...), worked out where the order is linear in x."""
    rest, slope = order.subs(x, 0), order.diff(x) if order.is_polynomial(x) else x
    if slope.has(x):
        return Largest(order, x, low, high)
    return rest + (sympy.Max(slope * low, slope * high) if slope != 0 else 0)


def _negative(term: Expr) -> bool:
    return bool(term.is_negative or term.is_nonpositive or term.as_coeff_Mul()[0] < 0)


def _of_kind(order: Expr, kind: int) -> Expr:
    """An order with its differences read as in a maximum with 0 (kind 1) or as absolute values (kind 2)."""
    terms = sympy.Add.make_args(order)
    read = [Difference(*t.args[:2], kind) if isinstance(t, Difference) else t for t in terms]
    return sympy.Add(*read)


def _absolute(order: Expr) -> Expr:
    return _of_kind(order, 2)


RULES: Sequence[tuple[type | tuple[type, ...], Callable[[_Orders, sympy.Expr], sympy.Expr | None]]] = (
    (sympy.Mul, _Orders.product),
    (sympy.Add, _Orders.sum_of_terms),
    (sympy.exp, lambda self, e: self.exponential(e.args[0])),
    (sympy.Pow, _Orders.power),
    (sympy.Max, _Orders.maximum),
    (sympy.Min, lambda self, e: sympy.Min(*map(self, e.args))),
    (sympy.log, _Orders.logarithm),
    (sympy.LambertW, _Orders.no_exponential),
    (sympy.floor, lambda self, e: (found := self(e.args[0])) + Vanishing(-found, 0)),
    (sympy.ceiling, lambda self, e: sympy.Max(0, self(e.args[0]))),
    (sympy.Abs, lambda self, e: _absolute(self(e.args[0]))),
    ((sympy.erfc, GaussianError), _Orders.vanishing),
    (sympy.erf, lambda self, e: sympy.Min(0, self(e.args[0]))),
    (sympy.uppergamma, lambda self, e: Vanishing(self(e.args[1]), self.logs(e.args[1]))),
    (sympy.betainc_regularized, _Orders.beta),
    ((InverseError, SGDIterate), _Orders.of_a_logarithm),
    (ClassSum, _Orders.class_sum),
    (sympy.RisingFactorial, lambda self, e: e.args[1] * self(e.args[0])),
    # Hurwitz's zeta(s, a) is the sum of (x + a)^-s.
    (sympy.zeta, lambda self, e: (1 - e.args[0]) * self(e.args[1]) if len(e.args) > 1 else None),
    (sympy.harmonic, _Orders.harmonic),
    (sympy.Piecewise, _Orders.piecewise),
    (sympy.Sum, _Orders.largest_term),
    (Infimum, _Orders.infimum),
)
