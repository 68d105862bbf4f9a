"""The measured points of a part, with intervals that hold at all points at once."""

from typing import Any

from asymp.montecarlo import Estimate
from asymp.reports.verdict import Cell

__all__ = ["band_cell", "spell"]


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


def spell(params: dict[str, Any]) -> str:
    """Parameters in words: 'alpha=2, T=100'."""
    return ", ".join(f"{k}={v:g}" if isinstance(v, int | float) else f"{k}={v}" for k, v in params.items())
