"""Negative controls, generated for every part of a claim: wrong laws that the same pipeline has to refute.

By kind: an exponent off by twice the margin; a constant off by 25 %; the values of another regime; a law that ignores
its variable; a bound 20 % on the wrong side of the measured value; an order reversed; an identity with one term left
out. A wrong law that says almost the same as the right one at every cell (a swap of words that changes nothing, a term
below the margin) is no control and is not generated. What a part cannot have is listed by `not_generated`, with why.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import sympy

from asymp.montecarlo import Estimate
from asymp.reports.declare import Claim, Part, said
from asymp.reports.judge import judge
from asymp.theory import Law, law, real

__all__ = ["Control", "controls", "controls_of", "not_generated"]

Cells = Sequence[tuple[dict[str, Any], Estimate]]
Params = Mapping[str, Any]

# A wrong law is a control if it differs from the right one by so many margins at some cell: 3 is what a check of an
# exact law (margin 2 %) is planned to see, 5 (10 %) what swaps and wrong variables must at least be worth.
SEEN, CLEAR = 3, 5
OFF = 0.25
WRONG_SIDE = 0.2


@dataclass(frozen=True)
class Control:
    """A wrong law in the place of a part's own: `wrong` makes the part, once the cells of `preset` are measured."""

    claim: str
    part: Part
    how: str
    wrong: Callable[[Cells], Part]
    preset: str = "quick"
    most: int | None = None

    def __str__(self) -> str:
        return f"{self.claim} {self.part.name} {self.how}"


def controls(claim: Claim) -> list[Control]:
    """Every wrong law for every part; an erratum is wrong as it stands, so its corrected law is spoilt instead."""
    return [control for part in claim.parts for control in controls_of(claim.id, part)]


def controls_of(claim: str, part: Part) -> list[Control]:
    """The wrong laws for one part. This asks the law at a few cells, which may take seconds."""
    right = part.with_corrected_law() if part.erratum else part
    preset = "standard" if right.kind == "bound" else "quick"
    return [Control(claim, right, how, wrong, preset, _most(right)) for how, wrong in MAKERS[right.kind](right)]


def not_generated(made: Sequence[Control]) -> list[tuple[str, str, str]]:
    """What of the list the parts of some controls have none for: (part, control, reason)."""
    parts = {control.part.name: control.part for control in made}
    had = {name: {c.how.split(":")[0] for c in made if c.part.name == name} for name in parts}
    return [
        (name, how, reason)
        for name, part in parts.items()
        for how, reason in REASONS[part.kind].items()
        if how not in had[name]
    ]


def _most(part: Part) -> int | None:
    # A bound moved to the measured value is refuted at the cell where it was closest: three cells are enough.
    return 3 if part.kind == "bound" else None


# -- rates and exponents of capacities -------------------------------------------------------------------------------


def _rate(part: Part) -> Iterator[tuple[str, Callable[[Cells], Part]]]:
    variable = part.variable
    assert variable is not None
    for sign, word in ((1, "+"), (-1, "-")):
        yield f"exponent {word} twice the margin", _always(_tilted(part, sign * 2 * part.margin))
    found = _exponents(part)
    if all(abs(e) >= 2 * part.margin for e in found):
        yield f"wrong variable: no growth in {variable}", _always(_exponent_of(part, lambda values: 0.0))
    steepest, flattest = max(found), min(found)
    if steepest - flattest >= 2 * part.margin:
        # every group is given the exponent that is farthest from its own
        yield (
            "swapped regime: the exponent of other parameters",
            _always(_exponent_of(part, lambda e: flattest if e - flattest > steepest - e else steepest)),
        )


def _exponents(part: Part) -> list[float]:
    found: list[float] = []
    for cell in part.cells("quick", {}):
        exponent = _exponent_at(part, cell)
        if exponent not in found:
            found.append(exponent)
    return found


def _exponent_at(part: Part, cell: Params) -> float:
    assert part.variable is not None
    hidden = {part.variable, *part.law.words}
    values = {k: v for k, v in part.law_values(cell).items() if k not in hidden}
    return float(part.law.exponent(part.variable, **values))


class _WrongExponent(Law):
    """A law whose exponent is a function of the right one; its values stay (they only draw the plot)."""

    right: Law
    change: Callable[[float], float]

    def __call__(self, **values: Any) -> float:
        return said(self.right, values)

    def exponent(self, variable: str, **values: Any) -> Any:
        return sympy.Float(self.change(float(self.right.exponent(variable, **values))))


