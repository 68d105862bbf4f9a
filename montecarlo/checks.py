"""Checks of arguments: one clear sentence, before any work."""

from __future__ import annotations

import math
import os
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np

from asymp.montecarlo.lazy import torch


def check_number(
    name: str, value: object, *, low: float = 0.0, strict: bool = False, infinite: bool = False, advice: str = ""
) -> float:
    """A finite real number >= low (> low if strict; infinity too if `infinite`), as a float."""
    domain = f"a {'' if infinite else 'finite '}number {'>' if strict else '>='} {low:g}"
    if not isinstance(value, bool) and isinstance(value, int | float | np.integer | np.floating):
        number = float(value)
        if (math.isfinite(number) or (infinite and number > 0)) and (number > low if strict else number >= low):
            return number
    raise ValueError(f"{name} must be {domain}{advice}; got {value!r}")


def check_whole(name: str, value: object, *, low: int = 1, high: int | None = None) -> int:
    """A whole number in low..high (2.0 counts as 2), as an int."""
    domain = f"a whole number >= {low}" if high is None else f"a whole number in {low}..{high}"
    if not isinstance(value, bool) and isinstance(value, int | float | np.integer | np.floating):
        whole = isinstance(value, int) or (math.isfinite(value) and value == math.floor(value))
        if whole and value >= low and (high is None or value <= high):
            return int(value)
    raise ValueError(f"{name} must be {domain}; got {value!r}")


def check_size(name: str, value: object) -> float:
    """A whole number in 1..2^53, or infinity, as a float."""
    if isinstance(value, float | np.floating) and float(value) == math.inf:
        return math.inf
    try:
        return float(check_whole(name, value, low=1, high=2**53))
    except ValueError:
        raise ValueError(f"{name} must be a whole number in 1..2^53 or math.inf; got {value!r}") from None


def check_choice(name: str, value: object, choices: tuple[str, ...]) -> str:
    """One of a few words."""
    if isinstance(value, str) and value in choices:
        return value
    raise ValueError(f"{name} must be one of {', '.join(repr(c) for c in choices)}; got {value!r}")


def seed_of(seed: object, rng: object = None) -> int:
    """The seed of a run: `seed`, or one from `rng`, a whole number or a generator of NumPy's as SPEC 7 of Scientific Python has it.

    A generator is drawn from, so that its next run is another.
    """
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
        raise ValueError(f"seed must be a whole number; got {seed!r}")
    if rng is None:
        return int(seed)
    if seed != 0:
        raise ValueError(f"give seed or rng, not both; got seed={seed!r} and rng={rng!r}")
    if isinstance(rng, int | np.integer) and not isinstance(rng, bool):
        return int(rng)
    if not isinstance(rng, np.random.Generator):
        raise ValueError(f"rng must be a whole number or a numpy.random.Generator; got {rng!r}")
    return int(rng.integers(2**63))


def check_memory(what: str, elements: float, device: torch.device) -> None:
    """Refuse work whose arrays cannot fit: float64 elements against the memory there is."""
    need, have = 8.0 * elements, memory_there(device)
    if need > 0.8 * have:
        raise ValueError(f"{what} need about {need / 1e9:.3g} GB of memory, and there are {have / 1e9:.3g} GB")


def memory_there(device: torch.device | None = None) -> float:
    """Bytes that this process may use: the GPU's, or the least of the machine's, its container's and its own limit."""
    if device is not None and device.type == "cuda":
        return float(torch.cuda.get_device_properties(device).total_memory)
    return min(_machine_memory(), _own_limit())


@cache
def _machine_memory() -> float:
    """The least of what the machine and its container have."""
    found = [math.inf]
    with suppress(AttributeError, ValueError, OSError):  # not every system says
        found.append(float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE"))
    for name in ("memory.max", "memory/memory.limit_in_bytes"):
        with suppress(OSError, ValueError):  # no such file, or the word "max"
            found.append(float(Path("/sys/fs/cgroup", name).read_text()))
    return min(found)


def _own_limit() -> float:
    try:
        import resource
    except ImportError:  # not on every system
        return math.inf
    soft = resource.getrlimit(resource.RLIMIT_AS)[0]
    return math.inf if soft == resource.RLIM_INFINITY else float(soft)
