"""A report folder is written whole or not at all."""

import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from errno import EISDIR
from pathlib import Path

__all__ = ["check_writable", "write_whole"]


def check_writable(folder: str | Path) -> None:
    """Raise ValueError, before any work, if a report cannot be written to `folder`."""
    path = Path(folder)
    if path.exists() and not path.is_dir():
        raise ValueError(f"the output folder {folder} is a file; name a folder")
    parent = path if path.is_dir() else _nearest(path)
    try:
        with tempfile.NamedTemporaryFile(dir=parent):
            pass
    except OSError as error:
        raise ValueError(
            f"the output folder {folder} cannot be written ({error.strerror}); name another with -o"
        ) from None


def _nearest(path: Path) -> Path:
    for parent in path.absolute().parents:
        if parent.exists():
            return parent
    return Path()


def write_whole(folder: str | Path, files: Mapping[str, str | bytes]) -> list[Path]:
    """Write files into a folder and folders below it: all are complete under other names before the first takes its place.

    Names are relative, with '/'. What else is in the folder stays as it is; if anything fails, so does everything, and
    folders that were made for it are taken away again.
    """
    path = Path(folder)
    for name in files:
        if not _inside(name):
            raise ValueError(f"a file of a report must lie in its folder; got {name!r}")
    made: list[Path] = []
    try:
        waiting: list[tuple[Path, Path]] = []
        finished = False
        try:
            for place in dict.fromkeys([path, *((path / name).parent for name in files)]):
                made += _make(place)
            for name, content in files.items():
                target = path / name
                if target.is_dir():
                    raise IsADirectoryError(EISDIR, f"{name} is a folder there")
                temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
                waiting.append((temporary, target))
                temporary.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
            for temporary, target in waiting:
                os.replace(temporary, target)
            finished = True
        finally:
            for temporary, _ in waiting:
                temporary.unlink(missing_ok=True)
            if not finished:
                for place in reversed(made):
                    _remove_if_empty(place)
    except OSError as error:
        raise ValueError(f"the report could not be written to {folder}: {error.strerror}") from None
    return [path / name for name in files]


def _inside(name: str) -> bool:
    parts = name.split("/")
    return bool(name) and not any(part in ("", ".", "..") or "\\" in part or ":" in part for part in parts)


def _make(place: Path) -> list[Path]:
    """Make a folder and those above it; those that were not there before, the outermost first."""
    new = [parent for parent in (place, *place.parents) if not parent.exists()]
    place.mkdir(parents=True, exist_ok=True)
    return new[::-1]


def _remove_if_empty(place: Path) -> None:
    with suppress(OSError):
        place.rmdir()
