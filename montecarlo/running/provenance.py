"""Where a result comes from: versions, processor, device, commit, command. No host, user or path."""

import functools
import hashlib
import os
import platform
import subprocess
import sys
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from asymp._version import __version__
from asymp.montecarlo.lazy import torch
from asymp.montecarlo.running.packages import LIBRARIES

PACKAGES = ("theory", "models", "montecarlo", "reports")
PATHS = ("--store", "--claims", "-o", "--output")
"""Options of the command line whose value is a path."""


def describe_machine() -> dict[str, str | int]:
    """CPU model, number of cores, GPU if any, and the versions that matter."""
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count() or 1,
        "gpu": torch.cuda.get_device_name(0) if torch.cuda.is_available() else "none",
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
    }


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


@functools.lru_cache(maxsize=4)
def machine(device: str) -> dict[str, Any]:
    """What computed: versions, processor, device, random generator, commit of asymp where it runs from a checkout."""
    described = describe_machine()
    on_gpu = device.startswith("cuda")
    return {
        "asymp": __version__,
        "commit": _commit(),
        **{name: described[name] for name in ("python", "torch", "numpy", "cpu")},
        "device": str(described["gpu"]) if on_gpu else "cpu",
        "generator": "torch cuda (Philox)" if on_gpu else "torch cpu (Mersenne Twister)",
    }


def _commit() -> str | None:
    """The commit that asymp runs from, `+` if files were changed since; None if it is not run from a checkout."""
    here = Path(__file__).resolve()

    def git(*words: str) -> str:
        done = subprocess.run(
            ["git", "--no-optional-locks", "-C", str(here.parent), *words],
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
        return done.stdout.strip()

    try:
        git("ls-files", "--error-unmatch", here.name)  # asymp may be installed inside another project's checkout
        return git("rev-parse", "HEAD") + ("+" if git("status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.SubprocessError):
        return None


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


@functools.cache
def code_hash(packages: tuple[str, ...] = PACKAGES) -> str:
    """The hash of asymp's own source and of the versions of the libraries: other code may give other values."""
    whole = hashlib.sha256(" ".join(f"{name} {version(name)}" for name in LIBRARIES).encode())
    for package in packages:
        folder = Path(str(files(f"asymp.{package}")))
        for path in sorted(folder.rglob("*.py")):
            whole.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return whole.hexdigest()
