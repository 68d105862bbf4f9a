"""Looking after a store: a summary of what it holds, a check of every file, clearing away, and its cells as a table."""

import csv
import json
import os
import secrets
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from asymp.montecarlo.running.series import Cell
from asymp.montecarlo.running.store import ASIDE, TEMPORARY, Store

SECONDS_BEFORE_LEFT_OVER = 3600  # a temporary file that old belongs to no writer that still lives
BATCH = 10_000
NAMES = ("experiment", "version", "source", "params", "seed", "device")
PROVENANCE = ("asymp", "commit", "python", "torch", "numpy", "cpu", "device", "generator", "started", "command")


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
