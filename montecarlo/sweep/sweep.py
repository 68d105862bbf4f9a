"""The loop of a sweep: read what is kept, compute what is missing, keep it, and never stop for one failure."""

import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from types import TracebackType
from typing import Any

import numpy as np

from asymp.montecarlo.executors.finders import Here, finder_for
from asymp.montecarlo.executors.pools import Pool, Serial
from asymp.montecarlo.executors.task import CannotLoad, Done, Finder, Task, run_task
from asymp.montecarlo.store.cellfile import Cell
from asymp.montecarlo.store.folder import Store
from asymp.montecarlo.store.provenance import command_line
from asymp.montecarlo.store.series import Series
from asymp.montecarlo.store.writer import Writer
from asymp.montecarlo.sweep.costs import Costs
from asymp.montecarlo.sweep.ranges import cover, cut, gaps, meet, stripes
from asymp.montecarlo.sweep.work import Item, Missing, Work

__all__ = ["Missing", "Report", "Sweep"]

MOST_VALUES = 2**22  # in one cell: 32 MB
MOST_TRIES = 3  # for a cell whose worker was lost
MOST_FAILURES = 3  # of one series, before the rest of it is given up
LONGEST = 40.0  # seconds after which a cell begins no further block, whatever was planned
SECONDS_BETWEEN_REPORTS = 0.25
MOST_GUESSED = 0.5  # of what waits: beyond, no time left is told

Report = Callable[[str, int, int, float | None], None]


