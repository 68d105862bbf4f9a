"""Checks of arguments: one clear sentence, before any work."""

import math
from typing import Any

import numpy as np

__all__ = ["check_choice", "check_number", "check_replicas", "check_size", "check_whole"]


def check_number(name: str, value: Any, *, low: float = 0.0, strict: bool = False, advice: str = "") -> float:
    """A finite real number >= low (> low if strict), as a float."""
    domain = f"a finite number {'>' if strict else '>='} {low:g}"
    if not isinstance(value, bool) and isinstance(value, int | float | np.integer | np.floating):
        number = float(value)
        if math.isfinite(number) and (number > low if strict else number >= low):
            return number
    raise ValueError(f"{name} must be {domain}{advice}; got {value!r}")


def check_whole(name: str, value: Any, *, low: int = 1, high: int | None = None) -> int:
    """A whole number in low..high (2.0 counts as 2), as an int."""
    domain = f"a whole number >= {low}" if high is None else f"a whole number in {low}..{high}"
    if not isinstance(value, bool) and isinstance(value, int | float | np.integer | np.floating):
        number = float(value)
        if (
            math.isfinite(number)
            and number == math.floor(number)
            and number >= low
            and (high is None or number <= high)
        ):
            return int(value)
    raise ValueError(f"{name} must be {domain}; got {value!r}")


def check_size(name: str, value: Any) -> float:
    """A whole number in 1..2^53, or infinity, as a float."""
    if isinstance(value, float | np.floating) and float(value) == math.inf:
        return math.inf
    try:
        return float(check_whole(name, value, low=1, high=2**53))
    except ValueError:
        raise ValueError(f"{name} must be a whole number in 1..2^53 or math.inf; got {value!r}") from None


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> str:
    """One of a few words."""
    if isinstance(value, str) and value in choices:
        return value
    raise ValueError(f"{name} must be one of {', '.join(repr(c) for c in choices)}; got {value!r}")


def check_replicas(replicas: Any, rel_error: Any = None) -> None:
    """At least one replica; a relative error, if given, above zero."""
    check_whole("replicas", replicas)
    if rel_error is not None:
        check_number("rel_error", rel_error, strict=True)
