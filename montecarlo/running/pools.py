"""Where work runs on this machine (this process, worker processes, anyone's executor), and what runs there: `compute`."""

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TypeVar

import numpy as np

from asymp.montecarlo.experiment import Experiment, ExperimentError
from asymp.montecarlo.lazy import torch
from asymp.montecarlo.running.provenance import machine
from asymp.montecarlo.running.series import CannotLoad, Cell, Finder, Series
from asymp.montecarlo.running.source import same_code, source_hash
from asymp.montecarlo.running.watch import opened

PACE = (2.0, 10.0)
PATIENCE = 2.0  # seconds of work in this process before worker processes, which take as long to start, are worth it
WAITING = 0.4
"""The share of the time for which a simulator that does not wait for something else has a processor, at least."""
ROUNDING = 1e-6
"""By this share of the largest value two drawings of a block may differ."""
LONG = 1.0
"""Seconds: a first block that took longer is not drawn again as a whole to see whether it repeats."""
R = TypeVar("R")


def cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Pool(ABC):
    """A place to run functions, with so many workers.

    `pace` is (first, later): how many seconds a task may take whose cost is not known yet, and how many a planned one
    should take.
    """

    pace = PACE
    workers: int = 1

    @property
    def local(self) -> bool:
        """Whether the next task runs in this process."""
        return False

    @property
    def slots(self) -> int:
        """How many tasks may be under way at once, asked before each round of submissions: a few wait in line."""
        return 1 if self.local else 2 * self.workers + 1

    @abstractmethod
    def submit(self, function: Callable[..., R], *arguments: object) -> "Future[R]":
        """Have function(*arguments) run."""

    def recover(self) -> bool:
        """Make the pool usable after workers were lost; False if that cannot be done, or is not ours to do."""
        return False

    @abstractmethod
    def close(self, *, now: bool) -> None:
        """End: at once, or when nothing is under way. What has not begun is withdrawn."""


class Serial(Pool):
    """One task after the other in this process."""

    local = True

    def submit(self, function: Callable[..., R], *arguments: object) -> "Future[R]":
        """Run it now."""
        future: Future[R] = Future()
        try:
            future.set_result(function(*arguments))
        except Exception as error:
            future.set_exception(error)
        return future

    def close(self, *, now: bool) -> None:
        """Nothing to end."""


class Processes(Pool):
    """Worker processes on this machine, one torch thread each. A worker that dies takes no other's work with it.

    `patience`: the seconds of work that are done in this process before workers are started, so that small work starts
    none.
    """

    def __init__(self, workers: int, *, patience: float = 0.0) -> None:
        self.workers = workers
        # Modules that workers will need: loaded once for all of them.
        self.preload: tuple[str, ...] = (__name__,)
        self._patience = patience if workers > 1 or not patience else float("inf")
        self._pool: ProcessPoolExecutor | None = None

    @property
    def local(self) -> bool:
        """Whether the work has been too little so far for processes."""
        return self._patience > 0

    def submit(self, function: Callable[..., R], *arguments: object) -> "Future[R]":
        """Have a worker run it, or, while the work is small, this process."""
        if self.local:
            start = time.perf_counter()
            done = Serial().submit(function, *arguments)
            self._patience -= time.perf_counter() - start
            return done
        if self._pool is None:
            self._pool = ProcessPoolExecutor(self.workers, mp_context=_context(self.preload), initializer=_start)
        with _deaf():  # each of the first tasks may start a process
            return self._pool.submit(function, *arguments)

    def recover(self) -> bool:
        """Start fresh workers with the next task."""
        self.close(now=True)
        return True

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


class Borrowed(Pool):
    """Any concurrent.futures.Executor: the caller made it and ends it."""

    def __init__(self, executor: Executor, *, workers: int | None = None) -> None:
        self.workers = workers or getattr(executor, "_max_workers", None) or cores()
        self._executor = executor
        self._under_way: set[Future[object]] = set()

    def submit(self, function: Callable[..., R], *arguments: object) -> "Future[R]":
        """Pass it on."""
        future = self._executor.submit(function, *arguments)
        self._under_way.add(future)  # type: ignore[arg-type]
        future.add_done_callback(self._under_way.discard)
        return future

    def close(self, *, now: bool) -> None:
        """Leave the executor to its owner."""
        for future in list(self._under_way):
            future.cancel()


