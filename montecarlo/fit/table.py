"""A table of measurements, from a file or from arrays, checked before any work: sizes, losses, and what is known of noise.

Nothing in it is executed. Columns whose names make it plain are guessed, and `notes` says so.
"""

import csv
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np

from asymp.montecarlo.fit.forms import Array

__all__ = ["Table", "read_table"]

LOSSES = ("loss", "val loss", "validation loss", "test loss", "eval loss", "log perplexity", "error", "error rate", "y")
MODELS = ("n", "params", "parameters", "model size", "num params", "n params", "size", "non embedding params")
TOKENS = (
    "d",
    "tokens",
    "training tokens",
    "num tokens",
    "examples",
    "seen examples",
    "samples",
    "data",
    "dataset size",
)
FLOPS = ("c", "flop", "flops", "training flop", "training flops", "compute")
OTHERS = ("x", "h", "width", "step", "steps")
CONDITION = re.compile(r"\s*(.+?)\s*(<=|>=|==|<|>)\s*([+-]?[\d.]+(?:[eE][+-]?\d+)?)\s*")
FLOP_WORDS = re.compile(r"\bflops?\b|\bcompute\b")


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of a table.

    `x`: the sizes, a column for each of `variables`. `y`: the losses, called `quantity`. `run`: which run a row is a checkpoint
    of. `error`: the standard error of log y. `notes`: what was guessed, computed or left out.
    """

    variables: tuple[str, ...]
    quantity: str
    x: Array
    y: Array
    run: Sequence[str] | None = None
    error: Array | None = None
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.y)


def read_table(
    data: Any,
    *,
    x: str | Sequence[str] | None = None,
    y: str | None = None,
    by: str | None = None,
    run: str | None = None,
    error: str | None = None,
    trials: str | float | None = None,
    where: str | None = None,
) -> Table:
    """The table that a file (CSV, JSONL, Parquet), a mapping of arrays or a data frame holds; see `asymp.fit`."""
    columns = _columns(data)
    if not columns or not _length(columns):
        raise ValueError("the table has no rows; a fit needs several sizes and their losses")
    y, by, run, error, where = (None if name is None else str(name) for name in (y, by, run, error, where))
    sizes = _kept_rows(columns, where)
    notes = [f"rows with {where} only: {len(sizes)} of {_length(columns)}"] if where else []
    sizes = _once(columns, sizes, notes, from_file=isinstance(data, str | Path))
    wanted, quantity = _choose(columns, x, y, notes)
    number = None if str(trials) in columns else _number(trials)
    counts = None if trials is None or number is not None else str(trials)
    _check_roles(
        [*(("a size", v) for v in wanted), ("the loss", quantity), ("its error", error), ("its trials", counts)]
    )
    loss = _numbers(columns, quantity, sizes)
    found = {name: _numbers(columns, name, sizes) for name in wanted}
    for name, values in {**found, quantity: loss}.items():
        _check_positive(name, values, sizes, trials is not None and name == quantity)
    found = _without_flop(found, sizes, notes)
    table = np.stack(list(found.values()), axis=1)
    for name, values in {**found, quantity: loss}.items():
        if np.ptp(values) == 0:
            needs = "losses that vary" if values is loss else "several sizes"
            raise ValueError(f"all rows have {name} = {values[0]:g}: a fit needs {needs}")
    if by is not None:
        _column(columns, by, sizes)
    runs = None if run is None else _text(columns, run, sizes)
    spread = None if error is None else _numbers(columns, error, sizes) / loss
    if trials is not None:
        if error is not None:
            raise ValueError("give --error or --trials, not both: each says how uncertain a row is")
        n = np.full(len(loss), number or 0.0) if counts is None else _numbers(columns, counts, sizes)
        if (loss >= 1).any() or (n < 1).any():
            raise ValueError(f"with trials, {quantity} must be a share below 1 and trials at least 1")
        spread = np.sqrt((1 - loss) / (loss * n))
    if spread is not None and not ((spread > 0).all() and np.isfinite(spread).all()):
        raise ValueError(f"{error} must be positive in every row: a row without uncertainty has no finite weight")
    return Table(tuple(found), quantity, table, loss, runs, spread, tuple(notes))


def _without_flop(sizes: dict[str, Array], rows: Sequence[int], notes: list[str]) -> dict[str, Array]:
    """Model sizes and tokens, in this order, where one of two columns counts FLOP: 6 for each parameter and token."""
    plain = {_plain(name): name for name in sizes}
    counted = {"c"} & set(plain) if set(plain) & {*MODELS, *TOKENS} else set()
    flop = [plain[name] for name in plain if FLOP_WORDS.search(name) or name in counted]
    if len(sizes) != 2 or len(flop) != 1:
        return sizes
    (other,) = set(sizes) - set(flop)
    new = "params" if _plain(other) in TOKENS else "tokens"
    values = sizes[flop[0]] / (6 * sizes[other])
    if values.min() < 1:
        i = int(np.argmin(values))
        raise ValueError(
            f"row {rows[i] + 1} has {flop[0]} / (6 {other}) = {values[i]:.2g} {new}; is {flop[0]} counted in FLOP?"
        )
    notes.append(f"{new} computed as {flop[0]} / (6 {other})")
    return {new: values, other: sizes[other]} if new == "params" else {other: sizes[other], new: values}


def _columns(data: Any) -> dict[str, list[Any]]:
    """The columns by name."""
    if isinstance(data, str | Path):
        return _read(Path(data))
    if hasattr(data, "to_pydict"):  # a table of pyarrow's
        return dict(data.to_pydict())
    if hasattr(data, "columns") and hasattr(data, "__getitem__"):
        return {str(name): list(data[name]) for name in data.columns}
    if isinstance(data, Mapping):
        found = {str(name): list(values) for name, values in data.items() if hasattr(values, "__len__")}
        lengths = {len(values) for values in found.values()}
        if not found or len(found) < len(data) or len(lengths) > 1:
            raise ValueError("a mapping must hold columns of the same length, such as {'params': [...], 'loss': [...]}")
        return found
    raise ValueError(f"data must be a file, a mapping of columns or a data frame; got {type(data).__name__}")


def _read(path: Path) -> dict[str, list[Any]]:
    if not path.is_file():
        raise ValueError(f"there is no file {str(path)!r}; give a CSV, JSONL or Parquet file")
    if path.suffix == ".parquet":
        try:
            from pyarrow import parquet
        except ModuleNotFoundError:
            raise ValueError('reading Parquet needs pyarrow; run: pip install "asymp[parquet]"') from None
        try:
            return _columns(parquet.read_table(path))
        except (OSError, ValueError) as problem:
            raise ValueError(f"{path.name} is no Parquet file: {problem}") from None
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{path.name} is not text; give a CSV or JSONL file in UTF-8, or a .parquet file") from None
    rows = _json_rows(text, path.name) if path.suffix in (".jsonl", ".ndjson", ".json") else _csv_rows(text, path.name)
    if not rows:
        raise ValueError(f"{path.name} has no rows below its header")
    return {str(name): [row.get(name) for row in rows] for name in dict.fromkeys(key for row in rows for key in row)}


def _csv_rows(text: str, name: str) -> list[dict[str, Any]]:
    first = text.partition("\n")[0]
    separator = max(",;\t", key=first.count)
    reader = csv.DictReader(text.splitlines(), delimiter=separator)
    header = [column.strip() for column in reader.fieldnames or []]
    if len(set(header)) < len(header) or not header:
        raise ValueError(f"the header of {name} must name each column once; got {', '.join(header) or 'nothing'}")
    if all(_number(column) is not None for column in header):
        raise ValueError(
            f"the first line of {name} must name the columns, such as params,loss; got {', '.join(header)}"
        )
    reader.fieldnames = header
    try:
        rows = list(reader)
    except csv.Error as problem:
        raise ValueError(f"{name} is no CSV file: {problem}") from None
    for line, row in enumerate(rows, start=2):
        if None in row or None in row.values():
            raise ValueError(f"line {line} of {name} has another number of columns than the header, {len(header)}")
    return rows


def _json_rows(text: str, name: str) -> list[dict[str, Any]]:
    rows = []
    for line, part in enumerate(text.splitlines(), start=1):
        if part.strip():
            try:
                row = json.loads(part)
            except (ValueError, RecursionError):
                row = None
            if not isinstance(row, dict):
                raise ValueError(f'line {line} of {name} is no JSON object; a line is {{"params": 1e8, "loss": 3.1}}')
            rows.append(row)
    return rows


def _length(columns: Mapping[str, list[Any]]) -> int:
    return len(next(iter(columns.values())))


def _kept_rows(columns: Mapping[str, list[Any]], where: str | None) -> list[int]:
    every = list(range(_length(columns)))
    if where is None:
        return every
    match = CONDITION.fullmatch(where)
    if not match:
        raise ValueError(f"where must be a column, a comparison and a number, such as 'loss<3.2'; got {where!r}")
    values, limit = _numbers(columns, match[1], every), float(match[3])
    holds = {
        "<": values < limit,
        "<=": values <= limit,
        ">": values > limit,
        ">=": values >= limit,
        "==": values == limit,
    }
    kept = np.flatnonzero(holds[match[2]]).tolist()
    if not kept:
        raise ValueError(f"no row has {where}")
    return kept


def _choose(
    columns: Mapping[str, list[Any]], x: str | Sequence[str] | None, y: str | None, notes: list[str]
) -> tuple[list[str], str]:
    """The columns of sizes and of losses, guessed where they are not given and their names make it plain."""
    named = {_plain(name): name for name in columns}

    def known(names: Sequence[str]) -> list[str]:
        return [named[name] for name in names if name in named]

    quantity = y
    if quantity is None:
        found = known(LOSSES)
        if not found:
            raise ValueError(f"no column is called loss: say which it is with y (--y); there are {', '.join(columns)}")
        quantity = found[0]
        notes.append(f"{quantity} taken for the loss")
    if x is not None:
        parts = x.split(",") if isinstance(x, str) else x if isinstance(x, Iterable) else [x]
        wanted = [str(part).strip() for part in parts]
        if not 1 <= len(wanted) <= 2 or len(set(wanted)) < len(wanted):
            raise ValueError(f"x must name one column of sizes or two, such as 'params,tokens'; got {x!r}")
        return wanted, quantity
    models, tokens, flops, others = (known(names)[:1] for names in (MODELS, TOKENS, FLOPS, OTHERS))
    wanted = models + (tokens or flops) if models else tokens or flops or others
    wanted = [name for name in wanted if name != quantity]
    wanted = [name for name in wanted if len(set(map(str, columns[name]))) > 1] or wanted[:1]
    if not wanted:
        raise ValueError(f"no column is plainly a size: say which with x (--x); there are {', '.join(columns)}")
    notes.append(f"{' and '.join(wanted)} taken for the size{'s' if len(wanted) > 1 else ''}")
    return wanted, quantity


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]+", " ", name).strip().lower()


def _column(columns: Mapping[str, list[Any]], name: str, rows: Sequence[int]) -> list[Any]:
    if name not in columns:
        near = get_close_matches(name, columns, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"there is no column {name!r}; there are {', '.join(columns)}{hint}")
    return [columns[name][i] for i in rows]


def _text(columns: Mapping[str, list[Any]], name: str, rows: Sequence[int]) -> list[str]:
    return [str(value) for value in _column(columns, name, rows)]


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def _check_roles(roles: Sequence[tuple[str, str | None]]) -> None:
    """Raise ValueError if a column is named for two things."""
    said: dict[str, str] = {}
    for role, name in roles:
        if name is not None and said.setdefault(name, role) != role:
            raise ValueError(f"the column {name!r} cannot be both {said[name]} and {role}; name a column for each")


def _number(value: Any) -> float | None:
    """The finite number that a cell or a text holds, or None."""
    try:
        number = math.nan if isinstance(value, bool | np.bool_ | complex) else float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _numbers(columns: Mapping[str, list[Any]], name: str, rows: Sequence[int]) -> Array:
    found = []
    for row, value in zip(rows, _column(columns, name, rows), strict=True):
        number = _number(value)
        if number is None:
            raise ValueError(f"row {row + 1} has {name} = {_brief(value)}; every row needs a finite number there")
        found.append(number)
    return np.array(found)


def _check_positive(name: str, values: Array, rows: Sequence[int], counted: bool) -> None:
    if (values > 0).all():
        return
    i = int(np.argmin(values))
    cure = "; for counts without an error use asymp.fit_exponent(..., counts=trials)" if counted else ""
    raise ValueError(
        f"row {rows[i] + 1} has {name} = {values[i]:g}; sizes and losses must be above 0, logarithms are taken{cure}"
    )


def _once(columns: Mapping[str, list[Any]], rows: Sequence[int], notes: list[str], *, from_file: bool) -> list[int]:
    """Rows without those that are there twice, which would count as two measurements; a file with such rows is refused."""
    seen: dict[tuple[str, ...], int] = {}
    for i in rows:
        key = tuple(str(values[i]) for values in columns.values())
        if key in seen and from_file:
            raise ValueError(
                f"rows {seen[key] + 1} and {i + 1} are the same in every column; leave one out, or give replicates a column of "
                "their own, such as a seed (--by)"
            )
        seen.setdefault(key, i)
    if len(seen) < len(rows):
        notes.append(f"{len(rows) - len(seen)} rows that are the same as others in every column count once")
    return list(seen.values())
