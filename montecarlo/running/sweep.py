"""The loop of a sweep: read what is kept, compute what is missing, keep it, and never stop for one failure."""

import math
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from itertools import count
from types import TracebackType

import numpy as np

from asymp.montecarlo.estimate import Estimate
from asymp.montecarlo.running.pools import Failure, Pool, Serial, compute
from asymp.montecarlo.running.provenance import command_line
from asymp.montecarlo.running.series import CannotLoad, Cell, Range, Series, Work, cover, gaps, meet, stripes
from asymp.montecarlo.running.source import why_not_kept
from asymp.montecarlo.running.store import Store, Writer

MOST_VALUES = 2**22  # in one cell: 32 MB
MOST_TRIES = 3  # for a cell whose worker was lost
MOST_FAILURES = 3  # of one series, before the rest of it is given up
LONGEST = 40.0  # seconds after which a cell begins no further block, whatever was planned
Answer = tuple[Cell | None, Failure | None]


@dataclass(eq=False)
class Item:
    """Blocks of a work that wait to be computed: one cell, or more if they prove expensive."""

    work: Work
    first: int
    last: int
    tries: int = 0
    alone: bool = False

    @property
    def blocks(self) -> int:
        """How many blocks."""
        return self.last - self.first


class Sweep(AbstractContextManager["Sweep"]):
    """Series to be measured: `want` them, `settle` all, or `step` until some are there and `stop`, take their `values`, `close`.

    After the `deadline`, a moment of the `clock`, no block is begun. A `shard` (i, n) computes the i-th of n parts of what is
    wanted, and reads nothing.

    The bits do not depend on the pool, the store, the order or the cells' sizes: a block's do not.
    """

    def __init__(
        self,
        *,
        pool: Pool | None = None,
        store: Store | None = None,
        shard: tuple[int, int] | None = None,
    ) -> None:
        self.pool: Pool = pool or Serial()
        self.store = store
        self.shard = shard
        self.clock: Callable[[], float] = time.monotonic
        self.deadline = math.inf
        self.works: dict[str, Work] = {}
        self.notices: list[str] = []
        self.computed = self.found = 0
        self._queue: deque[Item] = deque()
        self._under_way: dict[Future[Answer], Item] = {}
        self.writer = Writer(store)
        self._command = command_line(store.folder if store is not None else None)
        self._refused = ""
        self._owners = count()  # pieces of series are dealt out to the shards in turn
        if store is not None:
            store.forget_listing()

    def want(self, series: Series, blocks: int) -> Work:
        """Want the first blocks of a series from now on: what is kept is read, what is missing is lined up."""
        work = self.works.setdefault(series.key, Work(series))
        self._note_unkept(series)
        if blocks > work.blocks:
            work.blocks = blocks
            here = [*work.pieces, *work.lined_up]
            if self.store is not None and series.storable:
                unread = gaps(here, blocks)
                kept = [r for r in cover(self.store.ranges(series.key), blocks) if meet(unread, [r])]
                here += kept if self.shard is not None else self._read(work, kept)
            missing = gaps(here, blocks)
            if self.shard is not None:
                index, number = self.shard
                mine = [piece for piece in stripes(blocks, number) if next(self._owners) % number == index - 1]
                missing = meet(missing, mine)
            for first, last in missing:
                self._line_up(work, first, last)
        return work

    def _note_unkept(self, series: Series) -> None:
        if not series.storable and self.store is not None:
            why = why_not_kept(series.experiment.sample)
            self._note(f"the results of {series.experiment.id} are not kept: {why}")

    @property
    def waiting(self) -> int:
        """How many pieces of work have not begun."""
        return len(self._queue)

    @property
    def busy(self) -> bool:
        """Whether anything waits or is under way."""
        return bool(self._queue or self._under_way)

    def step(self) -> None:
        """Keep the workers busy, and take what has finished; waits a little if nothing has."""
        self._fill()
        self._collect()

    def settle(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Work until everything wanted is complete or given up; `progress` is told the pieces of work done, and all of them."""
        while self.busy:
            self.step()
            if progress is not None:
                progress(self.computed, self.computed + len(self._queue) + len(self._under_way))
        self.raise_refusal()

    def stop(self, patience: float = 2.0) -> None:
        """Begin nothing any more: what waits is forgotten, what is finished, or will be in some seconds, is kept."""
        self._queue.clear()
        end = time.monotonic() + patience
        while self._under_way and time.monotonic() < end:
            self._collect()
            self._queue.clear()

    def _line_up(self, work: Work, first: int, last: int, *, soon: bool = False) -> None:
        """Put blocks in the queue, in cells of the size that their cost calls for, if it is known."""
        most = max(1, MOST_VALUES // work.series.experiment.block)
        rate = work.rate
        if rate is not None:
            most = min(most, max(1, int(self.pool.pace[1] / max(rate, 1e-9))))
        items = [Item(work, at, min(at + most, last)) for at in range(first, last, most)]
        work.lined_up.append((first, last))
        work.waiting += len(items)
        if soon:
            self._queue.extendleft(reversed(items))
        else:
            self._queue.extend(items)

    def probe(self, series: Series) -> float | None:
        """Compute the first block of a series here and now, if nothing of it is known; what a block costs, if it could be had."""
        work = self.works.setdefault(series.key, Work(series))
        if work.rate is None and not work.failures:
            work.waiting += 1
            self._take(Item(work, 0, 1), *compute(series, 0, 1, command=self._command))
            self.raise_refusal()
        return work.rate

    def raise_refusal(self) -> None:
        """If nothing could be measured and an experiment refused its input, the input is wrong, not the run."""
        if self._refused and not self.computed and not self.found:
            raise ValueError(self._refused)

    def _read(self, work: Work, kept: Sequence[Range]) -> list[Range]:
        """Read kept cells of a series; those that are not damaged."""
        assert self.store is not None
        found = []
        for first, last in kept:
            cell = self.store.read(work.series.key, first, last)
            if cell is not None:
                work.take(cell)
                work.found += 1
                self.found += 1
                found.append((first, last))
        return found

    def _fill(self) -> None:
        slots = self.pool.slots  # asked also when nothing waits: a cluster looks after itself then
        while self._queue and len(self._under_way) < slots:
            item = self._queue[0]
            if item.alone and self._under_way:
                return
            self._queue.popleft()
            if len(item.work.failures) >= MOST_FAILURES:
                item.work.waiting -= 1
                continue
            self._submit(item)
            if item.alone:
                return

    def _submit(self, item: Item) -> None:
        series, pool = item.work.series, self.pool
        if not pool.local and series.finder is None:
            self._note(
                f"experiment {series.experiment.id!r} is run in this process: it is no function of a module, and "
                "without cloudpickle it cannot be sent to another"
            )
            pool = Serial()
        seconds = pool.pace[0] if item.work.rate is None else LONGEST
        seconds = min(seconds, max(0.0, self.deadline - self.clock()))
        task = partial(compute, seconds=seconds, command=self._command)
        try:
            future = pool.submit(task, series, item.first, item.last)
        except (BrokenExecutor, RuntimeError) as error:
            future = Future()
            future.set_exception(error if isinstance(error, BrokenExecutor) else BrokenExecutor(str(error)))
        self._under_way[future] = item

    def _note(self, sentence: str) -> None:
        if sentence not in self.notices:
            self.notices.append(sentence)

    def _collect(self) -> None:
        if not self._under_way:
            return
        finished, _ = wait(self._under_way, timeout=1.0, return_when=FIRST_COMPLETED)
        for future in finished:
            item = self._under_way.pop(future, None)
            if item is not None:
                error = CancelledError() if future.cancelled() else future.exception()
                if error is None:
                    self._take(item, *future.result())
                else:
                    self._lost(item, error)

    def _take(self, item: Item, cell: Cell | None, failure: Failure | None) -> None:
        """Keep what was finished, line up what was not."""
        work, reached = item.work, item.first
        work.waiting -= 1
        if isinstance(failure, CannotLoad):
            raise failure
        if isinstance(failure, ValueError):
            self._refused = self._refused or str(failure)
        if cell is not None:
            reached = cell.last
            work.take(cell)
            work.spent += cell.seconds
            work.computed += 1
            self.computed += 1
            if cell.reads and self.store is not None:
                self._note(
                    f"the results of {work.series.names['experiment']} are not kept: its sampler reads {cell.reads}"
                )
            elif work.series.storable:
                self.writer.keep(cell)
            if self.shard is not None:
                work.pieces.clear()
        if failure is not None:
            work.failures.append(str(failure))
            reached += 1
        if reached < item.last:
            self._line_up(work, reached, item.last, soon=True)

    def _lost(self, item: Item, error: BaseException) -> None:
        """A worker has gone, and with it this item; if the whole pool has, those under way are tried again one by one."""
        if isinstance(error, ImportError):
            raise CannotLoad(f"the workers cannot load asymp ({error}); install the same version there")
        suspects = [item]
        if isinstance(error, BrokenExecutor):
            suspects += self._under_way.values()
            self._under_way.clear()
            if not self.pool.recover():
                self._give_up([*suspects, *self._queue], "the executor has ended")
                self._queue.clear()
                return
        for suspect in suspects:
            # Who was alone is to blame; the others may have been bystanders.
            suspect.tries += 1 if suspect.alone or len(suspects) == 1 else 0
            suspect.alone = isinstance(error, BrokenExecutor)
        words = "its worker was lost"
        if not isinstance(error, BrokenExecutor | CancelledError):
            words = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        self._give_up([s for s in suspects if s.tries >= MOST_TRIES], f"{words}, {MOST_TRIES} times")
        self._queue.extendleft(reversed([s for s in suspects if s.tries < MOST_TRIES]))

    def _give_up(self, items: list[Item], why: str) -> None:
        for item in items:
            item.work.waiting -= 1
            item.work.failures.append(why)

    def values(self, key: str, replicas: int) -> np.ndarray:
        """The first values of a settled series; `Missing` if it was given up."""
        return self.works[key].values(replicas)

    def close(self, *, now: bool = False) -> None:
        """End the pool and wait for the last writes. What is still under way, after the time was up, is not waited for."""
        try:
            self.pool.close(now=now or bool(self._under_way))
        finally:
            self.writer.close()
        if self.store is not None:
            for name, reason in self.store.aside:
                self._note(f"the damaged file {name} was set aside and its cell computed again: {reason}")

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close(now=kind is not None)


def measure(
    wanted: Sequence[tuple[Series, int]], *, store: Store | None = None, pool: Pool | None = None
) -> list[Estimate]:
    """The estimates of some series, each from so many values; `Missing` if one of them failed.

    With a `store` finished cells are kept there, and found again; without a `pool` they are computed in this process.
    """
    with Sweep(pool=pool, store=store) as sweep:
        for series, replicas in wanted:
            sweep.want(series, series.blocks_for(replicas))
        sweep.settle()
        return [s.experiment.estimate(sweep.values(s.key, replicas), **s.params) for s, replicas in wanted]