def pool_of(executor: Pool | Executor | int | None) -> Pool:
    """The pool that an executor, a number of processes, or nothing (this process alone) stands for."""
    if executor is None:
        return Serial()
    if isinstance(executor, bool) or (isinstance(executor, int) and executor < 1):
        raise ValueError(f"executor must be a number of processes >= 1 or an executor; got {executor!r}")
    if isinstance(executor, int):
        return Serial() if executor == 1 else Processes(executor)
    return Borrowed(executor) if isinstance(executor, Executor) else executor


def local_pool(workers: int | None, device: str = "auto") -> Pool:
    """So many worker processes; without a number all cores, as soon as the work proves to be worth it.

    One GPU is shared by nobody: without a number its results come from this process.
    """
    if workers is not None and (isinstance(workers, bool) or workers < 1):
        raise ValueError(f"workers must be an integer >= 1; got {workers}")
    if workers is None:
        return Serial() if device.startswith("cuda") else Processes(cores(), patience=PATIENCE)
    return Serial() if workers == 1 else Processes(workers)


def _context(preload: Sequence[str]) -> BaseContext:
    """How processes are started: from a clean server that has torch loaded, never by a fork of a process with threads."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    chosen = multiprocessing.get_context("forkserver")
    chosen.set_forkserver_preload(list(preload))
    return chosen


@contextlib.contextmanager
def _deaf() -> Iterator[None]:
    """Start processes that do not hear Ctrl-C or SIGTERM while they load modules; what comes meanwhile is heard afterwards here.

    Their parent ends them; one that was interrupted while it starts them would not know of them. Blocking a signal in this
    thread keeps it from what is started, but not from Python, which another thread may wake for it: so it is put off, too.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "pthread_sigmask"):
        yield
        return
    both = {signal.SIGINT, signal.SIGTERM}
    heard: list[int] = []
    usual = {one: signal.signal(one, lambda number, frame: heard.append(number)) for one in both}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, both)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for one, handler in usual.items():
            signal.signal(one, signal.SIG_DFL if handler is None else handler)
        for number in heard[:1]:
            signal.raise_signal(number)


def _start() -> None:
    """What a worker does before its first task: one torch thread, deaf to Ctrl-C, and gone when its parent is.

    What samplers print is no result, and goes to standard error.
    """
    sys.stdout = sys.stderr
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent ends its workers itself
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_follow, args=(parent,), daemon=True).start()
    torch.set_num_threads(1)


def _follow(parent: BaseProcess) -> None:
    """End this process when its parent has gone, however it went."""
    parent.join()
    os._exit(1)


Failure = ValueError | ExperimentError


