"""What follows from a law's order of growth: its exponents, its regimes with their boundaries, and what it implies."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, product

import sympy

from asymp.theory.formula import parsed
from asymp.theory.lazy import Expr
from asymp.theory.linear import Condition, Cones, Piece
from asymp.theory.orders import Difference, Largest, Letters, Quantity, log_size, order
from asymp.theory.param import Param

LARGE = 100
"""A parameter whose typical range reaches this far, or that may be infinite, is a size; see `sizes_of`."""

BEYOND = (10**6, 10**9)
"""How many times larger than the logarithm of the variable those of infinite sizes are."""

RELATIONS = {">>": (1, True), "<<": (-1, True), ">~": (1, False), "<~": (-1, False)}


def growth(
    expr: Expr, variable: "sympy.Symbol", infinite: "Sequence[sympy.Symbol]" = (), letters: Letters | None = None
) -> Expr:
    """The exponent e in expr ~ variable**e, up to logarithms, as the variable grows.

    Args:
        expr: a positive formula.
        variable: the size that grows.
        infinite: sizes that have grown without end before.
        letters: values of the other letters at which signs are looked up, where they decide; all must agree.

    >>> d, a = sympy.symbols("d a", positive=True)
    >>> growth(d**(1 - a) + d**sympy.Rational(-1, 2), d)
    Max(-1/2, 1 - a)
    """
    tree = order(expr, [variable, *infinite], letters)
    if not infinite and not tree.has(Difference):
        found = tree.subs(log_size(variable), 1)
        if not found.has(Largest):
            return found
    unknown = tree.free_symbols - {log_size(s) for s in (variable, *infinite)}
    answers = {
        sympy.simplify(_at_point(Cones(at).pieces(tree), Cones(at), variable, infinite))
        for at in _samples(letters or {}, unknown)
    }
    if len(answers) > 1:
        names = ", ".join(sorted(s.name for s in unknown if not s.name.startswith("log ")))
        raise ValueError(f"the growth in {variable} is another one in other ranges of {names}; give their values")
    return answers.pop()


def _samples(letters: Letters, wanted: "set[sympy.Symbol]") -> "list[dict[sympy.Symbol, sympy.Expr]]":
    """Values of the letters together: all combinations, at most 27."""
    known = {s: v for s, v in letters.items() if s in wanted}
    return [dict(zip(known, values, strict=True)) for values in islice(product(*known.values()), 27)]


def _at_point(
    pieces: Sequence[Piece], cones: Cones, variable: "sympy.Symbol", infinite: "Sequence[sympy.Symbol]"
) -> Expr:
    """The value along a ray on which the infinite sizes are far beyond the variable."""
    found = []
    for beyond in BEYOND:
        ray = {log_size(variable): sympy.Integer(1), **{log_size(s): sympy.Integer(beyond) for s in infinite}}
        for p in pieces:
            if all(sum(c * ray.get(s, 0) for s, c in cones.numbers(c.form).items()) >= 0 for c in p.where):
                if p.unknown:
                    raise ValueError(
                        f"no rule gives the growth in {variable}: {p.unknown}; declare the exponent on the law"
                    )
                found.append(p.value.subs(ray))
                break
    first, last = found
    return first if first == last else sympy.oo * sympy.sign((last - first).xreplace(cones.at))


@dataclass(frozen=True)
class Regime:
    """Where a law grows like one product of powers.

    `order`: the product. `conditions`: where it holds, such as "T << d**alpha". `exponents`: the exponent of each size.
    `at`: the values of the letters at which it was found, where it is not the same at others. `unknown`: why no order is
    known there, if none is; `order` is then nan.
    """

    order: sympy.Expr
    conditions: tuple[str, ...]
    exponents: Mapping[str, sympy.Expr]
    at: str = ""
    unknown: str = ""

    def __str__(self) -> str:
        where = " and ".join((*self.conditions, *((self.at,) if self.at else ())))
        order = f"not known ({self.unknown})" if self.unknown else f"{self.order}"
        return f"{order} where {where}" if where else f"{order} everywhere"


@dataclass(frozen=True)
class Answer:
    """Whether something follows; if not, `where` it fails, and comparisons with each of which it does follow."""

    holds: bool
    where: tuple[str, ...] = ()
    follows_if: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.holds


class Growth:
    """The order of a formula in its sizes.

    Args:
        expr: the formula, with given values put in.
        params: its parameters by letter; those that are no sizes stay letters.
        symbols: their symbols.
        relation: how the quantity relates to the formula.
        quantity: the letter of the quantity.
        sizes: letters that are sizes, besides those that `sizes_of` finds.
    """

    def __init__(
        self,
        expr: Expr,
        params: Mapping[str, Param],
        symbols: "Mapping[str, sympy.Symbol]",
        relation: str,
        quantity: str,
        sizes: Sequence[str] = (),
    ) -> None:
        self.relation, self.quantity = relation, Quantity(quantity, positive=True)
        self.sizes = sizes_of(expr, params, symbols, sizes)
        self._symbols, self._known = symbols, letters_of(params, symbols)
        self.order = order(expr, self.sizes, self._known)
        self.samples = self._samples()

    def _samples(self, *comparisons: "Comparison") -> "list[dict[sympy.Symbol, sympy.Expr]]":
        """Values of the letters in the law's order and in comparisons."""
        orders = [self.order, *(c.order for c in comparisons)]
        return _samples(self._known, {s for one in orders for s in one.free_symbols})

    def regimes(self) -> tuple[Regime, ...]:
        """All regimes, at all samples of the letters."""
        lists, coefficients = [], set()
        for at in self.samples:
            cones = Cones(at)
            merged = _merged(cones.pieces(self.order), cones)
            lists.append([(p.value, self._texts(p.where, cones), p.unknown) for p in merged])
            forms = [
                form for p in merged for form in (p.value, *(c.form for c in p.where)) if form.is_finite is not False
            ]
            coefficients |= {c for form in forms for c in sympy.expand(form).as_coefficients_dict(*self._logs).values()}
        told = [t for pieces in lists for _, texts, _ in pieces for t in texts if _compares_letters(t)]
        told += self._signs_of(coefficients)
        candidates = list(
            dict.fromkeys(side for text in told for side in (text, " > ".join(reversed(text.split(" > ")))))
        )
        found: dict[tuple[Expr, tuple[str, ...], str], Regime] = {}
        for pieces in lists:
            for key in pieces:
                if key not in found:
                    value, texts, unknown = key
                    more, label = self._only_at([key in other for other in lists], texts, candidates)
                    found[key] = self._regime(value, (*more, *texts), label, unknown)
        return tuple(found.values())

    @property
    def _logs(self) -> "list[sympy.Symbol]":
        return [log_size(s) for s in self.sizes]

    def _signs_of(self, coefficients: "Iterable[Expr]") -> list[str]:
        """Comparisons of letters that decide the sign of a factor of a coefficient, the shortest first."""
        factors = {f.as_base_exp()[0] for c in coefficients for f in sympy.Mul.make_args(sympy.factor(c))}
        mixed = [f for f in factors if f.free_symbols and len({sympy.sign(f.subs(at)) for at in self.samples}) > 1]
        return sorted((self._of_letters(f, Cones(self.samples[0])) for f in mixed), key=lambda text: (len(text), text))

    def _only_at(
        self, there: list[bool], texts: Sequence[str], candidates: Sequence[str]
    ) -> tuple[tuple[str, ...], str]:
        """What tells the samples at which something was found from the others: comparisons of letters, or their values."""
        letters = [text for text in texts if _compares_letters(text)]
        own = [all(self._holds_at(text, at) for text in letters) for at in self.samples]
        for more in [(), *combinations(candidates, 1), *combinations(candidates, 2)]:
            holds = [o and all(self._holds_at(m, at) for m in more) for o, at in zip(own, self.samples, strict=True)]
            if holds == there:
                return more, ""
        at = next(at for at, found in zip(self.samples, there, strict=True) if found)
        return (), ", ".join(f"{s} = {float(v):.3g}" for s, v in at.items())

    def _holds_at(self, text: str, at: "Mapping[sympy.Symbol, sympy.Expr]") -> bool:
        more, less = (parsed(side, self._symbols, self._symbols, text) for side in text.split(" > "))
        return bool((more - less).subs(at) > 0)

    def _regime(self, value: Expr, texts: tuple[str, ...], at: str, unknown: str) -> Regime:
        if unknown:
            return Regime(value, texts, {}, at, unknown)
        if value.is_infinite:
            return Regime(sympy.Integer(0) if value < 0 else value, texts, {s.name: value for s in self.sizes}, at)
        powers = {s: sympy.factor(sympy.expand(value).coeff(log_size(s))) for s in self.sizes}
        return Regime(sympy.Mul(*(s**e for s, e in powers.items())), texts, {s.name: e for s, e in powers.items()}, at)

    def _texts(self, conditions: Sequence[Condition], cones: Cones) -> tuple[str, ...]:
        always = [c for c in conditions if len(cones.numbers(c.form)) == 1 and self._always(c)]
        texts = list(dict.fromkeys(self.text(c, cones) for c in conditions if c not in always))
        # Both "d >> N" and "d << N", of which neither is strict: the sizes are of one order.
        both = {t.replace(" >> ", " ~ ") for t in texts if t.replace(" >> ", " << ") in texts and " >> " in t}
        return tuple(dict.fromkeys(one if (one := re.sub(" >> | << ", " ~ ", t)) in both else t for t in texts))

    def _always(self, condition: Condition) -> bool:
        """Whether a condition on letters holds wherever they are looked at."""
        return all(min(Cones(at).numbers(condition.form).values(), default=0) >= 0 for at in self.samples)

    def text(self, condition: Condition, cones: Cones) -> str:
        """A condition as a comparison of products of sizes, or of letters."""
        names = {log_size(s): s for s in (*self.sizes, self.quantity)}
        numbers = cones.numbers(condition.form)
        if len(numbers) == 1:
            (log,) = numbers
            coefficient = sympy.expand(condition.form).coeff(log)
            return self._of_letters(coefficient, cones) if coefficient.free_symbols else f"{names[log]} >> 1"
        first = next(log for log in names if log in numbers)
        scale = sympy.expand(condition.form).coeff(first) * (1 if numbers[first] > 0 else -1)
        if len(numbers) > 2:
            scale = sympy.Rational(
                math.gcd(*(c.numerator for c in numbers.values())), math.lcm(*(c.denominator for c in numbers.values()))
            )
        sides: dict[bool, Expr] = {True: sympy.Integer(1), False: sympy.Integer(1)}
        for log, number in numbers.items():
            power = sympy.simplify(sympy.expand(condition.form).coeff(log) / scale)
            sides[number > 0] *= names[log] ** (power if number > 0 else -power)
        left = numbers[first] > 0
        return f"{sides[left]} {'>>' if left else '<<'} {sides[not left]}"

    def _of_letters(self, coefficient: Expr, cones: Cones) -> str:
        """That a coefficient is positive, without its factors of one sign at all samples."""
        positive = sympy.Integer(1)
        for factor in sympy.Mul.make_args(sympy.factor(coefficient)):
            signs = {sympy.sign(factor.subs(at)) for at in self.samples}
            base, power = factor.as_base_exp()
            undecided = len(signs) > 1 and factor.free_symbols
            positive *= (base if power.is_odd else factor) if undecided else sympy.sign(factor.xreplace(cones.at))
        terms = sympy.Add.make_args(sympy.expand(positive).as_content_primitive()[1])
        above = sympy.Add(*(t for t in terms if not t.could_extract_minus_sign()))
        return f"{above} > {sympy.expand(above - sympy.Add(*terms))}"

    # -- consequences ----------------------------------------------------------------------------------------------------

    def implies(self, conclusion: str, given: Sequence[str]) -> Answer:
        """Whether the law's relation implies a comparison."""
        return self._follows([*given], self._holds, self._parsed(conclusion).contrary)

    def enough(self, premise: str, given: Sequence[str]) -> Answer:
        """Whether a comparison implies the law's relation."""
        return self._follows([*given, premise], lambda value: [c.contrary for c in self._holds(value)], None)

    def _holds(self, value: Expr) -> list[Condition]:
        above = Condition(log_size(self.quantity) - value)
        below = Condition(value - log_size(self.quantity))
        return {">": [above], "<": [below]}.get(self.relation[0], [above, below])

    def _follows(
        self,
        given: Sequence[str],
        of_value: Callable[[Expr], list[Condition]],
        against: "Comparison | None",
        retry: bool = True,
    ) -> Answer:
        if self.relation[0] not in "<>":
            raise ValueError(f"consequences are asked of a bound, <~ or >~; this law says {self.relation}")
        premises, against_all = [self._parsed(text) for text in given], [against] if against else []
        where: list[str] = []
        borders: list[str] = []
        ways_out: dict[str, Condition] = {}
        sensible = False
        for cones in (Cones(at, [log_size(self.quantity)]) for at in self._samples(*premises, *against_all)):
            for supposed in _all_of(premises, cones):
                sensible = True
                for p, more in product(cones.pieces(self.order), _all_of(against_all, cones)):
                    conditions = [*p.where, *supposed, *([] if p.unknown else of_value(p.value)), *more]
                    if p.unknown and cones.possible(conditions):
                        there = " and ".join(self._texts(cones.needed(p.where), cones)) or "all sizes"
                        raise ValueError(
                            f"the law's growth is not known at {there}: {p.unknown}; exclude it in what is given"
                        )
                    if cones.possible(conditions, interior=False):
                        fails = cones.without(log_size(self.quantity), conditions)
                        (where if cones.possible(conditions) else borders).append(
                            " and ".join(self._texts(fails, cones))
                        )
                        ways_out |= {self.text(c.contrary, cones): c.contrary for c in fails}
        if not sensible:
            raise ValueError(f"no sizes have all that is given: {', '.join(text.strip() for text in given)}")
        where = list(dict.fromkeys(where or borders))
        if not retry:
            return Answer(not where, tuple(where))
        alone = [text for text in ways_out if self._helps([*given, text], of_value, against)]
        return Answer(not where, tuple(where), tuple(alone))

    def _helps(
        self, given: Sequence[str], of_value: Callable[[Expr], list[Condition]], against: "Comparison | None"
    ) -> bool:
        """Whether it follows with a further premise that does not contradict the others."""
        try:
            return self._follows(given, of_value, against, retry=False).holds
        except ValueError:
            return False

    def _parsed(self, text: str) -> "Comparison":
        """A comparison such as "T << N**(3/4)"."""
        relation = next((r for r in RELATIONS if r in text), None) if isinstance(text, str) else None
        if relation is None or text.count(relation) != 1:
            raise ValueError(f"a comparison is written with >>, <<, >~ or <~, as in 'T << N**(3/4)'; got {text!r}")
        sizes = (self.quantity, *self.sizes)
        known = {**self._symbols, **{s.name: s for s in sizes}}
        sides = [parsed(side, known, known, f"{text!r}") for side in text.split(relation)]
        for side in sides:
            if not _positive(side):
                raise ValueError(f"both sides of a comparison are sums of positive terms; {side} in {text!r} is not")
        left, right = (order(side, sizes, self._known) for side in sides)
        sign, strict = RELATIONS[relation]
        return Comparison(sign * (left - right), strict)


