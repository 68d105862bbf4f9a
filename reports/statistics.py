"""The arithmetic of verdicts: p-values by inverting intervals, Holm's sharing of a budget, detectable discrepancies."""

import math
from collections.abc import Sequence

from scipy.special import ndtri, stdtr

from asymp.montecarlo import Estimate
from asymp.montecarlo.many_intervals import Question, excluded

__all__ = [
    "SUPPORT_LEVEL",
    "detectable",
    "holm",
    "one_sided_p",
    "one_sided_ps",
    "p_outside",
    "ps_outside",
    "samples_needed",
    "saturated",
    "support_interval",
]

# "Supported" is shown by two one-sided tests at 1 %: the 98 % interval lies within the margin.
SUPPORT_LEVEL = 0.01
SMALLEST_P = 1e-12
# p-values by inverted intervals are searched on so many levels from 0.49 to SMALLEST_P: rounded up to a tenth of a decade.
STEPS = 120


def support_interval(estimate: Estimate, said: float) -> tuple[float, float]:
    """The interval of two one-sided tests at SUPPORT_LEVEL each; `said` is what the law says."""
    if saturated(estimate, said):
        half = -math.expm1(math.log(SUPPORT_LEVEL) / estimate.replicas)
        return (0.0, half) if estimate.mean == 0 else (1 - half, 1.0)
    return estimate.interval(1 - 2 * SUPPORT_LEVEL)


def saturated(estimate: Estimate, said: float) -> bool:
    """Whether this looks like shares that all happened to be 0, or all 1, where the law says something between.

    Values without a spread are otherwise those of a deterministic identity. Shares whose experiment declares no bounds
    are not: if the mean loss is v, n runs in which nothing is lost have the probability (1 - v)^n at most.
    """
    return estimate.bounds is None and estimate.stderr == 0 and estimate.mean in (0.0, 1.0) and 0 < said < 1


def one_sided_p(estimate: Estimate, value: float, *, side: str) -> float:
    """The p-value against 'the mean is at most value' (side 'above') or 'at least value' (side 'below').

    For bounded values the finite-sample interval is inverted; the p-value is then valid at every sample size.
    """
    return one_sided_ps([(estimate, value, side)])[0]


def p_outside(estimate: Estimate, low: float, high: float) -> float:
    """The two-sided p-value against 'the mean lies in [low, high]'; low = high is the point null."""
    return ps_outside([(estimate, low, high)])[0]


def ps_outside(nulls: Sequence[tuple[Estimate, float, float]]) -> list[float]:
    """`p_outside` for many estimates, each with its own [low, high]."""
    above = one_sided_ps([(e, high, "above") for e, _, high in nulls])
    below = one_sided_ps([(e, low, "below") for e, low, _ in nulls])
    return [min(1.0, 2 * min(pair)) for pair in zip(above, below, strict=True)]


def one_sided_ps(nulls: Sequence[tuple[Estimate, float, str]]) -> list[float]:
    """`one_sided_p` for many estimates, each with its own value and side."""
    found: list[float] = []
    searched: dict[int, tuple[Estimate, float, bool]] = {}
    for i, (estimate, value, side) in enumerate(nulls):
        sign = 1.0 if side == "above" else -1.0
        p = 1.0
        if sign * (estimate.mean - value) > 0:
            if estimate.bounds is not None or estimate.sequential:
                searched[i] = (estimate, value, side == "above")
            elif saturated(estimate, value):
                p = max(SMALLEST_P, (1 - abs(estimate.mean - value)) ** estimate.replicas)
            elif estimate.stderr == 0:
                p = SMALLEST_P
            elif estimate.replicas > 1:  # one value says nothing of its own spread
                t = sign * (estimate.mean - value) / estimate.stderr
                p = max(SMALLEST_P, float(stdtr(estimate.replicas - 1, -t)))
        found.append(p)
    for i, p in zip(searched, _smallest_levels(list(searched.values())), strict=True):
        found[i] = p
    return found


def _smallest_levels(nulls: Sequence[tuple[Estimate, float, bool]]) -> list[float]:
    """For each null the smallest p at which its value is excluded, rounded up to the next of STEPS levels; 0.5 or more is 1."""
    top, steps = math.log10(0.49), STEPS
    grid = [10 ** (top + (math.log10(SMALLEST_P) - top) * k / steps) for k in range(steps + 1)]

    def out(at: dict[int, int]) -> list[int]:
        asked = [Question(nulls[i][0], 1 - 2 * grid[k], nulls[i][1], nulls[i][2]) for i, k in at.items()]
        return [i for i, answer in zip(at, excluded(asked), strict=True) if answer]

    # Intervals are nested, so exclusion is monotone along the grid: bisect for the last excluded entry, all at once.
    ends = {i: [0, steps] for i in out(dict.fromkeys(range(len(nulls)), 0))}
    while middles := {i: (left + right + 1) // 2 for i, (left, right) in ends.items() if left < right}:
        beyond = set(out(middles))
        for i, middle in middles.items():
            ends[i] = [middle, ends[i][1]] if i in beyond else [ends[i][0], middle - 1]
    return [grid[ends[i][0]] if i in ends else 1.0 for i in range(len(nulls))]


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
