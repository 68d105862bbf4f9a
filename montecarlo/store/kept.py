"""Blocks one after the other, from the store where they are there: for runs that decide while looking when to stop."""

import contextlib
import time
from collections.abc import Iterator
from datetime import UTC, datetime

import numpy as np

from asymp.montecarlo.store.cellfile import Cell
from asymp.montecarlo.store.folder import Store
from asymp.montecarlo.store.provenance import command_line, machine
from asymp.montecarlo.store.series import Series

__all__ = ["kept_blocks"]


def kept_blocks(series: Series, store: Store) -> Iterator[np.ndarray]:
    """The blocks of a series without end; each one that has to be computed is kept as a cell of its own."""
    block, index = series.experiment.block, 0
    while True:
        found = next((r for r in sorted(store.ranges(series.key)) if r[0] <= index < r[1]), None)
        cell = store.read(series.key, *found) if found is not None else None
        if found is not None and cell is None:
            continue  # it was damaged or has gone, and is listed no more
        if cell is not None:
            for first in range(index, cell.last):
                yield cell.values[(first - cell.first) * block :][:block]
            index = cell.last
            continue
        values = _compute(series, store, index)
        yield values
        index += 1


def _compute(series: Series, store: Store, index: int) -> np.ndarray:
    started, start = datetime.now(UTC), time.perf_counter()
    values = next(series.experiment.blocks(seed=series.seed, device=series.device, first_block=index, **series.params))
    origin = {
        **machine(series.device),
        "started": started.isoformat(timespec="seconds"),
        "command": command_line(store.folder),
    }
    if series.storable:
        cell = Cell(series.key, series.names, index, index + 1, values, time.perf_counter() - start, origin)
        # A store that cannot be written makes a slower run the next time, no wrong one now.
        with contextlib.suppress(OSError):
            store.write(cell)
    return values
