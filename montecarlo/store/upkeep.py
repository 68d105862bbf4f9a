"""Looking after a store: a summary of what it holds, a check of every file, and clearing away."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from asymp.montecarlo.store.cellfile import Cell
from asymp.montecarlo.store.folder import ASIDE, TEMPORARY, Store

__all__ = ["Held", "Removed", "clear_away", "every_cell", "holdings", "verify"]

SECONDS_BEFORE_LEFT_OVER = 3600  # a temporary file that old belongs to no writer that still lives


@dataclass(frozen=True)
class Held:
    """What a store holds of one series."""

    key: str
    names: dict[str, Any]
    cells: int
    blocks: int
    replicas: int
    seconds: float


def every_cell(store: Store) -> Iterator[Cell]:
    """All sound cells; the damaged ones are set aside on the way."""
    for key, (first, last) in list(store.all()):
        cell = store.read(key, first, last)
        if cell is not None:
            yield cell


def holdings(store: Store) -> list[Held]:
    """One entry a series, by experiment and key."""
    found: dict[str, list[Cell]] = {}
    for cell in every_cell(store):
        found.setdefault(cell.key, []).append(cell)
    held = [
        Held(
            key=key,
            names=cells[0].names,
            cells=len(cells),
            blocks=sum(c.last - c.first for c in cells),
            replicas=sum(len(c.values) for c in cells),
            seconds=sum(c.seconds for c in cells),
        )
        for key, cells in found.items()
    ]
    return sorted(held, key=lambda h: (h.names["experiment"], str(h.names["params"]), h.key))


def verify(store: Store) -> tuple[int, list[tuple[str, str]]]:
    """The number of sound cells, and the damaged ones that were set aside, with reasons."""
    sound = sum(1 for _ in every_cell(store))
    return sound, list(store.aside)


@dataclass(frozen=True)
class Removed:
    """What was cleared away (or would be): numbers of files and bytes."""

    leftovers: int
    damaged: int
    outdated: int
    size: int


def clear_away(store: Store, *, outdated: Callable[[Cell], bool], dry_run: bool = False) -> Removed:
    """Remove leftovers of killed writers, damaged files, and cells that `outdated` says nobody will look for."""
    now, doomed = time.time(), []
    counts = {"leftovers": 0, "damaged": 0, "outdated": 0}
    for cell in every_cell(store):
        if outdated(cell):
            doomed.append(store.path(cell.key, cell.first, cell.last))
            counts["outdated"] += 1
    for folder, what, age in ((TEMPORARY, "leftovers", SECONDS_BEFORE_LEFT_OVER), (ASIDE, "damaged", 0)):
        place = store.folder / folder
        for file in sorted(place.iterdir()) if place.is_dir() else []:
            if now - file.stat().st_mtime >= age:
                doomed.append(file)
                counts[what] += 1
    size = sum(file.stat().st_size for file in doomed)
    if not dry_run:
        for file in doomed:
            file.unlink(missing_ok=True)
        store.forget_listing()
    return Removed(size=size, **counts)
