"""What was worked out once and is kept beside the store: judgements, formulas, figures, each by the hash of what it came from.

Nothing here changes a result: without a folder everything is worked out again, to the same bits. A file that cannot be
read, or whose content does not have the hash that it begins with, counts as not there.
"""

import hashlib
import json
import os
import secrets
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

__all__ = ["FOLDER", "Kept", "code_hash"]

FOLDER = "report"
PACKAGES = ("theory", "models", "montecarlo", "reports")
LIBRARIES = ("torch", "sympy", "mpmath", "numpy", "scipy")


class Kept:
    """A folder of small files named by a hash; with None for a folder nothing is kept and nothing is found."""

    def __init__(self, folder: str | Path | None) -> None:
        self.folder = None if folder is None else Path(folder) / FOLDER
        self.found = 0
        self.made = 0

    def get(self, kind: str, key: str) -> bytes | None:
        """What is kept under a key, if it is there and whole."""
        if self.folder is None:
            return None
        try:
            head, _, body = self._path(kind, key).read_bytes().partition(b"\n")
        except OSError:
            return None
        if head != _digest(body):
            return None
        self.found += 1
        return body

    def put(self, kind: str, key: str, body: bytes) -> None:
        """Keep something; a folder that cannot be written only means that it is not kept."""
        self.made += 1
        if self.folder is None:
            return
        path = self._path(kind, key)
        temporary = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_bytes(_digest(body) + b"\n" + body)
            os.replace(temporary, path)
        except OSError:
            temporary.unlink(missing_ok=True)

    def has(self, kind: str, came_from: Any, *, code: tuple[str, ...] = PACKAGES) -> bool:
        """Whether plain data are kept."""
        return self.folder is not None and self.get(kind, key_of([code_hash(code), kind, came_from])) is not None

    def data(self, kind: str, came_from: Any, make: Callable[[], Any], *, code: tuple[str, ...] = PACKAGES) -> Any:
        """Plain data by what it came from: found, or made and kept. What JSON would change is not kept.

        `code` names the packages whose source the result depends on.
        """
        if self.folder is None:
            self.made += 1
            return make()
        key = key_of([code_hash(code), kind, came_from])
        body = self.get(kind, key)
        if body is not None:
            return json.loads(body)
        made = make()
        try:
            text = json.dumps(made, ensure_ascii=False)
            if same(json.loads(text), made):
                self.put(kind, key, text.encode())
        except (TypeError, ValueError):
            pass
        return made

    def _path(self, kind: str, key: str) -> Path:
        assert self.folder is not None
        return self.folder / kind / key[:2] / key[2:]


def key_of(came_from: Any) -> str:
    """The hash of plain data."""
    return hashlib.sha256(json.dumps(came_from, sort_keys=True, default=repr).encode()).hexdigest()[:40]


def same(a: Any, b: Any) -> bool:
    """Whether two pieces of plain data are equal in values and types; a NaN is equal to a NaN."""
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return isinstance(b, type(a)) and (a == b or (a != a and b != b))


@cache
def code_hash(packages: tuple[str, ...] = PACKAGES) -> str:
    """The hash of asymp's own source and of the versions of the libraries: other code may give other values."""
    whole = hashlib.sha256(" ".join(f"{name} {version(name)}" for name in LIBRARIES).encode())
    for package in packages:
        folder = Path(str(files(f"asymp.{package}")))
        for path in sorted(folder.rglob("*.py")):
            whole.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return whole.hexdigest()


def _digest(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest()[:16].encode()
