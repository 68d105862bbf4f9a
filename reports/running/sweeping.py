"""The sweep behind a check: its series, its workers, its store, and what there is to say about them afterwards."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from asymp.montecarlo.executors.pools import Borrowed, Pool, Processes, Serial
from asymp.montecarlo.store.folder import Store
from asymp.montecarlo.sweep.sweep import Sweep
from asymp.montecarlo.sweep.work import Work
from asymp.reports.running.finding import finder_of
from asymp.reports.running.planning import PlannedRun

__all__ = ["Interrupted", "Progress", "RunLog", "pool_of", "prepared"]

Progress = Callable[[str, int, int, float | None], None]


class Interrupted(KeyboardInterrupt):
    """Ctrl-C in a sweep: what was kept, and how to go on."""


@dataclass
class Cost:
    """What a claim cost: seconds of simulation and of judging in this run, cells computed and found."""

    claim: str
    simulated: float
    judged: float
    computed: int
    found: int


@dataclass
class RunLog:
    """What happened in a run, apart from its verdicts."""

    notices: list[str] = field(default_factory=list)
    costs: list[Cost] = field(default_factory=list)
    computed: int = 0
    found: int = 0
    unkept: int = 0
    why_unkept: str = ""
    failures: list[str] = field(default_factory=list)

    def add_cost(self, claim: str, works: Sequence[Work], judged: float) -> None:
        """Note what a claim's series cost; a series that several claims share counts for the first."""
        self.costs.append(
            Cost(
                claim,
                sum(w.spent for w in works),
                judged,
                sum(w.computed for w in works),
                sum(w.found for w in works),
            )
        )
        for work in works:
            work.spent, work.computed, work.found = 0.0, 0, 0


@contextmanager
def prepared(
    planned: PlannedRun,
    *,
    store: Store | str | Path | None = None,
    executor: Pool | Executor | int | None = None,
    shard: tuple[int, int] | None = None,
    progress: Progress | None = None,
    log: RunLog,
) -> Iterator[Sweep]:
    """A started sweep over everything that is planned; closed, and its notices taken, at the end."""
    opened = store if isinstance(store, Store) or store is None else Store(store)
    sweep = Sweep(pool=pool_of(executor), store=opened, shard=shard, report=progress)
    for claim, _, parts in planned.claims:
        for index, cells in enumerate(parts):
            finder = finder_of(claim.id, index, cells[0].experiment) if cells else None
            for cell in cells:
                sweep.add(planned.series[id(cell)], cell.replicas, finder)
    now = True
    try:
        sweep.start()
        yield sweep
        now = False
    except KeyboardInterrupt:
        sweep.close(now=True)
        raise Interrupted(_how_to_go_on(sweep)) from None
    finally:
        sweep.close(now=now)
        log.notices += sweep.notices
        log.computed, log.found = sweep.computed, sweep.found
        log.unkept, log.why_unkept = sweep.unkept
        log.failures += [f"{w.series}: {words}" for w in sweep.works.values() for words in w.failures]


def pool_of(executor: Pool | Executor | int | None) -> Pool:
    """The pool that an executor, a number of processes, or nothing stands for."""
    if executor is None:
        return Serial()
    if isinstance(executor, bool) or (isinstance(executor, int) and executor < 1):
        raise ValueError(f"executor must be a number of processes >= 1 or an executor; got {executor!r}")
    if isinstance(executor, int):
        return Serial() if executor == 1 else Processes(executor)
    return Borrowed(executor) if isinstance(executor, Executor) else executor


def _how_to_go_on(sweep: Sweep) -> str:
    if sweep.store is None:
        return "interrupted; nothing was kept; run the same command again to start over"
    cells = f"{sweep.kept} finished {'cell is' if sweep.kept == 1 else 'cells are'} kept"
    return f"interrupted; {cells}; run the same command again to go on from there"
