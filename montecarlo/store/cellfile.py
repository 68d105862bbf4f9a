"""The file of a cell: a line that names the format, a checksum, a line of JSON, the values as they are. No pickle."""

import hashlib
import json
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["FORMAT", "Cell", "Damaged", "NewerFormat", "decode", "encode"]

FORMAT = 1
MAGIC = b"asymp cell "


class Damaged(Exception):
    """A file that does not hold what was written: which, and how it is known."""


class NewerFormat(ValueError):
    """A store or a cell that a later version of asymp has written."""


@dataclass(frozen=True, eq=False)
class Cell:
    """A finished cell: the values of the blocks first, ..., last - 1 of a series, and where they come from."""

    key: str
    names: dict[str, Any]
    first: int
    last: int
    values: np.ndarray
    seconds: float
    provenance: dict[str, Any]

    @property
    def statistics(self) -> dict[str, Any]:
        """Sufficient statistics of the values; None for a sum that overflows."""
        values = self.values
        with np.errstate(over="ignore"):
            total, squares = float(values.sum()), float((values**2).sum())
        return {
            "count": len(values),
            "sum": total if math.isfinite(total) else None,
            "sum_squares": squares if math.isfinite(squares) else None,
            "min": float(values.min()),
            "max": float(values.max()),
        }

    @property
    def header(self) -> dict[str, Any]:
        """Everything but the values."""
        return {
            "key": self.key,
            **self.names,
            "first": self.first,
            "last": self.last,
            "seconds": round(self.seconds, 6),
            "statistics": self.statistics,
            "provenance": self.provenance,
        }


def encode(cell: Cell) -> bytes:
    """The bytes of a cell's file."""
    header = json.dumps(cell.header, separators=(",", ":"), allow_nan=False).encode()
    body = header + b"\n" + np.ascontiguousarray(cell.values, dtype="<f8").tobytes()
    return MAGIC + b"%d\n" % FORMAT + hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def decode(data: bytes) -> Cell:
    """A cell from the bytes of its file; `Damaged` if one of them is not what was written."""
    try:
        first, checksum, body = data.split(b"\n", 2)
    except ValueError:
        raise Damaged("it ends before its values begin") from None
    if not first.startswith(MAGIC) or not first[len(MAGIC) :].isdigit():
        raise Damaged("it does not begin like a cell")
    if int(first[len(MAGIC) :]) > FORMAT:
        raise NewerFormat("a cell in the store was written by a newer version of asymp; update asymp to read it")
    if hashlib.sha256(body).hexdigest().encode() != checksum:
        raise Damaged("its checksum is wrong")
    # The checksum was right, so the rest is as `encode` wrote it.
    text, _, raw = body.partition(b"\n")
    header = json.loads(text)
    head = {name: header[name] for name in ("experiment", "version", "source", "params", "seed", "block", "device")}
    values = np.frombuffer(raw, dtype="<f8")
    if len(values) != (header["last"] - header["first"]) * header["block"]:
        raise Damaged("the number of its values is wrong")
    return Cell(
        key=header["key"],
        names=head,
        first=header["first"],
        last=header["last"],
        values=values,
        seconds=header["seconds"],
        provenance=header["provenance"],
    )
