"""The store: a folder with one immutable file a cell. No locks: files are only ever added whole, or set aside.

A cell is written under a temporary name, synced and renamed, so that a reader sees all of it or nothing, also on a
network file system and with several writers. Two writers of one cell write the same values; the later one stays.
"""

import json
import os
import re
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path

from asymp.montecarlo.store.cellfile import FORMAT, Cell, Damaged, NewerFormat, decode, encode

__all__ = ["MARKER", "WRITE_POINTS", "Store"]

MARKER = "asymp-store.json"
CELLS, TEMPORARY, ASIDE = "cells", "temporary", "damaged"
NAME = re.compile(r"([0-9a-f]{32})-(\d+)-(\d+)\.cell")
WRITE_POINTS = ("before-temporary", "in-temporary", "after-temporary", "before-rename", "after-rename")

Range = tuple[int, int]


class Store:
    """A folder of cells. `at` is called with the name of each point of a write: the tests kill the process there."""

    def __init__(self, folder: str | Path, *, at: Callable[[str], None] | None = None) -> None:
        self.folder = Path(folder)
        self.aside: list[tuple[str, str]] = []
        self._at = at or (lambda point: None)
        self._index: dict[str, dict[str, set[Range]]] = {}
        self._open()

    def _open(self) -> None:
        """Check that this is a store, or make one of an empty or new folder; ValueError in one sentence otherwise."""
        folder = self.folder
        if folder.exists() and not folder.is_dir():
            raise ValueError("the store is a file; give a folder with --store, or --no-store")
        marker = folder / MARKER
        try:
            text = marker.read_text(encoding="utf-8")
        except FileNotFoundError:
            self._create(marker)
            return
        except OSError as error:
            raise ValueError(f"the store cannot be read ({error.strerror}); give another with --store") from None
        try:
            found = int(json.loads(text)["format"])
        except (ValueError, KeyError, TypeError):
            raise ValueError(f"the store's {MARKER} cannot be understood; give another folder with --store") from None
        if found > FORMAT:
            raise NewerFormat(
                f"the store was written by a newer version of asymp (format {found}, this one knows {FORMAT}); "
                "update asymp or give another folder with --store"
            )

    def _create(self, marker: Path) -> None:
        folder = self.folder
        try:
            if folder.is_dir() and not {entry.name for entry in folder.iterdir()} <= {CELLS, TEMPORARY, ASIDE}:
                raise ValueError(
                    f"the folder is not empty and holds no {MARKER}, so it is no store; give another --store"
                )
            for name in (CELLS, TEMPORARY):
                (folder / name).mkdir(parents=True, exist_ok=True)
            temporary = folder / TEMPORARY / f"{MARKER}.{secrets.token_hex(6)}.part"
            temporary.write_text(json.dumps({"format": FORMAT, "made by": "asymp"}) + "\n", encoding="utf-8")
            os.replace(temporary, marker)
        except OSError as error:
            raise ValueError(
                f"the store cannot be made ({error.strerror}); give another folder with --store, or --no-store"
            ) from None

    def ranges(self, key: str) -> set[Range]:
        """The ranges of blocks of a series that are there: one listing of a folder answers for many series."""
        return self._listed(key[:2]).get(key, set())

    def _listed(self, prefix: str) -> dict[str, set[Range]]:
        if prefix not in self._index:
            found: dict[str, set[Range]] = {}
            try:
                names = os.listdir(self.folder / CELLS / prefix)
            except OSError:
                names = []
            for name in names:
                match = NAME.fullmatch(name)
                if match:
                    found.setdefault(match[1], set()).add((int(match[2]), int(match[3])))
            self._index[prefix] = found
        return self._index[prefix]

    def forget_listing(self) -> None:
        """Look again at what is there: other writers may have added cells."""
        self._index.clear()

    def all(self) -> Iterator[tuple[str, Range]]:
        """Every cell that is in the store now, by key and range."""
        self.forget_listing()
        try:
            prefixes = sorted(os.listdir(self.folder / CELLS))
        except OSError:
            prefixes = []
        for prefix in prefixes:
            for key, found in sorted(self._listed(prefix).items()):
                for blocks in sorted(found):
                    yield key, blocks

    def path(self, key: str, first: int, last: int) -> Path:
        """The file of a cell."""
        return self.folder / CELLS / key[:2] / f"{key}-{first:08d}-{last:08d}.cell"

    def read(self, key: str, first: int, last: int) -> Cell | None:
        """A cell; None if it is not there, or if its file was damaged: that file is set aside and named in `aside`."""
        path = f"{self.folder}{os.sep}{CELLS}{os.sep}{key[:2]}{os.sep}{key}-{first:08d}-{last:08d}.cell"
        try:
            with open(path, "rb", buffering=0) as file:
                cell = decode(file.read())
            if (cell.key, cell.first, cell.last) != (key, first, last):
                raise Damaged("it holds another cell than its name says")
        except FileNotFoundError:
            self._drop(key, first, last)
            return None
        except OSError as error:
            self._set_aside(key, first, last, f"it cannot be read ({error.strerror})")
            return None
        except Damaged as damage:
            self._set_aside(key, first, last, str(damage))
            return None
        return cell

    def _set_aside(self, key: str, first: int, last: int, reason: str) -> None:
        path = self.path(key, first, last)
        self.aside.append((path.name, reason))
        self._drop(key, first, last)
        try:
            (self.folder / ASIDE).mkdir(exist_ok=True)
            os.replace(path, self.folder / ASIDE / path.name)
        except OSError:
            pass  # a read-only store: the file stays, and is not believed the next time either

    def _drop(self, key: str, first: int, last: int) -> None:
        self._listed(key[:2]).get(key, set()).discard((first, last))

    def write(self, cell: Cell) -> None:
        """Keep a cell: temporary file, sync, rename. OSError if that cannot be done; nothing half-written remains."""
        data = encode(cell)
        target = self.path(cell.key, cell.first, cell.last)
        temporary = self.folder / TEMPORARY / f"{target.name}.{secrets.token_hex(6)}.part"
        self._at("before-temporary")
        try:
            try:
                handle = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644)
            except FileNotFoundError:
                temporary.parent.mkdir(parents=True, exist_ok=True)
                handle = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644)
            with os.fdopen(handle, "wb", buffering=0) as file:
                half = len(data) // 2
                _write_all(file.fileno(), data[:half])
                self._at("in-temporary")
                _write_all(file.fileno(), data[half:])
                self._at("after-temporary")
                os.fsync(file.fileno())
            self._at("before-rename")
            try:
                os.replace(temporary, target)
            except FileNotFoundError:
                target.parent.mkdir(parents=True, exist_ok=True)
                os.replace(temporary, target)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise
        self._at("after-rename")


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]
