"""Intervals of many estimates at once: the same bits as one by one, in a fraction of the time.

A betting interval goes through its values in some hundred steps; most of its time is spent between the steps. Rows of
equal length go through them together. Whether an interval leaves a value out needs one of its ends only, and that no
more exactly than the value lies away from it.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from asymp.montecarlo.estimate import Estimate
from asymp.montecarlo.intervals import _lower_ends, check_level

__all__ = ["Question", "excluded", "prepare_intervals"]

Thing = TypeVar("Thing")

MOST_VALUES = 2**19  # in the rows that go together: beyond, the steps themselves cost the time


def prepare_intervals(estimates: Iterable[Estimate], levels: Sequence[float]) -> None:
    """Have the estimates know their intervals at these levels, for `Estimate.interval` to return."""
    for level in levels:
        check_level(level)
    pairs = [(e, level) for e in estimates if _bets(e) for level in levels if level not in e.intervals]
    for some in _together(dict.fromkeys(pairs)):
        x = np.array([_unit(e) for e, _ in some])
        goals = np.array([math.log((1 - level) / 2) for _, level in some])
        ends = _lower_ends(np.concatenate([x, 1 - x]), np.concatenate([goals, goals]))
        for (e, level), lower, upper in zip(some, ends[: len(some)], ends[len(some) :], strict=True):
            low, width = _scale(e)
            e.intervals[level] = (low + width * float(lower), low + width * float(1 - upper))


@dataclass(frozen=True, eq=False)
class Question:
    """Does the estimate's interval at a level lie wholly above the value, or (above=False) wholly below it?"""

    estimate: Estimate
    level: float
    value: float
    above: bool


def excluded(questions: Sequence[Question]) -> list[bool]:
    """The answers."""
    answers: dict[Question, bool] = {}
    for q in questions:
        if not _bets(q.estimate) or q.level in q.estimate.intervals:
            low, high = q.estimate.interval(q.level)
            answers[q] = q.value < low if q.above else q.value > high
    for some in _together((q.estimate, q) for q in questions if q not in answers):
        asked = [q for _, q in some]
        answers.update(zip(asked, _answers(asked), strict=True))
    return [answers[q] for q in questions]


def _answers(asked: Sequence[Question]) -> list[bool]:
    rows = np.array([_unit(q.estimate) if q.above else 1 - _unit(q.estimate) for q in asked])
    goals = np.array([math.log((1 - q.level) / 2) for q in asked])
    low, width = np.array([_scale(q.estimate) for q in asked]).T
    value = np.array([q.value for q in asked])
    above = np.array([q.above for q in asked])

    def beyond(which: np.ndarray, end: np.ndarray) -> np.ndarray:
        """Whether the value would be left out if this were the end; if it is, it is by every end further in."""
        limit = low[which] + width[which] * np.where(above[which], end, 1 - end)
        left_out: np.ndarray = np.where(above[which], value[which] < limit, value[which] > limit)
        return left_out

    ends = _lower_ends(rows, goals, lambda which, a, b: beyond(which, a) | ~beyond(which, b))
    return [bool(answer) for answer in beyond(np.arange(len(asked)), ends)]


def _bets(e: Estimate) -> bool:
    """Whether the estimate's interval is a betting one, and found by `Estimate` itself."""
    if type(e) is not Estimate or e.bounds is None or e.sequential:
        return False
    return not e.two_valued


def _unit(e: Estimate) -> np.ndarray:
    """The values as shares of the bounds' distance."""
    low, width = _scale(e)
    return np.asarray((e.values - low) / width)


def _scale(e: Estimate) -> tuple[float, float]:
    assert e.bounds is not None
    return e.bounds[0], e.bounds[1] - e.bounds[0]


def _together(pairs: Iterable[tuple[Estimate, Thing]]) -> Iterator[list[tuple[Estimate, Thing]]]:
    """The pairs in lots of equal length, of not too many values."""
    lots: dict[int, list[tuple[Estimate, Thing]]] = defaultdict(list)
    for e, thing in pairs:
        lot = lots[e.replicas]
        lot.append((e, thing))
        if (len(lot) + 1) * e.replicas > MOST_VALUES:
            yield lots.pop(e.replicas)
    yield from lots.values()
