"""Hypothesis strategies that follow from declarations: parameters from a law's domain, settings from a claim's grid.

`parameters(law)` draws values for a law: words from its choices, numbers from its typical range inside its domain,
sizes log-uniformly over at least a factor of ten. `drawn_cells(claim, part)` draws a setting at which a part of a claim can be
judged: the structure of one of its grid's cells with other sizes and numbers in it. Draws shrink towards small sizes
and the first words.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from hypothesis import reject
from hypothesis import strategies as st

from asymp.reports.declare import Part
from asymp.reports.judge.groups import groups_without, spread
from asymp.reports.properties.exceptions import Draw, draw_of
from asymp.theory import Domain, Law

__all__ = ["between", "drawn_cells", "parameters", "span_of"]

Cell = dict[str, Any]

# Sizes span at least this factor; a step from the low end of a range to its high end is a number of two such digits
# (Hypothesis prefers small numbers: two even digits are spread more evenly than one large number).
SPAN = 10
DIGIT = 64
# Parameters that count something: they are drawn anew, where other whole numbers (which input, which order of a moment)
# stay what they are in the grid.
SIZES = frozenset({"N", "M", "d", "T", "P", "n", "m", "S", "R", "D", "B", "K", "H"})
# Sizes that the claims tie to another size: the number stored P is a share of d.
TIED = {"P": "d"}


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


def between(low: float, high: float, *, whole: bool, inside: Domain | None = None) -> st.SearchStrategy[Any]:
    """Numbers of a range, evenly on a log scale where it spans a factor of ten, to four digits or whole."""
    logarithmic = low > 0 and high >= SPAN * low

    def at(digits: tuple[int, int]) -> Any:
        share = (DIGIT * digits[0] + digits[1]) / (DIGIT**2 - 1)
        value = low * (high / low) ** share if logarithmic else low + (high - low) * share
        return round(value) if whole else float(f"{value:.4g}")

    def allowed(value: Any) -> bool:
        return low <= value <= high and (inside is None or inside._problem(value) is None)

    digit = st.integers(0, DIGIT - 1)
    return st.tuples(digit, digit).map(at).filter(allowed)


def _valid(law: Law) -> Callable[[Cell], bool]:
    def holds(values: Cell) -> bool:
        try:
            law.validate(**values)
        except ValueError:
            return False
        return True

    return holds


def drawn_cells(claim: str, part: Part) -> st.SearchStrategy[list[Cell]]:
    """Cells at which a part can be judged: one cell, or a rate's or capacity's sizes at one drawn setting."""
    grid = [*part.cells("quick", {})]
    hook = draw_of(claim, part.name)
    if hook is not None and hook.cells is not None:
        return hook.cells()
    if part.kind in ("rate", "capacity"):
        return _groups(part, grid, hook)
    return _one(part, grid, grid, hook, keep=()).map(lambda cell: [cell])


def _one(
    part: Part, grid: Sequence[Cell], bases: Sequence[Cell], hook: Draw | None, keep: Sequence[str]
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


def _range(part: Part, grid: Sequence[Cell], name: str, hook: Draw | None) -> st.SearchStrategy[Any] | None:
    """How a number is drawn: None if it stays what it is in the grid."""
    found = span_of(part, grid, name, hook)
    return None if found is None else between(found[0], found[1], whole=all(float(v).is_integer() for v in found[2]))


def span_of(
    part: Part, grid: Sequence[Cell], name: str, hook: Draw | None
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
    if low == high and part.to_law is None and name not in part.law.domain:
        return None  # the law does not speak of it: it says which experiment is meant
    if name in SIZES and whole:
        # Upwards only: a law for large sizes promises nothing below the sizes of its grid.
        return low, max(high, SPAN * low), values
    if whole or low == high:
        return None
    return low, high, values


def _groups(part: Part, grid: Sequence[Cell], hook: Draw | None) -> st.SearchStrategy[list[Cell]]:
    """The sizes of a group at another setting; those of a capacity move with what the law predicts."""
    across = part.size if part.kind == "capacity" else part.variable
    assert across is not None
    # what belongs together is repaired once the sizes are there
    fit = hook.fit if hook is not None and hook.fit is not None else dict
    hook = replace(hook, fit=None) if hook is not None else None
    keep = [name for name in (across, part.variable) if name is not None]
    groups = [(rest, [p for p, _ in members]) for rest, members in groups_without([(c, None) for c in grid], across)]
    if part.kind == "capacity" and part.variable is not None:
        # an exponent of capacities needs all its groups; the other numbers move together
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
        if part.kind == "capacity":
            try:
                factor = part.predicted(new) / part.predicted(rest)
            except ValueError:
                reject()  # outside the law's domain
            sizes = sorted({max(2, round(size * factor)) for size in sizes})
        return [fit({**new, across: size}) for size in sizes]

    return drawn()


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _alike(value: float, like: Any) -> Any:
    return max(1, round(value)) if isinstance(like, int) else value


def distinct(drawn: Sequence[Mapping[str, Any]]) -> int:
    """How many settings are different."""
    return len({repr(sorted(cell.items())) for cell in drawn})
