"""Runs that are killed with SIGKILL, at random moments and at every named point of a write, and then resumed.

The tests do a few; all of them: `.venv/bin/python tests/support/survive.py --runs 100`. Each run has a store of its own
and is killed up to three times; then it is resumed to its end. The result must be that of a run that nobody touched,
every cell there once, and no cell that had been finished before a kill computed again.
"""

import argparse
import hashlib
import json
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

from asymp.montecarlo.running.provenance import machine
from asymp.montecarlo.running.store import WRITE_POINTS, Store
from asymp.reports.check import RunLog, check_many
from asymp.reports.claims_file import load_claims
from asymp.reports.serialise import clean, verdict_view

FLAT = Path(__file__).with_name("flat.py")


def result(store: Path, at=None) -> dict:
    """Check the claim with a store; what came out, and how much had to be computed."""
    log = RunLog()
    verdict = check_many(["flat"], store=Store(store, at=at), log=log)[0]
    counts = {"computed": log.computed, "found": log.found, "unkept": [log.unkept, log.why_unkept]}
    return {"verdict": clean(verdict_view(verdict)), **counts}


def number_of_cells(store: Path) -> int:
    """How many finished cells are in a store."""
    return len(list(Store(store).all())) if store.exists() else 0


def values_hash(store: Path) -> str:
    """A hash of every value in the store, in order; AssertionError if a block is there twice or not at all."""
    opened, total, reached, before = Store(store), hashlib.sha256(), 0, ""
    for key, (first, last) in opened.all():
        # Where a cell ends may depend on the time: a slow machine makes smaller ones. Its blocks do not.
        assert first == (reached if key == before else 0), "a block lost or there twice"
        cell = opened.read(key, first, last)
        assert cell is not None, "a damaged file"
        total.update(cell.values.tobytes() if key == before else key.encode() + cell.values.tobytes())
        before, reached = key, last
    return total.hexdigest()


def child(store: Path, out: Path | None, point: str | None = None, nth: int = 1) -> int:
    """Fork a process that checks the claim, writes what came out, and kills itself at the n-th pass of a point."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        passes = 0

        def at(name: str) -> None:
            nonlocal passes
            if name == point:
                passes += 1
                if passes == nth:
                    os.kill(os.getpid(), signal.SIGKILL)

        found = result(store, at)
        if out is not None:
            out.write_text(json.dumps(found))
        code = 0
    except BaseException as error:
        print(f"child failed: {type(error).__name__}: {error}", file=sys.stderr)
    finally:
        os._exit(code)


def killed_after(pid: int, seconds: float) -> bool:
    """Let a child run for some time, then kill it; whether it was still running."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        done, _ = os.waitpid(pid, os.WNOHANG)
        if done:
            return False
        time.sleep(0.001)
    os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    return os.WIFSIGNALED(status)


def survive(runs: int, *, seed: int, folder: Path) -> dict:
    """Do the runs; what happened. AssertionError if a single one came out otherwise than the untouched run."""
    load_claims(str(FLAT))
    check_many(["flat"])  # children inherit everything that is loaded and worked out once
    machine("cpu")
    source = random.Random(seed)
    start = time.monotonic()
    os.waitpid(child(folder / "untouched", folder / "untouched.json"), 0)
    whole = time.monotonic() - start
    wanted = json.loads((folder / "untouched.json").read_text())
    digest = values_hash(folder / "untouched")
    kills = 0
    plans: list[tuple[str | None, int]] = [(None, 0)] * runs
    plans += [(point, source.randint(1, wanted["computed"])) for point in WRITE_POINTS]
    for number, (point, nth) in enumerate(plans):
        store, out = folder / f"run{number}", folder / f"run{number}.json"
        if point is not None:
            _, status = os.waitpid(child(store, None, point, nth), 0)
            assert os.WIFSIGNALED(status), f"not killed at {point}"
            kills += 1
        for _ in range(0 if point else 3):
            kills += killed_after(child(store, None), source.uniform(0, 0.7 * whole))
        before = number_of_cells(store)
        _, status = os.waitpid(child(store, out), 0)
        assert os.WEXITSTATUS(status) == 0 and not os.WIFSIGNALED(status)
        found = json.loads(out.read_text())
        assert found["verdict"] == wanted["verdict"], "another verdict"
        assert values_hash(store) == digest, f"a block lost, or other values, in run {number}: {found['unkept']}"
        assert found["found"] == before, "a finished cell was computed again"
        assert found["found"] + found["computed"] == number_of_cells(store)
    return {"runs": len(plans), "kills": kills, "cells": wanted["computed"], "seconds": time.monotonic() - start}


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(survive(given.runs, seed=given.seed, folder=Path(folder))))


if __name__ == "__main__":
    main()
