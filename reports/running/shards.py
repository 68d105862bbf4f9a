"""One share of a run, for job arrays: its cells are computed and kept; the verdicts come from a run without a shard."""

from collections.abc import Sequence
from typing import Any

from asymp.montecarlo.executors.pools import Pool
from asymp.montecarlo.store.folder import Store
from asymp.reports.running.planning import plan_many
from asymp.reports.running.sweeping import Progress, RunLog, prepared
from asymp.reports.serialise import dumps

__all__ = ["run_shard"]


def run_shard(
    ids: Sequence[str],
    what: dict[str, Any],
    *,
    shard: tuple[int, int],
    store: Store,
    pool: Pool,
    progress: Progress,
    log: RunLog,
    as_json: bool,
) -> tuple[str, bool]:
    """Compute a shard: what there is to say, and whether all of it is kept."""
    planned = plan_many(ids, **what)
    with prepared(planned, store=store, executor=pool, shard=shard, progress=progress, log=log) as sweep:
        sweep.settle_all(f"shard {shard[0]}/{shard[1]}")
    complete = not log.failures and not log.unkept
    if as_json:
        data = {"shard": list(shard), "cells": log.computed, "missing": log.failures, "unkept": log.unkept}
        return dumps(data), complete
    words = f"shard {shard[0]}/{shard[1]}: {log.computed} cells computed" + ("" if complete else ", some are missing")
    return f"{words}; when all shards are done, the same command without --shard gives the verdicts", complete
