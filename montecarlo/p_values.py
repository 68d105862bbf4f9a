"""P-values of means, by inverting the intervals of estimates, for many estimates together.

Whether an interval leaves a value out needs one of its ends only, and that no more exactly than the value lies away from it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from asymp.montecarlo.estimate import Bets, Estimate, ends_of_rows, together

SMALLEST_P = 1e-12
STEPS = 120  # p-values are searched on so many levels from 0.49 to SMALLEST_P: rounded up to a tenth of a decade


@dataclass(frozen=True, eq=False)
class _Question:
    """Does the estimate's interval at a level lie wholly above the value, or (above=False) wholly below it?"""

    estimate: Estimate
    level: float
    value: float
    above: bool


def _excluded(questions: Sequence[_Question]) -> list[bool]:
    """The answers."""
    answers: dict[_Question, bool] = {}
    for q in questions:
        # a subclass has its own way to its intervals
        if q.estimate.bets is None or q.level in q.estimate.known_intervals or type(q.estimate) is not Estimate:
            low, high = q.estimate.interval(q.level)
            answers[q] = q.value < low if q.above else q.value > high
    left = ((q.estimate.bets, q) for q in questions if q not in answers and q.estimate.bets is not None)
    for some in together(left):
        asked = [q for _, q in some]
        answers.update(zip(asked, _answers([bet for bet, _ in some], asked), strict=True))
    return [answers[q] for q in questions]


def _answers(bets: Sequence[Bets], asked: Sequence[_Question]) -> list[bool]:
    rows = np.array([bet.x if q.above else bet.mirrored for bet, q in zip(bets, asked, strict=True)])
    goals = np.array([math.log((1 - q.level) / 2) for q in asked])
    origin, width, top = np.array([(bet.origin, bet.width, bet.top) for bet in bets]).T
    value = np.array([q.value for q in asked])
    above = np.array([q.above for q in asked])

    def beyond(which: np.ndarray, end: np.ndarray) -> np.ndarray:
        """Whether the value would be left out if this were the end; if it is, it is by every end further in."""
        limit = origin[which] + width[which] * np.where(above[which], end, top[which] - end)
        left_out: np.ndarray = np.where(above[which], value[which] < limit, value[which] > limit)
        return left_out

    ends = ends_of_rows(bets, rows, goals, lambda which, a, b: beyond(which, a) | ~beyond(which, b))
    return [bool(answer) for answer in beyond(np.arange(len(asked)), ends)]


def ps_outside(nulls: Sequence[tuple[Estimate, float, float]]) -> list[float]:
    """For each estimate the two-sided p-value against 'the mean lies in [low, high]'; low = high is the point null."""
    above = one_sided_ps([(e, high, "above") for e, _, high in nulls])
    below = one_sided_ps([(e, low, "below") for e, low, _ in nulls])
    return [min(1.0, 2 * min(pair)) for pair in zip(above, below, strict=True)]


def one_sided_ps(nulls: Sequence[tuple[Estimate, float, str]]) -> list[float]:
    """For each estimate the p-value against 'the mean is at most value' (side 'above') or 'at least value' ('below').

    The interval is inverted, so the p-value is valid at every sample size; where there is no interval it is 1, and so it is
    for values of which nothing is declared.
    """
    found: list[float] = []
    searched: dict[int, tuple[Estimate, float, bool]] = {}
    for i, (estimate, value, side) in enumerate(nulls):
        sign = 1.0 if side == "above" else -1.0
        p = 1.0
        if estimate.contradiction:
            pass
        elif estimate.deterministic:
            p = SMALLEST_P if np.all(sign * (estimate.values - value) > 0) else 1.0
        elif sign * (estimate.mean - value) > 0 and not estimate.undeclared:
            searched[i] = (estimate, value, side == "above")
        found.append(p)
    for i, p in zip(searched, _smallest_levels(list(searched.values())), strict=True):
        found[i] = p
    return found


def _smallest_levels(nulls: Sequence[tuple[Estimate, float, bool]]) -> list[float]:
    """For each null the smallest p at which its value is excluded, rounded up to the next of STEPS levels; 0.5 or more is 1."""
    top, steps = math.log10(0.49), STEPS
    grid = [10 ** (top + (math.log10(SMALLEST_P) - top) * k / steps) for k in range(steps + 1)]

    def out(at: dict[int, int]) -> list[int]:
        asked = [_Question(nulls[i][0], 1 - 2 * grid[k], nulls[i][1], nulls[i][2]) for i, k in at.items()]
        return [i for i, answer in zip(at, _excluded(asked), strict=True) if answer]

    # Intervals are nested, so exclusion is monotone along the grid: bisect for the last excluded entry, all at once.
    ends = {i: [0, steps] for i in out(dict.fromkeys(range(len(nulls)), 0))}
    while middles := {i: (left + right + 1) // 2 for i, (left, right) in ends.items() if left < right}:
        beyond = set(out(middles))
        for i, middle in middles.items():
            ends[i] = [middle, ends[i][1]] if i in beyond else [ends[i][0], middle - 1]
    return [grid[ends[i][0]] if i in ends else 1.0 for i in range(len(nulls))]
