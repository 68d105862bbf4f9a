"""A row of the bench: what was timed, against what, and the ratio that it must reach."""

import math
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import torch

__all__ = ["Row", "each", "faster", "no_slower", "seconds"]

Work = Callable[[], Any]


@dataclass(frozen=True)
class Row:
    """One figure: what was done, against what, the ratio of times, and what it has to be."""

    work: str
    against: str
    threads: int
    baseline_seconds: float
    seconds: float
    ratio: float
    must: str
    reached: bool


def seconds(work: Work, rounds: int = 1) -> float:
    """The least wall time of a few rounds."""
    best = math.inf
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def each(work: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
    """Work on every item, as many at once as there are threads: a block has one thread, so cells share them out."""
    threads = torch.get_num_threads()
    if threads == 1:
        return [work(item) for item in items]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, items))


def faster(work: str, against: str, baseline: float, product: float, least: float) -> Row:
    """A figure that must be at least `least` times faster than the baseline."""
    ratio = baseline / product
    return Row(work, against, torch.get_num_threads(), baseline, product, ratio, f">= {least:g}x", ratio >= least)


def no_slower(work: str, against: str, baseline: float, product: float, most: float) -> Row:
    """A figure that must take at most `most` times as long as the baseline."""
    ratio = product / baseline
    return Row(work, against, torch.get_num_threads(), baseline, product, ratio, f"<= {most:g}x", ratio <= most)
