"""The loop of a sweep: read what is kept, compute what is missing, keep it, and never stop for one failure."""

import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
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
from asymp.montecarlo.running.series import CannotLoad, Cell, Series, Work, cover, gaps, meet, stripes
from asymp.montecarlo.running.store import Store, Writer

MOST_VALUES = 2**22  # in one cell: 32 MB
MOST_TRIES = 3  # for a cell whose worker was lost
MOST_FAILURES = 3  # of one series, before the rest of it is given up
LONGEST = 40.0  # seconds after which a cell begins no further block, whatever was planned
SECONDS_BETWEEN_REPORTS = 0.25
MOST_GUESSED = 0.5  # of what waits: with more, the time left is not reported
TYPICAL = 0.2  # seconds an item of which nothing is known

Report = Callable[[str, int, int, float | None], None]
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


class Costs:
    """Seconds a block, by series, else by the most similar series of the experiment, else on average.

    Similar is a series of as many blocks, or nearly: expensive settings get fewer replicas, so that the mean over all
    settings would give the price of the most expensive to the cheapest, which have the most blocks.
    """

    def __init__(self, works: Iterable[Work]) -> None:
        self._experiments: dict[str, dict[int, list[float]]] = {}
        self._all = [0, 0.0]
        for work in works:
            if work.timed:
                known = self._experiments.setdefault(work.series.experiment.id, {})
                like = known.setdefault(work.blocks, [0, 0.0])
                like[0] += work.timed
                like[1] += work.seconds
                self._all[0] += 1
                self._all[1] += work.seconds / work.timed * work.blocks

    def known(self, item: Item) -> float | None:
        """What an item will cost, by its own series or one of the same experiment; None if none was timed."""
        rate = item.work.rate
        if rate is None:
            known = self._experiments.get(item.work.series.experiment.id)
            if known:
                blocks, seconds = known[min(known, key=lambda n: abs(math.log(n / item.work.blocks)))]
                rate = seconds / blocks
        return None if rate is None else rate * item.blocks

    def seconds(self, item: Item) -> float:
        """What an item will cost; as much as the others on average if nothing is known of its experiment."""
        cost = self.known(item)
        if cost is not None:
            return cost
        return self._all[1] / self._all[0] if self._all[0] else TYPICAL

    def left(self, items: Sequence[Item], *, cell: float) -> tuple[int, float, float]:
        """Cells (of about `cell` seconds) and seconds of the items that wait, and the share that is a mere guess.

        An item of whose experiment nothing is known is a guess, and counts as one cell.
        """
        cells, seconds, guesses = 0, 0.0, 0
        for item in items:
            known = self.known(item)
            cells += 1 if known is None else min(item.blocks, 1 + int(known / cell))
            seconds += self.seconds(item)
            guesses += known is None
        return cells, seconds, guesses / max(1, len(items))


