"""Where a result comes from: versions, processor, device, generator, commit, command. No host, user or path."""

import os
import subprocess
import sys
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from asymp.montecarlo.bench.machine import describe_machine

__all__ = ["command_line", "machine"]


@lru_cache(maxsize=4)
def machine(device: str) -> dict[str, Any]:
    """What computed: versions, processor, device, random generator, commit of asymp where it runs from a checkout."""
    described = describe_machine()
    on_gpu = device.startswith("cuda")
    return {
        "asymp": _version(),
        "commit": _commit(),
        **{name: described[name] for name in ("python", "torch", "numpy", "cpu")},
        "device": str(described["gpu"]) if on_gpu else "cpu",
        "generator": "torch cuda (Philox)" if on_gpu else "torch cpu (Mersenne Twister)",
    }


def _version() -> str:
    try:
        return version("asymp")
    except PackageNotFoundError:
        return "unknown"


def _commit() -> str | None:
    """The commit that asymp runs from, `+` if files were changed since; None if it is not run from a checkout."""
    here = Path(__file__).resolve()

    def git(*words: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(here.parent), *words], capture_output=True, text=True, timeout=10, check=True
        )
        return done.stdout.strip()

    try:
        git("ls-files", "--error-unmatch", here.name)  # asymp may be installed inside another project's checkout
        return git("rev-parse", "HEAD") + ("+" if git("status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.SubprocessError):
        return None


PATHS = ("--store", "--claims", "-o", "--output")


def command_line(store: Path | None) -> str:
    """The command as it was typed, without the machine: paths in the store relative to it, others by their last name."""
    program = Path(sys.argv[0] or "-c").name
    shown = ["python" if program in ("-c", "__main__.py") else program]
    for before, word in zip(["", *sys.argv[1:]], sys.argv[1:], strict=False):
        name, equals, value = word.partition("=")
        if before in PATHS or word.startswith((os.sep, f".{os.sep}", f"..{os.sep}", "~")):
            shown.append(_private(word, store))
        elif equals and name in PATHS:
            shown.append(f"{name}={_private(value, store)}")
        elif "://" in word:
            shown.append(word.partition("://")[0] + "://...")
        else:
            shown.append(word)
    return " ".join(shown)


def _private(word: str, store: Path | None) -> str:
    path = Path(word).absolute()
    if store is not None and path.is_relative_to(store.absolute()):
        return path.relative_to(store.absolute()).as_posix()
    return path.name
