"""Cells with their replicas side by side: cells of one part differ in spread and size of error, and so in what they need.

An interval within the margin m takes about (2.3 cv/m)^2 replicas, cv the spread of a replica over its mean, and for an
error E in [0, 1] no fewer than 5/(m E), because a finite-sample interval cannot rule out what is rarer than one in n.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

__all__ = ["Cell", "Sized", "cells_of", "replicas_of"]

Cell = dict[str, Any]
Sized = Mapping[str, Sequence[tuple[Cell, int]]]
"""By preset ('quick' and 'standard'): cells with their replicas."""

PAPER = 4
"""A paper's check takes the cells of the standard one with so many times the replicas, unless it has its own."""


def cells_of(table: Sized) -> dict[str, list[Cell]]:
    """The cells of every preset."""
    cells = {preset: [cell for cell, _ in rows] for preset, rows in table.items()}
    return {"paper": cells["standard"], **cells}


def replicas_of(table: Sized) -> dict[str, Callable[[Mapping[str, Any]], int]]:
    """The replicas of every cell; a cell that the user has changed takes the most of them."""
    counts = {preset: _counts(rows) for preset, rows in table.items()}
    return {"paper": _counts([(cell, PAPER * n) for cell, n in table["standard"]]), **counts}


def _counts(rows: Sequence[tuple[Cell, int]]) -> Callable[[Mapping[str, Any]], int]:
    most = max(n for _, n in rows)
    return lambda cell: next((n for known, n in rows if known == cell), most)