@dataclass(frozen=True)
class Comparison:
    """That an order, which need not be linear, is not negative, or with `strict` positive."""

    order: sympy.Expr
    strict: bool

    @property
    def contrary(self) -> "Comparison":
        return Comparison(-self.order, not self.strict)

    def ways(self, cones: Cones) -> list[tuple[Condition, ...]]:
        """Conditions on linear forms of which it needs one set."""
        pieces = [p for p in cones.pieces(sympy.expand(self.order)) if p.value != -sympy.oo]
        return [(*p.where, *([] if p.value == sympy.oo else [Condition(p.value, self.strict)])) for p in pieces]


def _positive(expr: Expr) -> bool:
    """Whether no sign stands in it, but in an exponent."""
    if expr.is_number:
        return bool(expr > 0)
    return all(map(_positive, [expr.base] if isinstance(expr, sympy.Pow) else expr.args))


def _all_of(comparisons: Sequence[Comparison], cones: Cones) -> list[list[Condition]]:
    """The ways in which comparisons hold together."""
    ways = product(*(c.ways(cones) for c in comparisons))
    return [found for way in ways if cones.possible(found := [c for part in way for c in part], interior=False)]


def comparisons(given: str | Sequence[str]) -> list[str]:
    """Comparisons in a list, or in one text between commas that stand in no bracket."""
    if not isinstance(given, str):
        return list(given)
    found, depth = [""], 0
    for letter in given:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and not depth:
            found.append("")
        else:
            found[-1] += letter
    return [text for text in found if text.strip()]


