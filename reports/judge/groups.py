"""Cells that differ in one parameter only belong together: a rate's sizes, a capacity's sizes. And a few of many."""

from collections.abc import Sequence
from typing import Any, TypeVar

__all__ = ["groups_without", "spread"]

Value = TypeVar("Value")


def groups_without(
    measured: Sequence[tuple[dict[str, Any], Value]], name: str
) -> list[tuple[dict[str, Any], list[tuple[dict[str, Any], Value]]]]:
    """Groups of equal parameters but for `name`, each sorted by it, in the order in which they first appear."""
    groups: list[tuple[dict[str, Any], list[tuple[dict[str, Any], Value]]]] = []
    for params, value in measured:
        rest = {k: v for k, v in params.items() if k != name}
        for known, members in groups:
            if known == rest:
                members.append((params, value))
                break
        else:
            groups.append((rest, [(params, value)]))
    for _, members in groups:
        members.sort(key=lambda m: m[0][name])
    return groups


def spread(cells: Sequence[Value], most: int) -> list[Value]:
    """At most so many of the cells, from the first to the last."""
    if len(cells) <= most:
        return list(cells)
    return [cells[round(i * (len(cells) - 1) / max(1, most - 1))] for i in range(most)]
