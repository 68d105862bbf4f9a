"""What a run will take, before it is run: cells, time, memory. One block of each setting is timed, and kept."""

import sys
from collections.abc import Sequence
from typing import Any

from asymp.montecarlo.executors.pools import Serial, cores
from asymp.montecarlo.store.folder import Store
from asymp.reports.running.planning import plan_many
from asymp.reports.running.sweeping import RunLog, prepared
from asymp.reports.serialise import dumps

__all__ = ["forecast_text"]

SECONDS_TO_PROBE = 15.0


def forecast_text(
    ids: Sequence[str], what: dict[str, Any], *, store: Store | None, workers: int | None, as_json: bool
) -> str:
    """The plan of a run in words or as JSON."""
    found = forecast(ids, what, store=store, workers=workers)
    if as_json:
        return dumps(found)
    measured, missing = found["settings_timed"], found["settings_missing"]
    lines = [
        f"{found['claims']} claims, {found['settings']} settings, {found['blocks']} blocks of replicas",
        f"cells: {found['cells_kept']} kept, about {found['cells_left']} to compute",
        f"time: about {_time(found['seconds'])} with {found['workers']} processes "
        f"({_time(found['cpu_seconds'])} of one core), judging not counted",
        f"memory: about {found['memory_bytes'] / 2**30:.1f} GB ({found['memory_bytes_each'] / 2**30:.2f} GB a process)",
    ]
    if missing:
        lines.append(
            f"times are measured on one block of {measured} of {missing} settings with work left"
            + ("" if measured == missing else "; the others are taken from settings of the same experiment")
        )
    return "\n".join(lines)


def forecast(ids: Sequence[str], what: dict[str, Any], *, store: Store | None, workers: int | None) -> dict[str, Any]:
    """The plan of a run as data."""
    planned = plan_many(ids, **what)
    processes = workers or cores()
    with prepared(planned, store=store, executor=Serial(), log=RunLog()) as sweep:
        kept = sum(len(work.stored) for work in sweep.works.values())
        open_works = [work for work in sweep.works.values() if work.waiting]
        sweep.probe(SECONDS_TO_PROBE)
        cells, seconds = sweep.left()
        timed = sum(work.rate is not None for work in open_works)
        memory = _peak_memory()
        return {
            "claims": len(planned.claims),
            "settings": len(sweep.works),
            "settings_missing": len(open_works),
            "settings_timed": timed,
            "blocks": sum(work.blocks for work in sweep.works.values()),
            "cells_kept": kept + (sweep.computed if store is not None else 0),
            "cells_left": cells,
            "cpu_seconds": seconds,
            "workers": processes,
            "seconds": seconds / processes,
            "memory_bytes_each": memory,
            "memory_bytes": memory * processes,
        }


def _peak_memory() -> int:
    """The most memory that this process has used so far, in bytes: blocks are computed one at a time."""
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak if sys.platform == "darwin" else peak * 1024)


def _time(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