def compared(comparisons: Iterable[object]) -> list[str]:
    """The letters that stand in comparisons outside of an exponent: who writes R >> S takes both for sizes."""
    texts = [re.sub(r"\*\*\s*-?\s*(\([^()]*\)|\w+)", "", text) for text in comparisons if isinstance(text, str)]
    return [letter for text in texts for letter in re.findall(r"[A-Za-z_]\w*", text)]


def sizes_of(
    expr: Expr, params: Mapping[str, Param], symbols: "Mapping[str, sympy.Symbol]", named: Sequence[str]
) -> "list[sympy.Symbol]":
    """The sizes of a formula: what may be infinite, is studied at values of 100 and more, or is named as a size.

    Of parameters without a typical range those from 1 to infinity, unless they stand in the exponent of a size.
    """
    found = {n: s for n, s in symbols.items() if s in expr.free_symbols and (n in named or _may_be_large(params[n]))}
    powers = [power for power in expr.atoms(sympy.Pow) if power.base.as_coeff_Add()[0] != 1]
    raised = {s for power in powers if power.base.free_symbols & {*found.values()} for s in power.exp.free_symbols}
    return [
        s for n, s in found.items() if n in named or params[n].typical or params[n].domain.infinite or s not in raised
    ]


def _may_be_large(param: Param) -> bool:
    domain, typical = param.domain, param.typical
    reaches = typical[1] >= LARGE if typical else domain.low >= 1
    return bool(domain.infinite or (domain.high == math.inf and reaches))


