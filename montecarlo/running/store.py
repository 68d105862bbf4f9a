"""The store: a folder with one immutable file a cell. No locks: files are only ever added whole, or set aside.

A file (`cell_file`) is written under a temporary name, synced and renamed, so that a reader sees all of it or nothing, also
on a network file system and with several writers. Two writers of one cell write the same values; the later one stays.

What was worked out from cells and code (judgements, formulas, figures) is in files of the same format, without the sync: it
can be worked out again, to the same bits.
"""

import contextlib
import hashlib
import json
import os
import re
import secrets
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from asymp.montecarlo.running.cell_file import FORMAT, Damaged, NewerFormat, decode, encode, seal, unseal
from asymp.montecarlo.running.provenance import PACKAGES, code_hash
from asymp.montecarlo.running.series import Cell, Range

VARIABLE = "ASYMP_STORE"
MARKER = "asymp-store.json"
CELLS, DERIVED, TEMPORARY, ASIDE = "cells", "derived", "temporary", "damaged"
FOLDERS = (CELLS, DERIVED, TEMPORARY, ASIDE, "jobs")
RUNS = "runs"
"""The folder of empty files that say with which seeds and presets a claim was run."""
NAME = re.compile(r"([0-9a-f]{32})-(\d+)-(\d+)\.cell")
WRITE_POINTS = ("before-temporary", "in-temporary", "after-temporary", "before-rename", "after-rename")
THREADS = 4
MOST_WAITING = 32
"""Cells whose values are known but not yet on the disk: what a kill can lose, apart from those in work."""
T = TypeVar("T")


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
            text = _read(marker)
        except FileNotFoundError:
            self._create(marker)
            return
        except OSError as error:
            raise ValueError(f"the store cannot be read ({error.strerror}); give another with --store") from None
        except Damaged as error:
            raise ValueError(
                f"the store's {MARKER} cannot be read: {error}; give another folder with --store"
            ) from None
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
            if folder.is_dir() and not {entry.name for entry in folder.iterdir()} <= {*FOLDERS, RUNS}:
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
            cell = decode(_read(path))
            if (cell.key, cell.first, cell.last) != (key, first, last):
                raise Damaged("it holds another cell than its name says")
        except FileNotFoundError:
            self._drop(key, first, last)
            return None
        except (OSError, Damaged) as error:
            words = f"it cannot be read ({error.strerror})" if isinstance(error, OSError) else str(error)
            self._set_aside(self.path(key, first, last), words)
            self._drop(key, first, last)
            return None
        return cell

    def _set_aside(self, path: Path, reason: str) -> None:
        self.aside.append((path.name, reason))
        try:
            (self.folder / ASIDE).mkdir(exist_ok=True)
            os.replace(path, self.folder / ASIDE / path.name)
        except OSError:
            pass  # a read-only store: the file stays, and is not believed the next time either

    def _drop(self, key: str, first: int, last: int) -> None:
        self._listed(key[:2]).get(key, set()).discard((first, last))

    def write(self, cell: Cell) -> None:
        """Keep a cell: temporary file, sync, rename. OSError if that cannot be done; nothing half-written remains."""
        self._write(self.path(cell.key, cell.first, cell.last), encode(cell))

    def _write(self, target: Path, data: bytes, *, sync: bool = True) -> None:
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
                if sync:
                    os.fsync(file.fileno())
            self._at("before-rename")
            try:
                os.replace(temporary, target)
            except FileNotFoundError:
                target.parent.mkdir(parents=True, exist_ok=True)
                os.replace(temporary, target)
        except OSError:
            with contextlib.suppress(OSError):  # a read-only store
                temporary.unlink(missing_ok=True)
            raise
        self._at("after-rename")

    def get(self, kind: str, key: str) -> bytes | None:
        """Something that was worked out before; None if it is not there, or if its file was damaged."""
        path = self._derived(kind, key)
        try:
            header, content = unseal(_read(path))
            if header != {"kind": kind, "key": key}:
                raise Damaged("it holds something else than its name says")
        except OSError:
            return None
        except Damaged as damage:
            self._set_aside(path, str(damage))
            return None
        return content

    def put(self, kind: str, key: str, content: bytes) -> None:
        """Keep something that was worked out; a store that cannot be written only means that it is not kept."""
        with contextlib.suppress(OSError):
            self._write(self._derived(kind, key), seal({"kind": kind, "key": key}, content), sync=False)

    def note_run(self, claim: str, code: str, seed: int, preset: str) -> list[tuple[int, str]]:
        """Note that a claim is run with a seed and a preset; the others with which the same code was run before."""
        place = self.folder / RUNS / key_of([claim, code])
        with contextlib.suppress(OSError):
            place.mkdir(parents=True, exist_ok=True)
            (place / f"{seed} {preset}").touch()
        try:
            names = sorted(os.listdir(place))
        except OSError:
            return []
        runs = [(int(left), right) for left, _, right in (name.partition(" ") for name in names) if _is_whole(left)]
        return [run for run in sorted(runs) if run != (seed, preset)]

    def _derived(self, kind: str, key: str) -> Path:
        return self.folder / DERIVED / kind / key[:2] / key


