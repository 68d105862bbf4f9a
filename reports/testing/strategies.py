"""Hypothesis strategies that follow from declarations: parameters from a law's domain, settings from a claim's grid.

`parameters(law)` draws values for a law: words from its choices, numbers from its typical range inside its domain,
sizes log-uniformly over at least a factor of ten. `drawn_cells(statement)` draws a setting at which a part of a claim can be
judged: the structure of one of its grid's cells with other sizes and numbers in it. Draws shrink towards small sizes
and the first words.

`narrow()` says over which factor the sizes of a claim are drawn on every commit, all its parts together, and why where it is
less than ten. A part may draw a size over a small range, because of what it costs or says; the claim is narrow in that size
only if no other part draws it over a larger one.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from hypothesis import reject
from hypothesis import strategies as st

from asymp.reports.claims import claims, index
from asymp.reports.grid import groups_without, spread
from asymp.reports.kinds import Statement
from asymp.reports.kinds.drawing import SPAN, Draw, between
from asymp.theory import Law

Cell = dict[str, Any]
Ends = tuple[float, float]

# Parameters that count something: they are drawn anew, where other whole numbers (which input, which order of a moment)
# stay what they are in the grid.
SIZES = frozenset({"N", "M", "d", "T", "P", "n", "m", "S", "R", "D", "B", "K", "H"})
# Sizes that the claims tie to another size: the number stored P is a share of d.
TIED = {"P": "d"}
FIXED = "the law does not speak of it"


def parameters(law: Law, **fixed: Any) -> st.SearchStrategy[Cell]:
    """Values for every parameter of a law that is not `fixed`, inside its domain and its conditions.

    >>> from asymp.theory import laws
    >>> from hypothesis import find
    >>> sorted(find(parameters(laws["missing-mass:asymptotic"], alpha=2), lambda values: True))
    ['T', 'alpha']
    """
    if not isinstance(law, Law):
        raise ValueError(f"law must be made by asymp.theory.law(...), or one of laws[...]; got {type(law).__name__}")
    law.check_names(list(fixed))
    draws = {name: _parameter(law, name) for name in law.domain if name not in fixed}
    return st.fixed_dictionaries({**draws, **{k: st.just(v) for k, v in fixed.items()}}).filter(_valid(law))


def _parameter(law: Law, name: str) -> st.SearchStrategy[Any]:
    domain = law.domain[name]
    if domain.kind == "choice":
        return st.sampled_from(domain.choices)
    if name in law.typical:
        low, high = law.typical[name]
        if low > 0 and (domain.kind == "integer" or name in SIZES):
            high = max(high, min(SPAN * low, domain.high))
        return between(low, high, whole=domain.kind == "integer", inside=domain)
    if law.defaults.get(name) is not None:
        return st.just(law.defaults[name])
    low = domain.low if math.isfinite(domain.low) else -1.0
    high = domain.high if math.isfinite(domain.high) else max(low, 1.0) * SPAN
    return between(low, high, whole=domain.kind == "integer", inside=domain)


def _valid(law: Law) -> Callable[[Cell], bool]:
    def holds(values: Cell) -> bool:
        try:
            law.validate(**values)
        except ValueError:
            return False
        return True

    return holds


def drawn_cells(part: Statement) -> st.SearchStrategy[list[Cell]]:
    """Cells at which a part can be judged: one cell, or a rate's or capacity's sizes at one drawn setting."""
    grid = [*part.cells("quick", {})]
    hook = part.draw
    if hook is not None and hook.cells is not None:
        return hook.cells()
    if part.across is not None:
        return _groups(part, part.across, grid, hook)
    return _one(part, grid, grid, hook, keep=()).map(lambda cell: [cell])


def _one(
    part: Statement, grid: Sequence[Cell], bases: Sequence[Cell], hook: Draw | None, keep: Sequence[str]
) -> st.SearchStrategy[Cell]:
    """A cell with the structure of one of the `bases`, its numbers drawn from the ranges of the grid."""
    names = dict.fromkeys(name for cell in grid for name in cell if name not in keep)
    found = {name: _range(part, grid, name, hook) for name in names}
    ranges = {name: span for name, span in found.items() if span is not None}

    @st.composite
    def drawn(draw: Any) -> Cell:
        base = draw(st.sampled_from(list(bases)))
        cell = dict(base)
        for name, span in ranges.items():
            if name in base and _number(base[name]):
                cell[name] = draw(span)
        for name, size in TIED.items():
            if name in base and size in base and name not in ranges and _number(base[name]):
                cell[name] = _alike(base[name] * cell[size] / base[size], base[name])
        return hook.fit(cell) if hook is not None and hook.fit is not None else cell

    return drawn()


def _range(part: Statement, grid: Sequence[Cell], name: str, hook: Draw | None) -> st.SearchStrategy[Any] | None:
    """How a number is drawn: None if it stays what it is in the grid."""
    found = _span_of(part, grid, name, hook)
    return None if found is None else between(found[0], found[1], whole=all(float(v).is_integer() for v in found[2]))


def _span_of(
    part: Statement, grid: Sequence[Cell], name: str, hook: Draw | None
) -> tuple[float, float, Sequence[float]] | None:
    """From where to where a number of a part is drawn, and its values in the grid: None if it stays what it is there."""
    said = hook.ranges.get(name, ()) if hook is not None else ()
    values = [cell[name] for cell in grid if name in cell and _number(cell[name])]
    if said is None or not values or (name in TIED and not said):
        return None
    if said:
        return (*said, values)
    whole = all(float(v).is_integer() for v in values)
    low, high = min(values), max(values)
    if low == high and part.to_law is None and name not in part.speaks_of:
        return None  # the law does not speak of it: it says which experiment is meant
    if name in SIZES and whole:
        # Upwards only: a law for large sizes promises nothing below the sizes of its grid.
        return low, max(high, SPAN * low), values
    if whole or low == high:
        return None
    return low, high, values


def _groups(part: Statement, across: str, grid: Sequence[Cell], hook: Draw | None) -> st.SearchStrategy[list[Cell]]:
    """The sizes of a group at another setting; those of a capacity move with what the law predicts."""
    # what belongs together is repaired once the sizes are there
    fit = hook.fit if hook is not None and hook.fit is not None else dict
    hook = replace(hook, fit=None) if hook is not None else None
    keep = [name for name in (across, part.variable_name) if name is not None]
    groups = [(rest, [p for p, _ in members]) for rest, members in groups_without([(c, None) for c in grid], across)]
    if part.needs_all_groups:
        # the other numbers move together
        rests = [rest for rest, _ in groups]
        return _one(part, grid, rests[:1], hook, keep).map(
            lambda drawn: [
                fit({**cell, **{k: v for k, v in drawn.items() if k not in keep}})
                for _, cells in groups
                for cell in cells
            ]
        )

    @st.composite
    def drawn(draw: Any) -> list[Cell]:
        rest, cells = draw(st.sampled_from(groups))
        new = draw(_one(part, grid, [rest], hook, keep))
        sizes = [cell[across] for cell in cells]
        if hook is not None and hook.sizes is not None:
            sizes = spread(sizes, hook.sizes)
        try:
            sizes = part.moved(sizes, new, rest)
        except ValueError:
            reject()  # outside the law's domain
        return [fit({**new, across: size}) for size in sizes]

    return drawn()


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _alike(value: float, like: Any) -> Any:
    return max(1, round(value)) if isinstance(like, int) else value


def _sizes_drawn(claim: str) -> dict[str, list[tuple[str, Ends, str]]]:
    """By size: (part, ends of its range, reason) for the parts that are drawn on every commit."""
    found: dict[str, list[tuple[str, Ends, str]]] = {}
    for part in claims[claim].parts:
        hook = part.draw
        if hook is not None and hook.examples == 0:
            continue
        for name, ends in _ends(part, hook):
            found.setdefault(name, []).append((part.name, ends, FIXED if hook is None else hook.reason))
    return found


def _ends(part: Statement, hook: Draw | None) -> Iterator[tuple[str, Ends]]:
    grid: list[dict[str, Any]] = part.cells("quick", {})
    for name in dict.fromkeys(name for cell in grid for name in cell if name in SIZES and name not in TIED):
        values = [v for cell in grid if isinstance(v := cell.get(name), int | float) and v < float("inf")]
        if not values or min(values) < 0 or not all(float(v).is_integer() for v in values):
            continue  # infinitely many, or a number that only shares the letter of a size
        if hook is not None and hook.cells is not None:
            span = hook.ranges.get(name)  # a strategy of its own says here what it draws
        else:
            found = None if name in (part.variable_name, part.across) else _span_of(part, grid, name, hook)
            span = None if found is None else found[:2]
        yield name, (min(values), max(values)) if span is None else span


def _factor(ends: Ends) -> float:
    # a size that may be 0, such as the width of an MLP that is left out, is at least 1 otherwise
    return ends[1] / max(ends[0], 1)


def narrow() -> list[tuple[str, str, Ends, str]]:
    """(claim, size, its widest range, reason) where no part of a claim draws a size over a factor of ten."""
    found = []
    for claim in index():
        for size, drawn in _sizes_drawn(claim).items():
            _, ends, reason = max(drawn, key=lambda one: _factor(one[1]))
            if _factor(ends) < SPAN:
                found.append((claim, size, ends, reason))
    return found