def letters_of(
    params: Mapping[str, Param], symbols: "Mapping[str, sympy.Symbol]"
) -> "dict[sympy.Symbol, tuple[sympy.Expr, ...]]":
    """For each parameter three values in its typical range, at which signs of exponents are looked up."""
    found = {}
    for name, symbol in symbols.items():
        p = params[name]
        low, high = p.typical or (p.domain.low, p.domain.high)
        low = low if low > -math.inf else -2
        high = high if high < math.inf else low + 2
        ends = [sympy.nsimplify(end) for end in (low, high)]
        found[symbol] = tuple(ends[0] + (ends[1] - ends[0]) * sympy.Rational(k, 23) for k in (1, 11, 22))
    return found


def _compares_letters(text: str) -> bool:
    return " > " in text


def _merged(pieces: Sequence[Piece], cones: Cones) -> list[Piece]:
    """The pieces, two of one value made one where a condition of one is the contrary of a condition of the other."""
    found = list(pieces)
    for p, q in product(pieces, pieces):
        if p is q or p not in found or q not in found or (p.value, p.unknown) != (q.value, q.unknown):
            continue
        letters = [c for c in (*p.where, *q.where) if len(cones.numbers(c.form)) == 1]
        ours, theirs = ([c for c in r.where if c not in letters] for r in (p, q))
        mine = [c for c in ours if c.form not in {o.form for o in theirs}]
        rest = [c for c in theirs if len(mine) != 1 or sympy.expand(c.form + mine[0].form) != 0]
        # Where p is (A and B) and q is (not A and C), B among C, and p lies within C: together they are C.
        among = all(c in rest for c in ours if c not in mine)
        covered = all(not cones.possible([*p.where, c.contrary]) for c in rest)
        if len(mine) == 1 and len(rest) == len(theirs) - 1 and among and covered:
            found[found.index(p)] = Piece(p.value, tuple(dict.fromkeys((*letters, *rest))), p.unknown)
            found.remove(q)
    return found
