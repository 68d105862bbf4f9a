"""A report folder is written whole or not at all."""

import os
import tempfile
from collections.abc import Mapping
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


def write_whole(folder: str | Path, files: Mapping[str, str]) -> list[Path]:
    """Write text files into a folder: all are complete under other names before the first takes its place."""
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
        waiting: list[tuple[Path, Path]] = []
        try:
            for name, text in files.items():
                target = path / name
                temporary = path / f".{name}.{os.getpid()}.part"
                waiting.append((temporary, target))
                temporary.write_text(text, encoding="utf-8")
            for temporary, target in waiting:
                os.replace(temporary, target)
        finally:
            for temporary, _ in waiting:
                temporary.unlink(missing_ok=True)
    except OSError as error:
        raise ValueError(f"the report could not be written to {folder}: {error.strerror}") from None
    return [path / name for name in files]