def _exponent_of(part: Part, change: Callable[[float], float]) -> Part:
    fields = {name: getattr(part.law, name) for name in Law.__dataclass_fields__}
    wrong = _WrongExponent(**fields)
    object.__setattr__(wrong, "right", part.law)
    object.__setattr__(wrong, "change", change)
    return replace(part, law=wrong)


def _tilted(part: Part, extra: float) -> Part:
    return _exponent_of(part, lambda exponent: exponent + extra)


# -- identities and constants ----------------------------------------------------------------------------------------


def _equality(part: Part) -> Iterator[tuple[str, Callable[[Cells], Part]]]:
    cells = part.cells("quick", {})
    if any(part.predicted(cell) for cell in cells):
        yield "constant 25 % too large", _always(_scaled(part, 1 + OFF))
        yield "constant 25 % too small", _always(_scaled(part, 1 - OFF))
    if part.scale is not None:
        yield "five margins too large", _always(_moved(part, CLEAR))
        yield "five margins too small", _always(_moved(part, -CLEAR))
    swapped = _table(part, cells, _swapped_words)
    if swapped is not None:
        yield "swapped regime: the value of another word", _always(swapped)
    for name in _varying(cells):
        frozen = _table(part, cells, partial(_frozen, cells=cells, name=name))
        if frozen is not None:
            yield f"wrong variable: {name} is ignored", _always(frozen)
            break
    if any(_smallest_seen(part, cell) for cell in cells):
        yield "one term dropped", _always(_saying(part, lambda c: part.predicted(c) - _smallest_seen(part, c)))


def _always(part: Part) -> Callable[[Cells], Part]:
    return lambda cells: part


def _scaled(part: Part, factor: float) -> Part:
    # through the part's own memory of what its law says, not by asking the law again
    return _saying(part, lambda cell: factor * part.predicted(cell))


def _saying(part: Part, wrong: Callable[[Params], float]) -> Part:
    """The same part with a law that says `wrong(cell)`; the margin stays a share of what it was."""
    made = law("wrong", "value", relation=part.law.relation, domain={"value": real()}, typical={"value": (0, 1)})
    return replace(part, law=made, constant=1.0, to_law=lambda cell: {"value": wrong(cell)}, scale=part.unit)


def _moved(part: Part, margins: float) -> Part:
    """Moved by some margins: a factor does nothing to a law that says 0."""
    return _saying(part, lambda cell: part.predicted(cell) + margins * part.margin * part.unit(cell))


def _table(part: Part, cells: Sequence[Params], value: Callable[[Part, Params], float | None]) -> Part | None:
    """A law given by a table over the cells, if it is clearly another law than the right one."""
    some = _spread(cells)
    said = {repr(sorted(cell.items())): value(part, cell) for cell in some}
    clear = any(
        (wrong := said[repr(sorted(cell.items()))]) is not None
        and abs(wrong - part.predicted(cell)) > CLEAR * part.margin * part.unit(cell)
        for cell in some
    )

    def look_up(cell: Params) -> float:
        wrong = said.get(repr(sorted(cell.items())))
        return part.predicted(cell) if wrong is None else wrong

    return _saying(part, look_up) if clear else None


def _spread(cells: Sequence[Params], most: int = 4) -> list[Params]:
    """A few cells from the first to the last: some laws take seconds a cell, and one wrong cell refutes."""
    if len(cells) <= most:
        return list(cells)
    return [cells[round(i * (len(cells) - 1) / (most - 1))] for i in range(most)]


def _swapped_words(part: Part, cell: Params) -> float | None:
    """The law with its words changed, the first that makes a difference: sphere for gaussian, other for target."""
    values = part.law_values(cell)
    right = part.predicted(cell)
    for name, options in part.law.words.items():
        for word in options:
            if word == values.get(name, part.law.defaults.get(name)):
                continue
            wrong = _try(part, {**values, name: word})
            if wrong is not None and abs(wrong - right) > CLEAR * part.margin * part.unit(cell):
                return wrong
    return None


def _varying(cells: Sequence[Params]) -> list[str]:
    """The numbers that differ between cells, those with the widest range first: the variables of the law."""
    numbers: dict[str, set[float]] = {}
    for cell in cells:
        for name, value in cell.items():
            if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < float("inf"):
                numbers.setdefault(name, set()).add(float(value))
    ranges = {name: max(values) / min(values) for name, values in numbers.items() if len(values) > 1}
    return sorted(ranges, key=lambda name: -ranges[name])


