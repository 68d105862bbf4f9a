"""The bytes of a file of the store: a line that names the format, a checksum, a line of JSON, then the values."""

import hashlib
import json
from typing import Any

import numpy as np

from asymp.montecarlo.running.series import Cell

FORMAT = 1
MAGIC = b"asymp cell "


class Damaged(Exception):
    """A file that does not hold what was written: which, and how it is known."""


class NewerFormat(ValueError):
    """A store or a cell that a later version of asymp has written."""


def seal(header: dict[str, Any], content: bytes) -> bytes:
    """The bytes of a file with this header and content."""
    body = json.dumps(header, separators=(",", ":"), allow_nan=False).encode() + b"\n" + content
    return MAGIC + b"%d\n" % FORMAT + hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def unseal(data: bytes) -> tuple[dict[str, Any], bytes]:
    """Header and content of a file; `Damaged` if one of its bytes is not what was written."""
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
    # The checksum was right, so the rest is as `seal` wrote it.
    text, _, content = body.partition(b"\n")
    return json.loads(text), content


def encode(cell: Cell) -> bytes:
    """The bytes of a cell's file."""
    return seal(cell.header, np.ascontiguousarray(cell.values, dtype="<f8").tobytes())


def decode(data: bytes) -> Cell:
    """A cell from the bytes of its file; `Damaged` if one of them is not what was written."""
    header, raw = unseal(data)
    try:
        names = {n: header[n] for n in ("experiment", "version", "source", "params", "seed", "block", "device")}
        values = np.frombuffer(raw, dtype="<f8")
        if len(values) != (header["last"] - header["first"]) * header["block"]:
            raise Damaged("the number of its values is wrong")
        rest = {n: header[n] for n in ("key", "first", "last", "seconds", "provenance")}
    except (KeyError, ValueError):
        raise Damaged("it holds something else than a cell") from None
    return Cell(names=names, values=values, **rest)
