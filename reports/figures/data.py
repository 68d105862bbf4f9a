"""Measured points, series and theory lines as plain data."""

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

if TYPE_CHECKING:
    from asymp.montecarlo.estimate import Estimate

LEVEL = 0.95
"""The level of the intervals that are drawn."""


class Point(TypedDict):
    """A mean over so many runs, with its interval."""

    mean: float
    low: float
    high: float
    replicas: int


class Series(TypedDict):
    """A measured curve; `panel` says where it is drawn."""

    name: str
    panel: str
    x: list[float]
    points: list[Point]


class Line(TypedDict):
    """A curve of a law."""

    name: str
    x: list[float]
    y: list[float]
    law: str


def point(estimate: "Estimate") -> Point:
    """The mean of an estimate with its interval, that of the estimate itself."""
    low, high = estimate.interval(LEVEL)
    return {"mean": float(estimate.mean), "low": float(low), "high": float(high), "replicas": estimate.replicas}


def points_of(values: "np.ndarray", bounds: tuple[float, float] | None = None) -> list[Point]:
    """The points of a trajectory, values (replicas, steps)."""
    from asymp.montecarlo.estimate import Estimate

    return [point(Estimate(values=column, bounds=bounds)) for column in np.asarray(values, dtype=float).T]


def series(name: str, x: Sequence[float], points: Sequence[Point], *, panel: str = "") -> Series:
    """A measured curve over x."""
    return {"name": name, "panel": panel, "x": list(x), "points": list(points)}


def line(name: str, x: Sequence[float], y: Iterable[float], *, law: str) -> Line:
    """A curve over x of the law with that id."""
    return {"name": name, "x": list(x), "y": [float(value) for value in y], "law": law}


def find(data: dict[str, Any], name: str, kind: str = "series") -> Any:
    """The series (or, of kind "theory", the line) of that name."""
    return next(s for s in data[kind] if s["name"] == name)


def plain(value: Any) -> Any:
    """Numbers of JSON: no arrays, and infinity as the word "inf"."""
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(v) for v in value]
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        number = float(value)
        return number if math.isfinite(number) else "inf" if number > 0 else "-inf" if number < 0 else None
    return value
