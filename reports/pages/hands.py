"""Processes that help with the report's pages: figures, formulas, corrections. Where there is little to do there are none."""

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

from asymp.montecarlo.executors.worker import context, start

__all__ = ["Hands"]

# A process takes about a second to start, as long as a handful of tasks take.
FEW = 8


class Hands:
    """Worker processes for tasks that need nothing of each other; the results do not depend on their number."""

    def __init__(self, workers: int = 1) -> None:
        self._workers = workers
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> "Hands":
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def begin(self, tasks: Sequence[tuple[Callable[[Any], Any], Any]]) -> list[Callable[[], Any]]:
        """Begin with tasks, each a function and its argument; a result is had by calling what stands in its place."""
        if self._pool is None and self._workers > 1 and len(tasks) >= 2 * FEW:
            self._pool = ProcessPoolExecutor(self._workers, mp_context=context(), initializer=start)
        if self._pool is None:
            return [partial(function, argument) for function, argument in tasks]
        return [self._pool.submit(function, argument).result for function, argument in tasks]
