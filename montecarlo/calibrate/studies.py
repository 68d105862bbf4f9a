"""What the calibrations have in common: many studies of each of some cells, in several processes, and a table of them.

A cell is a situation whose truth is known, fixed in advance. Seeds come from the seed and the cell's name, so that a
cell's figures depend neither on which others are run nor on where.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from functools import partial
from typing import TypeVar

import numpy as np

from asymp.montecarlo.running.pools import pool_of

C = TypeVar("C")
R = TypeVar("R")


def check_counts(**counts: int) -> None:
    """ValueError if one of the counts, given by name, is no integer >= 1."""
    for name, value in counts.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ValueError(f"{name} must be an integer >= 1; got {value!r}")


def rows_of(row: Callable[..., R], cells: Sequence[C], *, studies: int, seed: int, workers: int) -> list[R]:
    """row(cell, studies=..., seed=...) of every cell, in so many processes; with more than one, both must be picklable."""
    check_counts(studies=studies, workers=workers)
    found = dict(each(partial(row, studies=studies, seed=seed), cells, workers=workers))
    return [found[cell] for cell in cells]


def summarised(found: Sequence[Mapping[str, float]], *shares: str) -> dict[str, float]:
    """Of what every study found, by name: the share of studies, where that is asked for, else the median."""
    return {
        name: float((np.mean if name in shares else np.median)([study[name] for study in found])) for name in found[0]
    }


def each(function: Callable[[C], R], tasks: Sequence[C], *, workers: int) -> Iterator[tuple[C, R]]:
    """Every task with function(task), as they are finished by so many processes."""
    pool, finished = pool_of(workers), False
    try:
        if pool.local:
            yield from ((task, function(task)) for task in tasks)
        else:
            begun = {pool.submit(function, task): task for task in tasks}
            yield from ((begun[done], done.result()) for done in as_completed(begun))
        finished = True
    finally:
        pool.close(now=not finished)


def table_lines(columns: str, rows: Sequence[object]) -> list[str]:
    """A line of titles and one for each row. Columns are fields of the rows with their formats: "name coverage:.3f"."""
    titles = [column.partition(":")[0].replace("_", " ") for column in columns.split()]
    lines = [titles, *([f"{{0.{column}}}".format(row) for column in columns.split()] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return ["  ".join([first.ljust(widths[0]), *map(str.rjust, rest, widths[1:])]).rstrip() for first, *rest in lines]
