"""Over which factor the sizes of a claim are drawn on every commit, all its parts together, and why where it is less than ten.

A part may draw a size over a small range, because of what it costs or says; the claim is narrow in that size only if no
other part draws it over a larger one.
"""

from collections.abc import Iterator
from typing import Any

from asymp.reports.claimbook import claims
from asymp.reports.declare import Part
from asymp.reports.index import INDEX
from asymp.reports.properties.exceptions import Draw, draw_of
from asymp.reports.properties.strategies import SIZES, SPAN, TIED, span_of

__all__ = ["narrow", "sizes_drawn"]

FIXED = "the law does not speak of it"
Ends = tuple[float, float]


def sizes_drawn(claim: str) -> dict[str, list[tuple[str, Ends, str]]]:
    """By size: (part, ends of its range, reason) for the parts that are drawn on every commit."""
    found: dict[str, list[tuple[str, Ends, str]]] = {}
    for part in claims[claim].parts:
        hook = draw_of(claim, part.name)
        if hook is not None and hook.examples == 0:
            continue
        for name, ends in _ends(part, hook):
            found.setdefault(name, []).append((part.name, ends, FIXED if hook is None else hook.reason))
    return found


def _ends(part: Part, hook: Draw | None) -> Iterator[tuple[str, Ends]]:
    grid: list[dict[str, Any]] = part.cells("quick", {})
    for name in dict.fromkeys(name for cell in grid for name in cell if name in SIZES and name not in TIED):
        values = [v for cell in grid if isinstance(v := cell.get(name), int | float) and v < float("inf")]
        if not values or min(values) < 0 or not all(float(v).is_integer() for v in values):
            continue  # infinitely many, or a number that only shares the letter of a size
        if hook is not None and hook.cells is not None:
            span = hook.ranges.get(name)  # a strategy of its own says here what it draws
        else:
            found = None if name in (part.variable, part.size) else span_of(part, grid, name, hook)
            span = None if found is None else found[:2]
        yield name, (min(values), max(values)) if span is None else span


def _factor(ends: Ends) -> float:
    # a size that may be 0, such as the width of an MLP that is left out, is at least 1 otherwise
    return ends[1] / max(ends[0], 1)


def narrow() -> list[tuple[str, str, Ends, str]]:
    """(claim, size, its widest range, reason) where no part of a claim draws a size over a factor of ten."""
    found = []
    for claim in INDEX:
        for size, drawn in sizes_drawn(claim).items():
            _, ends, reason = max(drawn, key=lambda one: _factor(one[1]))
            if _factor(ends) < SPAN:
                found.append((claim, size, ends, reason))
    return found