class Sweep(AbstractContextManager["Sweep"]):
    """Series to be measured. `add` them, `start`, `settle` the ones wanted next, take their `values`, `close`.

    Or `want` series as the need arises, `step` until they are there, and `stop`. After the `deadline`, a moment of
    `time.monotonic`, no block is begun.

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
        self.deadline = math.inf
        self.works: dict[str, Work] = {}
        self.notices: list[str] = []
        self.computed = self.found = 0
        self._report, self._reported, self._label = report, 0.0, ""
        self._queue: deque[Item] = deque()
        self._under_way: dict[Future[Answer], Item] = {}
        self.writer = Writer(store)
        self._command = command_line(store.folder if store is not None else None)
        self._expected = 0
        self._refused = ""

    def add(self, series: Series, replicas: int) -> str:
        """Want the first `replicas` values of a series; its key."""
        work = self.works.setdefault(series.key, Work(series))
        work.blocks = max(work.blocks, series.blocks_for(replicas))
        return series.key

    def start(self) -> None:
        """Look at what is kept and line up what is missing, in the order in which series were added."""
        if self.store is not None:
            self.store.forget_listing()
        unknown = {w.series.experiment.id for w in self.works.values() if not w.series.storable}
        if unknown and self.store is not None:
            names = ", ".join(sorted(unknown))
            self._note(f"the results of {names} are not kept: their code cannot be told from other code")
        owners = count()  # pieces of series are dealt out to the shards in turn
        for work in self.works.values():
            if self.store is not None and work.series.storable:
                unread = gaps(work.pieces, work.blocks)
                work.stored = [r for r in cover(self.store.ranges(work.series.key), work.blocks) if meet(unread, [r])]
            missing = gaps([*work.stored, *work.pieces], work.blocks)
            if self.shard is not None:
                index, number = self.shard
                mine = [piece for piece in stripes(work.blocks, number) if next(owners) % number == index - 1]
                missing = meet(missing, mine)
            elif missing and work.stored and self.store is not None:
                cell = self.store.read(work.series.key, *work.stored[0])
                if cell is not None:
                    work.timed, work.seconds = cell.last - cell.first, cell.seconds
            self._expected += len(work.stored)
            for first, last in missing:
                self._line_up(work, first, last)

    def want(self, series: Series, blocks: int) -> Work:
        """Want the first blocks of a series from now on: what is kept is read, what is missing is lined up."""
        work = self.works.setdefault(series.key, Work(series))
        if not work.blocks and not series.storable and self.store is not None:
            self._note(f"the results of {series.experiment.id} are not kept: their code cannot be told from other code")
        if blocks > work.blocks:
            work.blocks = blocks
            here = [*work.pieces, *work.lined_up]
            if self.store is not None and series.storable:
                unread = gaps(here, blocks)
                work.stored = [r for r in cover(self.store.ranges(series.key), blocks) if meet(unread, [r])]
                self._expected += len(work.stored)
                self._load(work)
            for first, last in gaps([*work.pieces, *work.lined_up], blocks):
                self._line_up(work, first, last)
        return work

    @property
    def waiting(self) -> int:
        """How many pieces of work have not begun."""
        return len(self._queue)

    def step(self, label: str = "") -> None:
        """Keep the workers busy, and take what has finished; waits a little if nothing has."""
        self._label = label
        self._fill()
        self._collect()

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

    def settle(self, keys: Iterable[str] | None = None, label: str = "") -> None:
        """Work until these series are complete or given up; the pool is kept full with the others meanwhile.

        Without keys, work until nothing is left, without reading what is kept: for shards.
        """
        self._label = label
        wanted = [self.works[key] for key in keys or ()]
        for work in wanted:
            self._load(work)
        while any(work.waiting for work in wanted) or (keys is None and (self._queue or self._under_way)):
            self._fill()
            self._collect()
        self.raise_refusal()
        self._tell(force=True)

    def probe(self, seconds: float) -> None:
        """Compute one block of every series of which nothing is known, to know what it costs, for some seconds at most."""
        deadline = time.monotonic() + seconds
        warm: set[str] = set()
        # In turn the settings with most blocks, whose price is multiplied most, and with fewest, the most expensive.
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
        self.raise_refusal()

    def _probe_one(self, item: Item) -> None:
        """Compute the first block of an item here and now."""
        one = Item(item.work, item.first, item.first + 1)
        one.work.waiting += 1
        self._take(one, *compute(one.work.series, one.first, one.last, command=self._command))
        item.first += 1

    def raise_refusal(self) -> None:
        """If nothing could be measured and an experiment refused its input, the input is wrong, not the run."""
        if self._refused and not self.computed and not self.found:
            raise ValueError(self._refused)

    def _load(self, work: Work) -> None:
        """Read the kept cells of a series; what turns out damaged goes to the head of the queue."""
        if not work.stored:
            return
        assert self.store is not None
        before = gaps([*work.stored, *work.pieces], work.blocks)
        lost = 0
        for first, last in work.stored:
            cell = self.store.read(work.series.key, first, last)
            if cell is None:
                lost += 1
            else:
                work.take(cell)
                work.found += 1
                self.found += 1
                self._tell()
        work.stored = []
        self._expected -= lost
        if lost:
            done = gaps(before, work.blocks)  # what was not missing before is not in the queue
            for first, last in reversed(meet(gaps(work.pieces, work.blocks), done)):
                self._line_up(work, first, last, soon=True)

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
        seconds = min(seconds, max(0.0, self.deadline - time.monotonic()))
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
        self._tell()

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
            if work.series.storable:
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

    def left(self) -> tuple[int, float, float]:
        """Cells and seconds of work left, by what the work so far has cost, and the share of it that is a mere guess."""
        waiting = [*self._queue, *self._under_way.values()]
        return Costs(self.works.values()).left(waiting, cell=self.pool.pace[1])

    def _tell(self, *, force: bool = False) -> None:
        now = time.monotonic()
        if not force and now - self._reported < SECONDS_BETWEEN_REPORTS:
            return
        self._reported = now
        if self._report is not None:
            cells, seconds, guessed = self.left()
            done = self.computed + self.found
            total = self._expected + self.computed + cells
            # Where most of what waits was never timed, a guess from the expensive work done first would be hours off.
            left = None if guessed > MOST_GUESSED else seconds / self.pool.workers
            self._report(self._label, done, max(done, total), left)

    def close(self, *, now: bool = False) -> None:
        """End the pool and wait for the last writes."""
        try:
            self.pool.close(now=now)
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
        keys = [sweep.add(series, replicas) for series, replicas in wanted]
        sweep.start()
        sweep.settle(keys)
        return [s.experiment.estimate(sweep.values(s.key, replicas), **s.params) for s, replicas in wanted]
