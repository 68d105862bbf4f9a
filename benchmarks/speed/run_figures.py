"""Speed figures of whole runs: what the store and the executors cost, and what a second process gains.

They do not depend on torch's threads (a block has one), so each is measured once.
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import patch

from asymp.montecarlo.running.pools import Processes
from asymp.montecarlo.running.provenance import machine
from asymp.montecarlo.running.series import Cell
from asymp.montecarlo.running.store import Store
from asymp.reports.check import RunLog, check_many
from asymp.reports.claims import registered
from asymp.reports.claims_file import load_claims
from asymp.reports.planning import plan_many
from asymp.reports.report import write_report
from speed.decided import decided_in_time, first_answer
from speed.rows import Row, faster, no_slower, seconds

__all__ = ["RUN_FIGURES", "all_done", "second_cells", "two_processes"]

PRESET, CLAIMS = "standard", ("threshold-scheme", "score-variance", "sgd-map")
TEXT = """
import time
from asymp.montecarlo import experiment
from asymp.reports import claim
from asymp.theory import Param, law, real

flat = law("{id}", "1/d", relation="=", params={{"d": Param(real(1), (1, 100))}}, source="bench")


def simulate(draw, *, d):
    time.sleep({nap})
    return draw.uniform(0.5, 1.5) / d


claim("{id}", law=flat, experiment=experiment("{id}", simulate, block=4, bounds=lambda d: (0.5 / d, 1.5 / d)), kind="identity",
      grid=[{{"d": d}} for d in range(1, {settings} + 1)])
"""


BLOCKS = 64
"""The blocks that a setting has after seven rounds."""


def _declare(folder: Path, id: str, *, nap: float, settings: int) -> None:
    """Declare a claim of many cells, as a user would: in a file."""
    file = folder / f"{id}.py"
    file.write_text(TEXT.format(id=id, nap=nap, settings=settings), encoding="utf-8")
    load_claims(str(file))


def all_done(cells: int = 100_000) -> Iterator[Row]:
    """Cells that are all there: planned, found, judged and reported. Nothing else is counted."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _declare(folder, "many-cells", nap=0, settings=cells // BLOCKS)
        _fill(folder / "store")
        log, start = RunLog(), time.perf_counter()
        verdicts = check_many(["many-cells"], rounds=7, store=folder / "store", log=log)
        write_report(verdicts, folder / "report")
        taken = time.perf_counter() - start
        assert (log.computed, log.found) == (0, cells // BLOCKS * BLOCKS)
    yield no_slower(f"{log.found} cells planned, skipped and reported, all of them done", "10 seconds", 10, taken, 1)


def _fill(folder: Path) -> None:
    """The cells of seven rounds, each of one block, for every setting; not synced, which is what takes long."""
    planned, store = plan_many(["many-cells"]), Store(folder)
    with patch("os.fsync"):
        for series, _ in planned[0].blocks(0):
            values = series.experiment.run(**series.params, replicas=4 * BLOCKS).values
            for block in range(BLOCKS):
                piece = values[4 * block : 4 * block + 4]
                store.write(Cell(series.key, series.names, block, block + 1, piece, 0.01, machine("cpu")))


def second_cells(cells: int = 15, nap: float = 1.0) -> Iterator[Row]:
    """Cells of one second in one worker process that has started, every one kept; against the cells alone."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _declare(folder, "warm-up", nap=0, settings=2)
        pool = _Open(1)
        try:
            check_many(["warm-up"], rounds=1, executor=pool)
            _declare(folder, "second-cells", nap=nap, settings=cells)
            log = RunLog()
            taken = seconds(
                lambda: check_many(["second-cells"], rounds=1, store=folder / "store", executor=pool, log=log)
            )
        finally:
            pool.end()
        assert log.computed == cells
    yield no_slower(f"{cells} cells of {nap:g} s, in a worker, kept", "the cells alone", cells * nap, taken, 1.05)


class _Open(Processes):
    """Processes that are there before a run and after it."""

    def close(self, *, now: bool) -> None:
        """Stay, unless something went wrong."""
        if now:
            super().close(now=True)

    def end(self) -> None:
        """End the workers."""
        super().close(now=False)


def two_processes(preset: str = PRESET, ids: tuple[str, ...] = CLAIMS) -> Iterator[Row]:
    """A few claims of the standard preset in this process, then in two, which have to start first; both keep every cell."""
    registered.clear()
    with tempfile.TemporaryDirectory() as name:
        alone, together = (
            seconds(lambda: check_many(ids, preset=preset, store=Path(name) / str(workers), executor=workers))  # noqa: B023
            for workers in (1, 2)
        )
    yield faster(f"{', '.join(ids)} at {preset}, two processes", "one process", alone, together, 1.7)


RUN_FIGURES: dict[str, Callable[[], Iterator[Row]]] = {
    "two-processes": two_processes,
    "store-overhead": second_cells,
    "all-done": all_done,
    "rounds": decided_in_time,
    "first-answer": first_answer,
}
