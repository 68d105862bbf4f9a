"""The arithmetic of verdicts: p-values by inverting intervals, Holm's sharing of a budget, detectable discrepancies."""

import math
from collections.abc import Callable, Sequence

from scipy.special import ndtri, stdtr

from asymp.montecarlo import Estimate

__all__ = [
    "SUPPORT_LEVEL",
    "detectable",
    "holm",
    "one_sided_p",
    "p_outside",
    "samples_needed",
    "support_interval",
]

# "Supported" is shown by two one-sided tests at 1 %: the 98 % interval lies within the margin.
SUPPORT_LEVEL = 0.01
SMALLEST_P = 1e-12


def support_interval(estimate: Estimate) -> tuple[float, float]:
    """The interval of two one-sided tests at SUPPORT_LEVEL each."""
    return estimate.interval(1 - 2 * SUPPORT_LEVEL)


def one_sided_p(estimate: Estimate, value: float, *, side: str) -> float:
    """The p-value against 'the mean is at most value' (side 'above') or 'at least value' (side 'below').

    For bounded values the finite-sample interval is inverted; the p-value is then valid at every sample size.
    """
    sign = 1.0 if side == "above" else -1.0
    if sign * (estimate.mean - value) <= 0:
        return 1.0
    if estimate.bounds is None and not estimate.sequential:
        if estimate.stderr == 0:
            return SMALLEST_P
        t = sign * (estimate.mean - value) / estimate.stderr
        return max(SMALLEST_P, float(stdtr(estimate.replicas - 1, -t)))

    def excluded(p: float) -> bool:
        low, high = estimate.interval(1 - 2 * p)
        return value < low if side == "above" else value > high

    return _smallest_level(excluded)


def p_outside(estimate: Estimate, low: float, high: float) -> float:
    """The two-sided p-value against 'the mean lies in [low, high]'; low = high is the point null."""
    one = min(one_sided_p(estimate, high, side="above"), one_sided_p(estimate, low, side="below"))
    return min(1.0, 2 * one)


def _smallest_level(excluded: Callable[[float], bool]) -> float:
    """The smallest p at which the value is excluded, rounded up to a tenth of a decade; 0.5 or more is 1."""
    top, steps = math.log10(0.49), 120
    grid = [10 ** (top + (math.log10(SMALLEST_P) - top) * k / steps) for k in range(steps + 1)]
    if not excluded(grid[0]):
        return 1.0
    # Intervals are nested, so exclusion is monotone along the grid: bisect for the last excluded entry.
    left, right = 0, steps
    while left < right:
        middle = (left + right + 1) // 2
        if excluded(grid[middle]):
            left = middle
        else:
            right = middle - 1
    return grid[left]


def holm(p_values: Sequence[float], budget: float) -> list[bool]:
    """Which of several hypotheses are rejected with a total error of `budget` (Holm 1979)."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    rejected = [False] * len(p_values)
    for rank, i in enumerate(order):
        if p_values[i] > budget / (len(p_values) - rank):
            break
        rejected[i] = True
    return rejected


def detectable(estimate: Estimate, level: float, power: float = 0.95) -> float:
    """The smallest shift of the mean that this sample would have refuted at `level` with probability `power`."""
    low, high = estimate.interval(1 - level)
    half = max(high - estimate.mean, estimate.mean - low)
    return half + float(ndtri(power)) * (estimate.stderr if math.isfinite(estimate.stderr) else 0.0)


def samples_needed(replicas: int, seen: float, wanted: float) -> int | None:
    """The replicas at which a discrepancy `wanted` would be seen, given that `replicas` see `seen`."""
    if not (math.isfinite(seen) and seen > 0 and wanted > 0):
        return None
    needed = replicas * (seen / wanted) ** 2
    return int(float(f"{math.ceil(needed):.2g}")) if needed < 1e15 else None
