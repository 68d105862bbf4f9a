"""A table of recorded numbers in the place of an experiment, so that a claim may speak of it."""

from functools import partial
from typing import Any
from zlib import crc32

from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import Experiment
from asymp.montecarlo.fit.table import read_table

__all__ = ["recorded"]

Rows = tuple[tuple[tuple[float, ...], float], ...]


def recorded(id: str, data: Any, *, x: str, y: str, where: str | None = None) -> Experiment:
    """An experiment that gives back a table's number at each of its sizes: for values without noise, one at a size.

    For noisy measurements there is `asymp.fit(...).verdict(law)`, which takes their noise from the table.

    >>> table = recorded("trapezoid", {"h": [0.5, 0.25], "error": [0.1, 0.025]}, x="h", y="error")
    >>> float(table.run(h=0.25, replicas=2).mean)
    0.025

    Args:
        id: the experiment's name.
        data: a CSV, JSONL or Parquet file, a mapping of columns, or a data frame.
        x: the column of sizes, or two with a comma; statements call them by these names.
        y: the column of values.
        where: a condition on rows, such as "h<0.1".
    """
    table = read_table(data, x=x, y=y, where=where)
    rows: Rows = tuple((tuple(size), value) for size, value in zip(table.x.tolist(), table.y.tolist(), strict=True))
    sizes = [size for size, _ in rows]
    if len(set(sizes)) < len(sizes):
        twice = next(size for size in sizes if sizes.count(size) > 1)
        raise ValueError(
            f"table {id!r} has several rows at {', '.join(f'{v:g}' for v in twice)}; a recorded table has one number a size: "
            "judge replicates by asymp.fit(...).verdict(law)"
        )
    # Another table is another version, so that numbers of the old one are not taken from the store.
    version = crc32(repr((table.variables, rows)).encode())
    return Experiment(id, partial(_value, (table.variables, rows)), version=version, deterministic=True)


def _value(table: tuple[tuple[str, ...], Rows], draw: Draw, **sizes: float) -> list[float]:
    variables, rows = table
    wanted = tuple(float(sizes[name]) for name in variables)
    for size, value in rows:
        if size == wanted:
            return [value] * draw.replicas
    raise ValueError(f"the table has no row at {', '.join(f'{k}={v:g}' for k, v in sizes.items())}")
