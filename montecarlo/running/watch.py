"""What a sampler opens while it runs, whichever library it asks: Python tells of it in audit events."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

LOOKS = {
    "os.listdir",
    "os.scandir",
    "glob.glob",
    "sqlite3.connect",
    "subprocess.Popen",
    "socket.connect",
    "urllib.Request",
}
OF_PYTHON = (".py", ".pyc", ".so", ".pyd", ".dll", ".dylib")
"""Files that Python opens to import a module: code is followed elsewhere."""
OF_THE_SYSTEM = ("/proc/", "/sys/", "/dev/")
_watching: dict[int, list[str]] = {}


@contextmanager
def opened() -> Iterator[list[str]]:
    """The names of the files that this thread reads in the block, or of what else it asks the world outside."""
    _install()
    found: list[str] = []
    _watching[threading.get_ident()] = found
    try:
        yield found
    finally:
        del _watching[threading.get_ident()]


@cache
def _install() -> None:
    sys.addaudithook(_heard)


def _heard(event: str, given: tuple[Any, ...]) -> None:
    if not _watching or (event != "open" and event not in LOOKS):
        return
    found = _watching.get(threading.get_ident())
    if found is None:
        return
    if event != "open":
        found.append(event)
    elif isinstance(given[0], str | bytes):
        name = given[0] if isinstance(given[0], str) else given[0].decode(errors="replace")
        writes = isinstance(given[1], str) and not {"w", "a", "x"}.isdisjoint(given[1])
        if not writes and not name.endswith(OF_PYTHON) and not name.startswith(OF_THE_SYSTEM):
            found.append(Path(name).name)