class Sweep:
    """Series to be measured. `add` them, `start`, `settle` the ones wanted next, take their `values`, `close`.

    The bits do not depend on the pool, the store, the order or the cells' sizes: a block's do not.
    """

    def __init__(
        self,
        *,
        pool: Pool | None = None,
        store: Store | None = None,
        shard: tuple[int, int] | None = None,
        report: Report | None = None,
    ) -> None:
        self.pool: Pool = pool or Serial()
        self.store = store
        self.shard = shard
        self.works: dict[str, Work] = {}
        self.notices: list[str] = []
        self.computed = self.found = 0
        self._report = report
        self._reported = 0.0
        self._label = ""
        self._queue: deque[Item] = deque()
        self._under_way: dict[Future[Any], Item] = {}
        self._writer = Writer(store) if store is not None else None
        self._command = command_line(store.folder if store is not None else None)
        self._expected = 0
        self._refused = ""

    def add(self, series: Series, replicas: int, finder: Callable[[], Finder | None] | None = None) -> str:
        """Want the first `replicas` values of a series; its key."""
        blocks = series.blocks_for(replicas)
        known = self.works.get(series.key)
        if known is None:
            self.works[series.key] = Work(series, blocks, finder or (lambda: finder_for(series.experiment)))
        else:
            known.blocks = max(known.blocks, blocks)
        return series.key

    def start(self) -> None:
        """Look at what is kept and line up what is missing, in the order in which series were added."""
        if self.store is not None:
            self.store.forget_listing()
        unknown = {w.series.experiment.id for w in self.works.values() if not w.series.storable}
        if unknown and self.store is not None:
            names = ", ".join(sorted(unknown))
            self.notices.append(f"the results of {names} are not kept: their code cannot be told from other code")
        turn = 0
        for work in self.works.values():
            if self.store is not None and work.series.storable:
                work.stored = cover(self.store.ranges(work.series.key), work.blocks)
            missing = gaps(work.stored, work.blocks)
            if self.shard is not None:
                index, number = self.shard
                mine = []
                for stripe in stripes(work.blocks, number):
                    if turn % number == index - 1:
                        mine.append(stripe)
                    turn += 1
                missing = meet(missing, mine)
            elif missing and work.stored:
                self._time_from_store(work)
            self._expected += len(work.stored)
            for first, last in missing:
                self._line_up(work, first, last)
        self.pool.consider(spent=0.0, left=self.left()[1])

    def _time_from_store(self, work: Work) -> None:
        assert self.store is not None
        cell = self.store.read(work.series.key, *work.stored[0])
        if cell is not None:
            work.time(cell.last - cell.first, cell.seconds)

    def _line_up(self, work: Work, first: int, last: int, *, soon: bool = False) -> None:
        """Put blocks in the queue, in cells of the size that their cost calls for, if it is known."""
        most = max(1, MOST_VALUES // work.series.experiment.block)
        rate = work.rate
        if rate is not None:
            most = min(most, max(1, int(self.pool.pace[1] / max(rate, 1e-9))))
        items = [Item(work, a, b) for a, b in cut((first, last), most)]
        work.waiting += len(items)
        if soon:
            self._queue.extendleft(reversed(items))
        else:
            self._queue.extend(items)

    def settle(self, keys: Iterable[str], label: str = "") -> None:
        """Work until these series are complete or given up; the pool is kept full with the others meanwhile."""
        self._label = label
        wanted = [self.works[key] for key in keys]
        for work in wanted:
            self._load(work)
        while any(work.waiting for work in wanted):
            self._fill()
            self._collect()
        self._tell_refused()
        self._tell(force=True)

    def settle_all(self, label: str = "") -> None:
        """Work until nothing is left, without reading what is kept: for shards."""
        self._label = label
        while self._queue or self._under_way:
            self._fill()
            self._collect()
        self._tell_refused()
        self._tell(force=True)

    def probe(self, seconds: float) -> None:
        """Compute one block of every series of which nothing is known, to know what it costs, for some seconds at most."""
        deadline = time.monotonic() + seconds
        warm: set[str] = set()
        # The settings with the most blocks, whose price is multiplied most, and those with the fewest, the dearest, by turns.
        waiting = deque(sorted(self._queue, key=lambda item: -item.blocks))
        while waiting and time.monotonic() < deadline:
            item = waiting.popleft()
            waiting.reverse()
            if item.work.rate is None:
                if item.blocks > 1 and item.work.series.experiment.id not in warm:
                    self._probe_one(item)  # an experiment's first block also pays for what is loaded once
                    item.work.seconds, item.work.timed = 0.0, 0
                warm.add(item.work.series.experiment.id)
                self._probe_one(item)
        done = [item for item in self._queue if not item.blocks]
        for item in done:
            item.work.waiting -= 1
            self._queue.remove(item)
        self._tell_refused()

    def _probe_one(self, item: Item) -> None:
        """Compute the first block of an item here and now."""
        one = Item(item.work, item.first, item.first + 1)
        one.work.waiting += 1
        self._take(one, run_task(_task(one, Here(one.work.series.experiment), 0.0)))
        item.first += 1

    def _tell_refused(self) -> None:
        """If nothing could be measured and an experiment refused its input, the input is wrong, not the run."""
        if self._refused and not self.computed and not self.found:
            raise ValueError(self._refused)

    def _load(self, work: Work) -> None:
        """Read the kept cells of a series; what turns out damaged goes to the head of the queue."""
        if not work.stored:
            return
        assert self.store is not None
        before = gaps(work.stored, work.blocks)
        read = []
        for first, last in work.stored:
            cell = self.store.read(work.series.key, first, last)
            if cell is not None:
                work.pieces[first, last] = cell.values
                work.time(last - first, cell.seconds)
                work.comes_from(cell.provenance)
                work.found += 1
                self.found += 1
                read.append((first, last))
                self._tell()
        lost, work.stored = len(work.stored) - len(read), []
        self._expected -= lost
        if lost:
            done = gaps(before, work.blocks)  # what was not missing before is not in the queue
            for first, last in reversed(meet(gaps(read, work.blocks), done)):
                self._line_up(work, first, last, soon=True)

    def _fill(self) -> None:
        while self._queue and len(self._under_way) < self.pool.slots:
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
        work, series = item.work, item.work.series
        known = work.rate is not None
        pool: Pool = self.pool
        finder: Finder | None = Here(series.experiment) if pool.local else work.finder()
        if finder is None:
            self._note(
                f"experiment {series.experiment.id!r} is run in this process: it is no function of a module, and "
                "without cloudpickle it cannot be sent to another"
            )
            pool, finder = Serial(), Here(series.experiment)
        try:
            future = pool.submit(run_task, _task(item, finder, LONGEST if known else pool.pace[0]))
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
            if item is None:
                continue
            error = None if future.cancelled() else future.exception()
            if future.cancelled() or error is not None:
                self._lost(item, error)
            else:
                self._take(item, future.result())
        self._tell()

    def _take(self, item: Item, done: Done) -> None:
        """Keep what was finished, line up what was not."""
        work = item.work
        work.waiting -= 1
        if done.cannot_load:
            raise CannotLoad(done.failure)
        if done.bad_input:
            self._refused = self._refused or done.failure
        reached = done.last
        if done.last > done.first:
            work.pieces[done.first, done.last] = done.values
            work.time(done.last - done.first, done.seconds)
            work.comes_from(done.provenance)
            work.spent += done.seconds
            work.computed += 1
            self.computed += 1
            if self._writer is not None and work.series.storable:
                self._writer.keep(self._cell(work, done))
            if self.shard is not None:
                work.pieces.pop((done.first, done.last))
        if done.failure:
            work.failures.append(done.failure)
            reached += 1
        if reached < item.last:
            self._line_up(work, reached, item.last, soon=True)

    def _cell(self, work: Work, done: Done) -> Cell:
        return Cell(
            key=work.series.key,
            names=work.series.names,
            first=done.first,
            last=done.last,
            values=done.values,
            seconds=done.seconds,
            provenance={**done.provenance, "command": self._command},
        )

    def _lost(self, item: Item, error: BaseException | None) -> None:
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
        words = "its worker was lost" if error is None or isinstance(error, BrokenExecutor) else _words(error)
        self._give_up([s for s in suspects if s.tries >= MOST_TRIES], f"{words}, {MOST_TRIES} times")
        self._queue.extendleft(reversed([s for s in suspects if s.tries < MOST_TRIES]))

    def _give_up(self, items: list[Item], why: str) -> None:
        for item in items:
            item.work.waiting -= 1
            item.work.failures.append(why)

    def values(self, key: str, replicas: int) -> np.ndarray:
        """The first values of a settled series; `Missing` if it was given up."""
        return self.works[key].values(replicas)

    def release(self, key: str) -> None:
        """Forget the values of a series that nobody needs any more."""
        self.works[key].pieces.clear()

    @property
    def unkept(self) -> tuple[int, str]:
        """How many cells could not be written, and why; complete after `close`."""
        return (0, "") if self._writer is None else (self._writer.lost, self._writer.reason)

    @property
    def kept(self) -> int:
        """How many cells were written; complete after `close`."""
        return 0 if self._writer is None else self._writer.kept

    def left(self) -> tuple[int, float]:
        """Cells and seconds of work left, by what the work so far has cost."""
        return Costs(self.works.values()).left(self._waiting(), cell=self.pool.pace[1])

    def _waiting(self) -> list[Item]:
        return [*self._queue, *self._under_way.values()]

    def _tell(self, *, force: bool = False) -> None:
        now = time.monotonic()
        if not force and now - self._reported < SECONDS_BETWEEN_REPORTS:
            return
        self._reported = now
        cells, seconds = self.left()
        self.pool.consider(spent=sum(w.spent for w in self.works.values()), left=seconds)
        if self._report is not None:
            done = self.computed + self.found
            total = self._expected + self.computed + cells
            # Where most of what waits was never timed, a guess from the dear work done first would be hours off.
            blind = Costs(self.works.values()).guessed(self._waiting()) > MOST_GUESSED
            self._report(self._label, done, max(done, total), None if blind else seconds / self.pool.workers)

    def close(self, *, now: bool = False) -> None:
        """End the pool and wait for the last writes."""
        try:
            self.pool.close(now=now)
        finally:
            if self._writer is not None:
                self._writer.close()
        if self.store is not None:
            for name, reason in self.store.aside:
                self._note(f"the damaged file {name} was set aside and its cell computed again: {reason}")

    def __enter__(self) -> "Sweep":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close(now=kind is not None)


def _task(item: Item, finder: Finder, seconds: float) -> Task:
    series = item.work.series
    return Task(
        finder=finder,
        params=series.params,
        seed=series.seed,
        device=series.device,
        first=item.first,
        last=item.last,
        seconds=seconds,
        source=None if isinstance(finder, Here) else series.source,
    )


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
