"""What the store and the executors cost: `.venv/bin/python tests/support/store_speed.py`.

1. 100,000 cells that are all there: planned, found and reported. 2. Cells of one second: a run with a store and a
process of its own, against the bare experiment. 3. Two processes against one.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path

SLOW = """
import torch
from asymp.montecarlo import experiment
from asymp.reports import claim
from asymp.theory import law

flat = law("{id}", "1/d", relation="=", domain={{"d": (1, "oo")}}, typical={{"d": (1, 100)}}, source="test")


def simulate(*, d, replicas, generator, device):
    {work}
    return (0.5 + torch.rand(replicas, generator=generator, device=device, dtype=torch.float64)) / d


claim("{id}", law=flat, experiment=experiment("{id}", simulate, block={block}), kind="identity",
      grid=[{{"d": d}} for d in range(1, {settings} + 1)], replicas={replicas})
"""
# About a fifth of a second of one core, in products that release nothing and wait for nothing.
BUSY = "x = torch.rand(400, 400, generator=generator, dtype=torch.float64)\n    for _ in range(60):\n        x = (x @ x) / 100"


def claims_file(folder: Path, **fields) -> Path:
    """A claims file for one measurement."""
    file = folder / f"{fields['id']}.py"
    file.write_text(SLOW.format(**fields))
    return file


def all_done(folder: Path, cells: int) -> dict:
    """Seconds to plan, find and report cells that are all in the store, in a process that has loaded asymp."""
    from asymp.montecarlo.store.cellfile import Cell
    from asymp.montecarlo.store.folder import Store
    from asymp.montecarlo.store.provenance import machine
    from asymp.reports.loading import load_claims
    from asymp.reports.planning import plan_many
    from asymp.reports.report import write_report
    from asymp.reports.run import check_many
    from asymp.reports.sweeping import RunLog

    settings = max(1, cells // 100)
    load_claims(str(claims_file(folder, id="many", work="pass", block=4, settings=settings, replicas=400)))
    planned, store, real = plan_many(["many"]), Store(folder / "many"), os.fsync
    os.fsync = lambda handle: None  # only to make the store in less time
    for cell in planned.claims[0][2][0]:
        series = planned.series[id(cell)]
        values = series.experiment.run(**cell.params, replicas=400).values
        for block in range(100):
            piece = values[4 * block : 4 * block + 4]
            store.write(Cell(series.key, series.names, block, block + 1, piece, 0.01, machine("cpu")))
    os.fsync = real
    log, start, cpu = RunLog(), time.perf_counter(), time.process_time()
    verdicts = check_many(["many"], store=folder / "many", log=log)
    checked, used = time.perf_counter() - start, time.process_time() - cpu
    write_report(verdicts, folder / "report")
    assert log.computed == 0 and log.found == 100 * settings
    return {"cells": log.found, "check_s": checked, "check_cpu_s": used, "with_report_s": time.perf_counter() - start}


def overhead(folder: Path) -> dict:
    """One-second cells: a serial run with a store, against the bare experiment's time in the same run."""
    from asymp.reports.loading import load_claims
    from asymp.reports.run import check_many
    from asymp.reports.sweeping import RunLog

    load_claims(
        str(claims_file(folder, id="second", work="__import__('time').sleep(1)", block=64, settings=10, replicas=64))
    )
    log, start = RunLog(), time.perf_counter()
    check_many(["second"], store=folder / "second", log=log)
    serial = time.perf_counter() - start
    assert log.computed == 10
    return {"cells": 10, "run_s": serial, "overhead": serial / log.costs[0].simulated - 1}


def two_processes(folder: Path, cells: int) -> dict:
    """Two processes against one, both with a store, start-up of the processes counted."""
    from asymp.reports.loading import load_claims
    from asymp.reports.run import check_many

    load_claims(str(claims_file(folder, id="busy", work=BUSY, block=16, settings=cells, replicas=16 * 10)))
    times = {}
    for workers in (1, 2):
        start = time.perf_counter()
        check_many(["busy"], store=folder / f"busy{workers}", executor=workers)
        times[workers] = time.perf_counter() - start
    return {"serial_s": times[1], "two_processes_s": times[2], "ratio": times[1] / times[2]}


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=100_000)
    parser.add_argument("--busy", type=int, default=20)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for what, found in (
            ("all done", all_done(folder, given.cells)),
            ("one-second cells", overhead(folder)),
            ("two processes", two_processes(folder, given.busy) if given.busy else {}),
        ):
            print(what, json.dumps(found), flush=True)


if __name__ == "__main__":
    sys.exit(main())