def _is_whole(text: str) -> bool:
    return text.removeprefix("-").isdecimal()


def _read(path: str | Path) -> bytes:
    """The bytes of a plain file; a device or a pipe, which might have no end, is `Damaged`."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb", buffering=0) as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise Damaged("it is no plain file")
        return file.read()


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def default_folder() -> Path:
    """Where the store is if nobody says: $ASYMP_STORE, or asymp/store under the cache folder that this system has."""
    given = os.environ.get(VARIABLE)
    if given:
        return Path(given)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "asymp" / "store"


class Writer:
    """Keeps cells in a store in the background: a few threads, because syncs that wait together cost hardly more than one.

    A cell that cannot be kept is counted, with the reason.
    """

    def __init__(self, store: Store | None) -> None:
        self.store = store
        self.kept = 0
        self.lost = 0
        self.reason = ""
        self._room = threading.Semaphore(MOST_WAITING)
        self._count = threading.Lock()
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="asymp-store")

    def keep(self, cell: Cell) -> None:
        """Have a cell written; waits only if many others are waiting."""
        if self.store is not None:
            self._room.acquire()
            self._threads.submit(self._write, self.store, cell)

    def _write(self, store: Store, cell: Cell) -> None:
        try:
            store.write(cell)
            with self._count:
                self.kept += 1
        except Exception as error:
            with self._count:
                self.lost += 1
                self.reason = getattr(error, "strerror", None) or type(error).__name__
        finally:
            self._room.release()

    def close(self) -> None:
        """Wait until everything is on the disk."""
        self._threads.shutdown(wait=True)


class Derived:
    """What was worked out from cells and code, in a store; with None for a store nothing is kept and nothing is found."""

    def __init__(self, store: Store | str | Path | None) -> None:
        self.store = Store(store) if isinstance(store, str | Path) else store
        self.found = 0
        self.made = 0

    def get(self, kind: str, key: str) -> bytes | None:
        """What is kept under a key, if it is there and whole."""
        content = None if self.store is None else self.store.get(kind, key)
        self.found += content is not None
        return content

    def put(self, kind: str, key: str, content: bytes) -> None:
        """Keep something."""
        self.made += 1
        if self.store is not None:
            self.store.put(kind, key, content)

    def has(self, kind: str, came_from: object, *, code: tuple[str, ...] = PACKAGES) -> bool:
        """Whether plain data are kept."""
        return self.store is not None and self.get(kind, key_of([code_hash(code), kind, came_from])) is not None

    def data(self, kind: str, came_from: object, make: Callable[[], T], *, code: tuple[str, ...] = PACKAGES) -> T:
        """Plain data by what it came from: found, or made and kept. What JSON would change is not kept.

        `code` names the packages whose source the result depends on.
        """
        key = key_of([code_hash(code), kind, came_from]) if self.store is not None else ""
        content = self.get(kind, key)
        if content is not None:
            found: T = json.loads(content)
            return found
        made = make()
        try:
            text = json.dumps(made, ensure_ascii=False)
            if _same(json.loads(text), made):
                self.put(kind, key, text.encode())
        except (TypeError, ValueError):
            pass
        return made


def key_of(came_from: object) -> str:
    """The hash of plain data."""
    return hashlib.sha256(json.dumps(came_from, sort_keys=True, default=repr).encode()).hexdigest()[:40]


def _same(a: object, b: object) -> bool:
    """Whether two pieces of plain data are equal in values and types; a NaN is equal to a NaN."""
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) == list(b) and all(_same(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_same, a, b))
    return isinstance(b, type(a)) and (a == b or (a != a and b != b))
