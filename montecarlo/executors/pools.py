"""Where tasks run: one small protocol, and the pools of this machine: in turn, in processes, or first one then the other."""

import contextlib
import os
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from typing import Any, Protocol

__all__ = ["Automatic", "Borrowed", "Pool", "Processes", "Serial", "cores"]

PACE = (2.0, 10.0)


class Pool(Protocol):
    """A place to run tasks. `slots` tasks may be under way at once; `pace` is (first, later): how many seconds a task
    may take whose cost is not known yet, and how many a planned cell should take.
    """

    slots: int
    pace: tuple[float, float]
    workers: int

    @property
    def local(self) -> bool:
        """Whether tasks run in this process."""
        ...

    def submit(self, function: Callable[..., Any], task: Any) -> "Future[Any]":
        """Have function(task) run."""
        ...

    def recover(self) -> bool:
        """Make the pool usable after workers were lost; False if that cannot be done."""
        ...

    def consider(self, *, spent: float, left: float) -> None:
        """Told from time to time how many seconds of work were done and are left."""
        ...

    def close(self, *, now: bool) -> None:
        """End: at once, or when nothing is under way."""
        ...


def cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Serial:
    """One task after the other in this process."""

    local = True

    def __init__(self) -> None:
        self.slots, self.workers, self.pace = 1, 1, PACE

    def submit(self, function: Callable[..., Any], task: Any) -> "Future[Any]":
        """Run it now."""
        future: Future[Any] = Future()
        try:
            future.set_result(function(task))
        except Exception as error:
            future.set_exception(error)
        return future

    def recover(self) -> bool:
        """Nothing can be lost."""
        return True

    def consider(self, *, spent: float, left: float) -> None:
        """Stay as it is."""

    def close(self, *, now: bool) -> None:
        """Nothing to end."""


class Processes:
    """Worker processes on this machine, one torch thread each. A worker that dies takes no other's work with it."""

    def __init__(self, workers: int) -> None:
        self.workers, self.pace = workers, PACE
        self.slots = 2 * workers + 1  # a few wait in line, so that no worker idles while this process judges
        self._pool: ProcessPoolExecutor | None = None

    @property
    def local(self) -> bool:
        """Not in this process."""
        return False

    def submit(self, function: Callable[..., Any], task: Any) -> "Future[Any]":
        """Have a worker run it."""
        if self._pool is None:
            from asymp.montecarlo.executors.worker import context, start

            self._pool = ProcessPoolExecutor(self.workers, mp_context=context(), initializer=start)
        return self._pool.submit(function, task)

    def recover(self) -> bool:
        """Start fresh workers with the next task."""
        self.close(now=True)
        return True

    def consider(self, *, spent: float, left: float) -> None:
        """Stay as it is."""

    def close(self, *, now: bool) -> None:
        """End the workers; `now` does not wait for what they are doing."""
        pool, self._pool = self._pool, None
        if pool is None:
            return
        processes = list((getattr(pool, "_processes", None) or {}).values())
        if now:
            for process in processes:
                with contextlib.suppress(OSError, ValueError):
                    process.kill()
        pool.shutdown(wait=True, cancel_futures=True)


class Automatic(Processes):
    """In this process while the work is small; worker processes, which take seconds to start, once it proves not to be.

    `since`: the moment (time.monotonic) since when the server that starts the workers has been loading, if it has.
    """

    WARM_UP, WORTH_IT = 2.0, 8.0  # seconds of work done before it is judged; seconds of work left that make it worth it

    def __init__(self, workers: int, *, since: float | None = None) -> None:
        super().__init__(workers)
        self.later = self.slots
        self._serial: Serial | None = Serial()
        self._since = since
        self.slots = 1

    @property
    def local(self) -> bool:
        """Whether tasks still run in this process."""
        return self._serial is not None

    def submit(self, function: Callable[..., Any], task: Any) -> "Future[Any]":
        """Run it here, or have a worker run it."""
        return self._serial.submit(function, task) if self._serial else super().submit(function, task)

    def consider(self, *, spent: float, left: float) -> None:
        """Turn to processes when enough is known to be left; work goes on here while they load."""
        if self._serial is None or self.workers < 2 or left < self.WORTH_IT:
            return
        if self._since is None and spent > 0 and left >= 2 * self.WORTH_IT:
            from asymp.montecarlo.executors.worker import start_server

            self._since = time.monotonic()
            start_server()
        loaded = self._since is not None and time.monotonic() - self._since >= self.WARM_UP
        if loaded or spent >= self.WARM_UP:
            self._serial, self.slots = None, self.later


class Borrowed:
    """Any concurrent.futures.Executor: the caller made it and ends it."""

    local = False

    def __init__(self, executor: Executor, *, workers: int | None = None) -> None:
        self.workers = workers or getattr(executor, "_max_workers", None) or cores()
        self.slots, self.pace = 2 * self.workers + 1, PACE
        self._executor = executor
        self._under_way: set[Future[Any]] = set()

    def submit(self, function: Callable[..., Any], task: Any) -> "Future[Any]":
        """Pass it on."""
        future = self._executor.submit(function, task)
        self._under_way.add(future)
        future.add_done_callback(self._under_way.discard)
        return future

    def recover(self) -> bool:
        """It is not ours to start again."""
        return False

    def consider(self, *, spent: float, left: float) -> None:
        """Stay as it is."""

    def close(self, *, now: bool) -> None:
        """Leave the executor to its owner; what has not begun is withdrawn."""
        for future in list(self._under_way):
            future.cancel()