def _delayed() -> float:
    """Seconds for which this thread was ready and other programs had the processors; 0 where the system does not tell."""
    try:
        return int(Path("/proc/thread-self/schedstat").read_text().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def _clocks() -> np.ndarray:
    """Seconds by the wall, of this process, and for which it was ready and others had the processors."""
    return np.array([time.perf_counter(), time.process_time(), _delayed()])


def compute(
    series: Series,
    first: int,
    last: int,
    *,
    seconds: float = float("inf"),
    command: str = "",
) -> tuple[Cell | None, Failure | None]:
    """Blocks first, ..., last - 1 of a series, as far as they could be computed, and what stopped it if an error did.

    After `seconds` no further block is begun. `command` is noted as what asked for them. A series that came from another
    process has no experiment; its finder finds it. Nothing is raised, so that what was finished is never lost.
    """
    started, start = datetime.now(UTC), _clocks()
    blocks: list[np.ndarray] = []
    failure: Failure | None = None
    try:
        experiment = series.experiment or _found(series.finder, series.source)
        # a worker's first task loads modules; that is no cost of the cell
        start = _clocks()
        drawn = experiment.blocks(seed=series.seed, device=series.device, first_block=first, **series.params)
        while True:
            watched: contextlib.AbstractContextManager[list[str]] = (
                opened() if experiment.users else contextlib.nullcontext([])
            )
            with watched as files:
                block = next(drawn)
            if files:
                _reading[experiment.id] = files[0]
            if not blocks:
                paused = _clocks()
                check_sampler(experiment, series, first, block, seconds=float(paused[0] - start[0]))
                start += _clocks() - paused  # what was drawn again is no cost of the cell
            blocks.append(block)
            if len(blocks) == last - first or time.perf_counter() - start[0] >= seconds:
                break
    except CannotLoad as error:
        failure = error
    except ValueError as error:
        failure = ValueError(str(error))  # a class of the user's own may not travel between processes
    except Exception as error:
        failure = ExperimentError(str(error) or type(error).__name__)
    if not blocks:
        return None, failure
    spent, used, delayed = (_clocks() - start).tolist()
    spent = max(used, spent - delayed)
    if used > WAITING * spent:  # other programs on this machine are no cost of the cell; a GPU that it waits for is
        spent = used
    origin = {**machine(series.device), "started": started.isoformat(timespec="seconds"), "command": command}
    reached = first + len(blocks)
    values, reads = np.concatenate(blocks), _reading.get(experiment.id, "")
    return Cell(series.key, series.names, first, reached, values, spent, origin, reads), failure


_reading: dict[str, str] = {}
"""A file that an experiment has read in this process while it drew: its results may change with that file."""
_sound: set[str] = set()
"""Experiments of which the first block that this process drew is as it should be."""


def check_sampler(experiment: Experiment, series: Series, index: int, block: np.ndarray, *, seconds: float) -> None:
    """Draw the first block that this process has of a user's experiment again: the same but for rounding, and from `draw`.

    Linear algebra may round its last bit by where in memory an array lies. Where that block took long, in `seconds`, a block
    of one replica is drawn twice instead.
    """
    if not experiment.users or not series.device.startswith("cpu") or experiment.id in _sound:
        return

    def drawn(of: Experiment) -> tuple[np.ndarray, bool]:
        return of.block_again(index, seed=series.seed, device=series.device, **series.params)

    one = replace(experiment, block=1) if seconds > LONG else experiment
    first, (again, used) = drawn(one)[0] if seconds > LONG else block, drawn(one)
    if not np.allclose(again, first, rtol=0, atol=ROUNDING * np.abs(first).max()):
        raise ExperimentError(
            f"experiment {experiment.id!r} gave other values when the same block was drawn again; its sampler must take all "
            "random numbers from `draw`, and must not change anything that it uses the next time"
        )
    if not used and len(np.unique(block)) > 1:
        raise ExperimentError(
            f"experiment {experiment.id!r} took no random number from `draw`, but its values differ; its sampler must take "
            "all random numbers from `draw`, and none from a generator with a constant seed"
        )
    bounds, kurtosis = experiment.declared(**series.params)
    of_means = (bounds is not None or kurtosis is not None) and not experiment.deterministic
    # where there is no error at all, or nothing but errors, a sampler may need no random numbers
    if not used and of_means and block[0] not in (bounds or ()):
        raise ExperimentError(
            f"experiment {experiment.id!r} took no random number from `draw`, so that all its values are the same; its "
            "sampler must take all random numbers from `draw`, or say deterministic=True where every replica must give the "
            "same number"
        )
    _sound.add(experiment.id)


@lru_cache(maxsize=256)
def _found(finder: Finder | None, source: str | None) -> Experiment:
    assert finder is not None, "what nobody can find is run where it was declared"
    experiment = finder.find()
    source = getattr(finder, "source", None) or source
    if source is not None and not same_code(source_hash(experiment.sample), source):
        raise CannotLoad(
            f"the worker has other code for experiment {experiment.id!r} than the command that sent it, or other values that "
            "the code uses; install the same version of asymp and of the claims there, and change nothing of theirs after loading"
        )
    return experiment
