"""Measured points, series and theory lines as plain data."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from asymp.reports.gallery.checks import LEVEL

if TYPE_CHECKING:
    from asymp.montecarlo.estimate import Estimate

__all__ = ["find", "line", "plain", "point", "points_of", "series"]

VARIED = 10
"""Runs that must differ from the commonest value for Student's interval."""


def point(estimate: "Estimate") -> dict[str, Any]:
    """Mean, deviation, the 95 % interval (`low`, `high`) and the 99.9 % one (`least`, `most`) that checks go by.

    Intervals are Student's, over runs: a caption's hundred runs say little to an interval that knows only that errors lie
    in [0, 1]. Where nearly all runs give one and the same value (no error at all, say) Student's would claim to know it
    exactly: there the finite-sample interval of the bounds is taken.
    """
    from asymp.montecarlo.estimate import Estimate

    _, counts = np.unique(estimate.values, return_counts=True)
    bounds = estimate.bounds or (-math.inf, math.inf)
    if estimate.replicas - counts.max() >= VARIED:
        estimate = Estimate(values=estimate.values)
    low, high, least, most = (
        float(np.clip(end, *bounds)) for level in (0.95, LEVEL) for end in estimate.interval(level)
    )
    n = estimate.replicas
    deviation = float(np.std(estimate.values, ddof=1)) if n > 1 else 0.0
    found: dict[str, Any] = plain(
        {
            "mean": estimate.mean,
            "stderr": deviation / math.sqrt(n),
            "deviation": deviation,
            "low": low,
            "high": high,
            "least": least,
            "most": most,
            "replicas": n,
        }
    )
    return found


def points_of(values: "np.ndarray", bounds: tuple[float, float] | None = None) -> list[dict[str, Any]]:
    """The points of a trajectory, values (replicas, steps)."""
    from asymp.montecarlo.estimate import Estimate

    return [point(Estimate(values=column, bounds=bounds)) for column in np.asarray(values, dtype=float).T]


def series(name: str, x: Sequence[float], points: Sequence[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """A measured curve."""
    return {"name": name, "x": plain(list(x)), "points": list(points), **plain(more)}


def line(name: str, x: Sequence[float], y: Sequence[float], *, law: str, **constants: Any) -> dict[str, Any]:
    """A curve of a law, with the constants that were computed for it."""
    return {"name": name, "x": plain(list(x)), "y": plain(list(y)), "law": law, "constants": plain(constants)}


def find(data: dict[str, Any], name: str, kind: str = "series") -> dict[str, Any]:
    """The series (or theory line) of that name."""
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
