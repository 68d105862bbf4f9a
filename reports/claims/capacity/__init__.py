"""What the claims of this section share: sizes around a capacity, the class of a pure power."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from asymp.reports.declaring import Setting

__all__ = ["PURE", "SERIES", "around", "octaves", "spaced", "with_logarithm"]

PURE = ("power", "corrected")
"""Where a number of candidates, outputs or bits is fixed there is no logarithm and no floor."""

SERIES = (0.9, 2.1)
"""Corrections of order 1/size and its square."""


def octaves(parts: int) -> list[float]:
    """Nine factors around one, `parts` of them to a factor of two."""
    return [2 ** (j / parts) for j in range(-4, 5)]


def spaced(first: float, step: float) -> list[float]:
    """Eight factors whose logarithms begin at `first` and go by `step`."""
    return [math.exp(first + step * k) for k in range(8)]


def around(
    table: Mapping[Any, float],
    factors: Iterable[float],
    letters: str = "d",
    *,
    at: Iterable[Any] | None = None,
    size: str = "N",
    multiple: int = 1,
    **fixed: Any,
) -> list[dict[str, Any]]:
    """Settings whose sizes, whole numbers, lie around those of a table.

    Args:
        table: the size in the middle, for each value of the letters (a tuple of values, if there are several letters).
        factors: what it is multiplied with.
        letters: the parameters whose values are the keys of the table.
        at: those of the keys that are taken; all, if none are given.
        size: the name of the size.
        multiple: sizes are multiples of this number.
        fixed: parameters that are the same in all settings.
    """
    steps = list(factors)
    return [
        {**dict(zip(letters, key if isinstance(key, tuple) else (key,), strict=True)), size: N, **fixed}
        for key in (table if at is None else at)
        for N in dict.fromkeys(multiple * round(table[key] * f / multiple) for f in steps)
    ]


def with_logarithm(params: Setting, N: float) -> float:
    """N log N: items counted with their logarithm are a power of the dimension to leading order."""
    return N * math.log(N)
