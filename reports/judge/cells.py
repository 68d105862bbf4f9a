"""The measured points of a part, with intervals that hold at all points at once."""

from collections.abc import Sequence
from typing import Any

from asymp.montecarlo import Estimate
from asymp.montecarlo.many_intervals import prepare_intervals
from asymp.reports.declare import Part
from asymp.reports.statistics import SUPPORT_LEVEL
from asymp.reports.verdict import Cell

__all__ = ["band_cell", "class_words", "know_bands", "spell"]


def band_cell(params: dict[str, Any], predicted: float, estimate: Estimate, *, points: int) -> Cell:
    """A point with its share of a simultaneous 95 % band over `points` points (Bonferroni)."""
    low, high = estimate.interval(1 - 0.05 / points)
    return Cell(
        params=dict(params),
        predicted=predicted,
        mean=estimate.mean,
        low=low,
        high=high,
        level=0.95,
        replicas=estimate.replicas,
    )


def know_bands(estimates: Sequence[Estimate], *, points: int, level: float | None = None) -> None:
    """Compute what the points will be asked for together: the bands, and, given a level, what supports and refutes."""
    levels = [1 - 0.05 / points]
    if level is not None:
        levels += [1 - 2 * SUPPORT_LEVEL, 1 - level]
    prepare_intervals(estimates, levels)


def spell(params: dict[str, Any]) -> str:
    """Parameters in words: 'alpha=2, T=100'."""
    return ", ".join(f"{k}={v:g}" if isinstance(v, int | float) else f"{k}={v}" for k, v in params.items())


def class_words(part: Part) -> str:
    """The class of truths of an exponent in words, with the ranges of its correction where the part restricts them."""
    ranges = [
        f"{name} {low:g} to {high:g}"
        for name, (low, high), usual in (
            ("of size", part.kappa, Part.kappa),
            ("with the exponent", part.omega, Part.omega),
        )
        if (low, high) != usual
    ]
    return ", ".join(part.families) + (f" {' and '.join(ranges)}" if ranges and "corrected" in part.families else "")
