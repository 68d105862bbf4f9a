"""The store as a table: one row a cell or one row a replica, CSV or Parquet."""

import csv
import json
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from asymp.montecarlo.store.cellfile import Cell
from asymp.montecarlo.store.folder import Store
from asymp.montecarlo.store.upkeep import every_cell

__all__ = ["export"]

BATCH = 10_000
NAMES = ("experiment", "version", "source", "params", "seed", "device")
PROVENANCE = ("asymp", "commit", "python", "torch", "numpy", "cpu", "device", "generator", "started", "command")


def export(store: Store, file: str | Path, *, values: bool = False) -> int:
    """Write the table, whole or not at all; the number of rows."""
    path = Path(file)
    writers = {".csv": _write_csv, ".parquet": _write_parquet}
    if path.suffix not in writers:
        raise ValueError(f"the output file must end in .csv or .parquet; got {path.name!r}")
    if path.suffix == ".parquet":
        _parquet()
    rows = (row for cell in every_cell(store) for row in (_replicas(cell) if values else _summary(cell)))
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}.part")
    try:
        count = writers[path.suffix](temporary, rows)
        os.replace(temporary, path)
    except OSError as error:
        raise ValueError(f"the table could not be written: {error.strerror}") from None
    finally:
        temporary.unlink(missing_ok=True)
    return count


def _names(cell: Cell) -> dict[str, Any]:
    named = {name: cell.names[name] for name in NAMES}
    return {"key": cell.key, **named, "params": json.dumps(named["params"], sort_keys=True)}


def _summary(cell: Cell) -> Iterator[dict[str, Any]]:
    origin = {f"provenance_{name}": cell.provenance.get(name) for name in PROVENANCE}
    yield {
        **_names(cell),
        "block": cell.names["block"],
        "first_block": cell.first,
        "last_block": cell.last - 1,
        "seconds": cell.seconds,
        **cell.statistics,
        **origin,
    }


def _replicas(cell: Cell) -> Iterator[dict[str, Any]]:
    start = cell.first * cell.names["block"]
    for index, value in enumerate(cell.values.tolist()):
        yield {**_names(cell), "replica": start + index, "value": value}


def _write_csv(path: Path, rows: Iterator[dict[str, Any]]) -> int:
    count = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        writer: csv.DictWriter[str] | None = None
        for row in rows:
            if writer is None:
                writer = csv.DictWriter(file, list(row))
                writer.writeheader()
            writer.writerow(row)
            count += 1
    return count


def _parquet() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ValueError("Parquet needs the extra: pip install 'asymp[parquet]'; or export to .csv") from None
    return pyarrow


def _write_parquet(path: Path, rows: Iterator[dict[str, Any]]) -> int:
    arrow = _parquet()
    batch: list[dict[str, Any]] = []
    count, writer, schema = 0, None, None

    def flush() -> None:
        nonlocal writer, schema
        table = arrow.Table.from_pylist(batch, schema=schema)
        if writer is None:
            # A column of nothing but nulls in the first batch may hold text in a later one.
            fields = [arrow.field(f.name, arrow.string()) if f.type == arrow.null() else f for f in table.schema]
            schema = arrow.schema(fields)
            table = table.cast(schema)
            writer = arrow.parquet.ParquetWriter(path, schema)
        writer.write_table(table)
        batch.clear()

    for row in rows:
        batch.append(row)
        count += 1
        if len(batch) >= BATCH:
            flush()
    if batch or writer is None:
        flush()
    assert writer is not None
    writer.close()
    return count
