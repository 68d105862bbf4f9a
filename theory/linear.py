"""Piecewise-linear functions of the logarithms of sizes: in which cone which linear form holds, exactly.

Coefficients may have letters in them (1 - alpha); their signs are those at given values of the letters, so that what is found
holds around these values. Whether inequalities can hold together is decided by eliminating one unknown after the other.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import sympy

from asymp.theory.lazy import Expr

NEVER = -sympy.oo
UNKNOWN = sympy.nan


@dataclass(frozen=True)
class Condition:
    """A linear form that is not negative, or with `strict` positive."""

    form: sympy.Expr
    strict: bool = False

    @property
    def contrary(self) -> "Condition":
        """What holds where this does not."""
        return Condition(-self.form, not self.strict)


CANCEL = "the leading terms of a difference cancel"
NEGATIVE = "a difference is negative"
LOGS = "only a logarithm tells whether a part of it vanishes"


@dataclass(frozen=True)
class Piece:
    """A linear form (or plus or minus infinity) and where it holds; if the value is unknown there, `unknown` says why."""

    value: sympy.Expr
    where: tuple[Condition, ...] = ()
    unknown: str = ""


class Cones:
    """Piecewise-linear functions of unknowns that are positive.

    Args:
        at: values of the letters in the coefficients.
        free: unknowns that may have any sign.
    """

    def __init__(self, at: "Mapping[sympy.Symbol, sympy.Expr]", free: "Sequence[sympy.Symbol]" = ()) -> None:
        self.at, self.free = dict(at), free
        self._numbers: dict[Expr, dict[sympy.Symbol, Fraction]] = {}

    # -- inequalities ----------------------------------------------------------------------------------------------------

    def numbers(self, form: Expr) -> "dict[sympy.Symbol, Fraction]":
        """The coefficients of a form, as numbers."""
        if form not in self._numbers:
            number = sympy.expand(form.xreplace(self.at))
            found = number.as_coefficients_dict() if number != 0 else {}
            if not all(s.is_Symbol and c.is_Rational for s, c in found.items()):
                raise ValueError(f"the order {form} is not linear in the logarithms of the sizes")
            self._numbers[form] = {s: Fraction(int(c.p), int(c.q)) for s, c in found.items() if c != 0}
        return self._numbers[form]

    def possible(self, conditions: Iterable[Condition], *, interior: bool = True) -> bool:
        """Whether conditions can hold together; with `interior`, in more than a face of their cone."""
        rows = [(self.numbers(c.form), c.strict) for c in conditions]
        rows = [(row, strict or (interior and bool(row))) for row, strict in rows]
        unknowns = {s for row, _ in rows for s in row}
        rows += [({s: Fraction(1)}, True) for s in unknowns if s not in self.free]
        for s in unknowns:
            low = [(row, strict) for row, strict in rows if row.get(s, 0) > 0]
            high = [(row, strict) for row, strict in rows if row.get(s, 0) < 0]
            rows = [(row, strict) for row, strict in rows if not row.get(s, 0)]
            for (a, strict), (b, also) in product(low, high):
                joined = {t: a.get(t, Fraction(0)) / a[s] - b.get(t, Fraction(0)) / b[s] for t in {*a, *b} - {s}}
                rows.append(({t: c for t, c in joined.items() if c}, strict or also))
            if any(strict and not row for row, strict in rows):
                return False
        return not any(strict and not row for row, strict in rows)

    def needed(self, conditions: Iterable[Condition]) -> tuple[Condition, ...]:
        """The conditions without those that follow from the others."""
        kept = list(dict.fromkeys(c for c in conditions if self.numbers(c.form)))
        # One in a single unknown is a condition on the letters of its coefficient.
        for c in [c for c in kept if len(self.numbers(c.form)) > 1 or not c.form.free_symbols & self.at.keys()]:
            others = [o for o in kept if o is not c]
            if not self.possible([*others, c.contrary]):
                kept = others
        return tuple(kept)

    def without(self, unknown: "sympy.Symbol", conditions: Iterable[Condition]) -> tuple[Condition, ...]:
        """What conditions say of the other unknowns."""
        low: list[Condition] = []
        high: list[Condition] = []
        rest: list[Condition] = []
        for c in conditions:
            slope = self.numbers(c.form).get(unknown, 0)
            (low if slope > 0 else high if slope < 0 else rest).append(c)
        for a, b in product(low, high):
            form = sympy.expand(a.form / a.form.coeff(unknown) - b.form / b.form.coeff(unknown))
            rest.append(Condition(form, a.strict or b.strict))
        return self.needed(rest)

    def _pieces(self, found: Iterable[Piece]) -> list[Piece]:
        return [Piece(p.value, self.needed(p.where), p.unknown) for p in found if self.possible(p.where)]

    # -- functions -------------------------------------------------------------------------------------------------------

    def pieces(self, order: Expr) -> list[Piece]:
        """The linear pieces of an order, as `theory.orders` makes them."""
        if order.is_Symbol or order.is_number:
            return [Piece(order)]
        name = type(order).__name__
        if isinstance(order, sympy.Add):
            return self._total(order.args)
        if isinstance(order, sympy.Mul):
            return self._multiple(order)
        if isinstance(order, sympy.Max | sympy.Min):
            sign = 1 if isinstance(order, sympy.Max) else -1
            return self._scaled(sign, self._largest_of([self._scaled(sign, self.pieces(a)) for a in order.args]))
        if isinstance(order, sympy.Piecewise):
            return self._cases(order)
        if name == "Vanishing":
            return self._vanishing(self.pieces(order.args[0]), bool(order.args[1]))
        if name == "Difference":
            more, less, kind = order.args
            return self._difference(self.pieces(more), self.pieces(less), int(kind))
        if name == "Largest":
            return self._largest(*order.args)
        raise ValueError(f"the order {order} is not piecewise linear")

    def _total(self, orders: Sequence[Expr]) -> list[Piece]:
        found = [Piece(sympy.Integer(0))]
        for order in orders:
            parts = self.pieces(order)
            found = self._pieces(
                Piece(_sum(p.value, q.value), (*p.where, *q.where), p.unknown or q.unknown)
                for p, q in product(found, parts)
            )
        return found

    def _multiple(self, order: Expr) -> list[Piece]:
        inner = [f for f in order.args if f.free_symbols - self.at.keys() or isinstance(f, sympy.Function)]
        factor = sympy.Mul(*(f for f in order.args if f not in inner))
        if factor.has(sympy.oo):
            factor = sympy.oo * sympy.sign(sympy.Mul(*(f for f in factor.args if f != sympy.oo)).xreplace(self.at))
        if len(inner) > 1:
            raise ValueError(f"the order {order} is not piecewise linear")
        return self._scaled(factor, self.pieces(inner[0])) if inner else [Piece(factor)]

    def _scaled(self, factor: Expr, pieces: Sequence[Piece]) -> list[Piece]:
        sign = factor if factor == 1 or factor == -1 else factor.xreplace(self.at)
        if sign == 0:
            return [Piece(sympy.Integer(0), p.where) for p in pieces]
        return [
            Piece(
                sympy.expand(factor * p.value) if p.value.is_finite is not False else sympy.sign(sign) * p.value,
                p.where,
                p.unknown,
            )
            for p in pieces
        ]

    def _difference(self, more: Sequence[Piece], less: Sequence[Piece], kind: int) -> list[Piece]:
        found = []
        for p, q in product(more, less):
            where, unknown = (*p.where, *q.where), p.unknown or q.unknown
            if unknown or q.value == NEVER or p.value == sympy.oo != q.value:
                found.append(Piece(p.value, where, unknown))
                continue
            below = Piece((UNKNOWN, NEVER, q.value)[kind], where, NEGATIVE if kind == 0 else "")
            gap = sympy.oo if NEVER in (p.value, q.value) else sympy.expand(p.value - q.value)
            if p.value == NEVER or q.value == sympy.oo != p.value:
                found.append(below)
            elif p.value == q.value or not self.numbers(gap):
                found.append(Piece(UNKNOWN, where, CANCEL))
            else:
                above = Condition(gap)
                found.append(Piece(p.value, (*where, above)))
                found.append(Piece(below.value, (*where, above.contrary), below.unknown))
        return self._pieces(found)

    def _largest_of(self, functions: Sequence[Sequence[Piece]]) -> list[Piece]:
        found = list(functions[0])
        for pieces in functions[1:]:
            pairs = []
            for p, q in product(found, pieces):
                where = (*p.where, *q.where)
                if p.unknown or q.unknown:
                    pairs.append(Piece(UNKNOWN, where, p.unknown or q.unknown))
                elif p.value in (NEVER, sympy.oo) or q.value in (NEVER, sympy.oo):
                    pairs.append(Piece(p.value if q.value == NEVER or p.value == sympy.oo else q.value, where))
                elif not self.numbers(sympy.expand(p.value - q.value)):
                    pairs.append(Piece(p.value, where))
                else:
                    above = Condition(sympy.expand(p.value - q.value))
                    pairs += [Piece(p.value, (*where, above)), Piece(q.value, (*where, above.contrary))]
            found = self._pieces(pairs)
        return found

    def _vanishing(self, pieces: Sequence[Piece], logs: bool) -> list[Piece]:
        found = []
        for p in pieces:
            if p.unknown:
                found.append(p)
            elif logs and p.value != NEVER and p.value != sympy.oo and not self.numbers(p.value):
                found.append(Piece(UNKNOWN, p.where, LOGS))
            elif p.value in (NEVER, sympy.oo):
                found.append(Piece(NEVER if p.value == sympy.oo else sympy.Integer(0), p.where))
            else:
                small = Condition(-p.value)
                found += [Piece(sympy.Integer(0), (*p.where, small)), Piece(NEVER, (*p.where, small.contrary))]
        return self._pieces(found)

    def _cases(self, order: Expr) -> list[Piece]:
        found: list[Piece] = []
        rest: tuple[Condition, ...] = ()
        for value, condition in order.args:
            here = rest
            if condition.free_symbols - self.at.keys():
                above = condition.gts - condition.lts
                chosen = Condition(above, strict=isinstance(condition, sympy.StrictGreaterThan | sympy.StrictLessThan))
                here, rest = (*rest, chosen), (*rest, chosen.contrary)
            else:
                holds = bool(condition.xreplace(self.at))
                here = (*rest, *self._of_letters(order, condition, 1 if holds else -1))
                if not holds:
                    rest = here
                    continue
                rest = here
            found += [Piece(p.value, (*here, *p.where), p.unknown) for p in self.pieces(value)]
            if here is rest:
                break
        return self._pieces(found)

    def _of_letters(self, order: Expr, condition: sympy.Basic, sign: int) -> list[Condition]:
        """A condition on letters as one on a multiple of an unknown, so that it is shown with the piece."""
        unknown = min(order.free_symbols - self.at.keys(), key=str)
        bounds = [
            c
            for c in condition.atoms(sympy.core.relational.Relational)
            if isinstance(c, sympy.Gt | sympy.Ge | sympy.Lt | sympy.Le)
        ]
        return [Condition(sympy.expand(sign * (c.gts - c.lts) * unknown)) for c in bounds]

    def _largest(self, order: Expr, x: "sympy.Symbol", low: Expr, high: Expr) -> list[Piece]:
        """The largest value over x: at an end of the interval on which a piece holds."""
        ends = [self.pieces(low), [Piece(high)] if high == sympy.oo else self.pieces(high)]
        found: list[list[Piece]] = []
        for p, a, b in product(self.pieces(order), *ends):
            conditions = [*p.where, *a.where, *b.where, Condition(x - a.value)]
            conditions += [] if b.value == sympy.oo else [Condition(b.value - x)]
            if p.unknown and self.possible(conditions):
                found.append(self._everywhere(Piece(UNKNOWN, self.without(x, conditions), p.unknown)))
            elif self.possible(conditions):
                found += [self._everywhere(piece) for piece in self._at_ends(p.value, x, conditions)]
        return self._largest_of(found) if found else [Piece(NEVER)]

    def _at_ends(self, value: Expr, x: "sympy.Symbol", conditions: Sequence[Condition]) -> Iterable[Piece]:
        """A linear form at its largest, where x is between what conditions say."""
        low: list[Condition] = []
        high: list[Condition] = []
        rest: list[Condition] = []
        for c in conditions:
            slope = self.numbers(c.form).get(x, 0)
            bound = sympy.expand(x - c.form / c.form.coeff(x)) if slope else c.form
            (low if slope > 0 else high if slope < 0 else rest).append(Condition(bound, c.strict) if slope else c)
        finite = value.is_finite is not False
        rising = finite and self.numbers(value).get(x, 0) > 0
        chosen, sign = (high, -1) if rising else (low, 1)
        if not chosen:
            yield Piece(sympy.oo, tuple(rest))
        for end in chosen:
            nearest = [Condition(sympy.expand(sign * (end.form - o.form))) for o in chosen if o is not end]
            others = low if rising else high
            inside = [Condition(sympy.expand(sign * (o.form - end.form)), o.strict and end.strict) for o in others]
            at = sympy.expand(value.subs(x, end.form)) if finite else value
            where = (*rest, *nearest, *inside)
            if self.possible(where):
                yield Piece(at, self.needed(where))

    def _everywhere(self, piece: Piece) -> list[Piece]:
        """A function that is minus infinity where a piece does not hold."""
        found = [piece]
        before: list[Condition] = []
        for condition in piece.where:
            found.append(Piece(NEVER, (*before, Condition(-condition.form, True))))
            before.append(condition)
        return self._pieces(found)


def _sum(a: Expr, b: Expr) -> Expr:
    """Minus infinity plus anything is minus infinity."""
    return NEVER if NEVER in (a, b) else sympy.expand(a + b)