def _frozen(part: Part, cell: Params, *, cells: Sequence[Params], name: str) -> float | None:
    """The law at the smallest value of `name` instead of the cell's own."""
    if name not in cell:
        return None
    smallest = min(c[name] for c in cells if name in c)
    try:
        return part.predicted({**cell, name: smallest})
    except (ValueError, IndexError, KeyError, ZeroDivisionError):
        return None


def _try(part: Part, values: dict[str, Any]) -> float | None:
    try:
        return part.constant * said(part.law, values)
    except ValueError:
        return None


def _terms(part: Part, cell: Params) -> list[float]:
    """The values of the terms of a law that is a sum, at one cell; none where the law is no closed form."""
    if part.law.numeric is not None:
        return []
    values = {**part.law.defaults, **part.law_values(cell)}
    numbers = {part.law.symbols[k]: v for k, v in values.items() if k in part.law.symbols}
    expr = part.law.variant(**{k: v for k, v in values.items() if k in part.law.words})
    return [part.constant * float(term.subs(numbers)) for term in sympy.Add.make_args(expr)]


def _smallest_seen(part: Part, cell: Params) -> float:
    """The smallest term that is more than three margins: what a quick check should miss if it were not there."""
    terms = _terms(part, cell)
    seen = [t for t in terms if abs(t) > SEEN * part.margin * part.unit(cell)]
    return min(seen, key=abs) if len(terms) > 1 and seen else 0.0


# -- bounds, capacities, orders --------------------------------------------------------------------------------------


def _bound(part: Part) -> Iterator[tuple[str, Callable[[Cells], Part]]]:
    upper = part.law.relation.startswith("<")

    def wrong(cells: Cells) -> Part:
        ratios = [e.mean / part.predicted(c) for c, e in cells if part.predicted(c)]
        return _scaled(part, (max(ratios) * (1 - WRONG_SIDE)) if upper else (min(ratios) * (1 + WRONG_SIDE)))

    yield "bound 20 % on the wrong side", wrong


def _capacity(part: Part) -> Iterator[tuple[str, Callable[[Cells], Part]]]:
    if part.variable is not None:
        yield from _rate(part)
        return
    if part.law.relation[0] in "<>":
        # A bound on a capacity may have slack: it is moved to the wrong side of what was measured.
        upper = part.law.relation.startswith("<")

        def wrong(cells: Cells) -> Part:
            ratios = [cell.ratio for cell in judge(part, cells, level=OFF).cells]
            return _scaled(part, (max(ratios) * (1 - OFF)) if upper else (min(ratios) * (1 + OFF)))

        yield "capacity 25 % on the wrong side", wrong
        return
    yield "constant 25 % too small", _always(_scaled(part, 1 - OFF))
    yield "constant 25 % too large", _always(_scaled(part, 1 + OFF))


def _order(part: Part) -> Iterator[tuple[str, Callable[[Cells], Part]]]:
    upper = part.law.relation.startswith("<")

    def beyond(cell: Params) -> float:
        # A run at the limit itself is on both sides of it: the reversed order is a strict one.
        limit = part.predicted(cell)
        return limit + (1 if upper else -1) * 1e-9 * max(1.0, abs(limit))

    strict = _saying(part, beyond)
    yield "order reversed", _always(replace(strict, law=replace(strict.law, relation=">=" if upper else "<=")))


MAKERS: dict[str, Callable[[Part], Iterator[tuple[str, Callable[[Cells], Part]]]]] = {
    "rate": _rate,
    "identity": _equality,
    "constant": _equality,
    "bound": _bound,
    "capacity": _capacity,
    "order": _order,
}

REASONS: dict[str, dict[str, str]] = {
    "rate": {
        "wrong variable": "the right exponent is within twice the margin of 0",
        "swapped regime": "one exponent in all groups",
    },
    "identity": {
        "constant 25 % too large": "the law says 0; five margins are added instead",
        "swapped regime": "no word of the law makes a difference of five margins",
        "wrong variable": "no number of the grid makes a difference of five margins",
        "one term dropped": "the law is no sum in closed form, or its terms are below three margins",
    },
    "bound": {},
    "capacity": {"wrong variable": "the part has no variable", "swapped regime": "one exponent in all groups"},
    "order": {},
}
REASONS["constant"] = REASONS["identity"]
