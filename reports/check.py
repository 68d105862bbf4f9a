"""Checking claims: measure what is planned, have each claim judged as soon as its values are in, give the verdicts.

A shard is one share of a run, for job arrays: its cells are computed and kept; the verdicts come from a run without one.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from asymp.montecarlo import Estimate
from asymp.montecarlo.running.pools import Pool, Processes, pool_of
from asymp.montecarlo.running.series import Missing, Work
from asymp.montecarlo.running.store import Derived, Store
from asymp.montecarlo.running.sweep import Report, Sweep
from asymp.reports.claim import Claim
from asymp.reports.claims import LEDGER_SIZE, index, registered
from asymp.reports.judging import Measured, begin_judging, part_verdicts
from asymp.reports.planning import PlannedClaim, plan_many
from asymp.reports.serialise import dumps
from asymp.reports.verdict import Verdict

# A true claim is refuted with probability at most 1e-3 in a whole check: each id owns a fixed share of that.
BUDGET = 1e-3


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
        spent, computed, found = (sum(getattr(w, what) for w in works) for what in ("spent", "computed", "found"))
        self.costs.append(Cost(claim, spent, judged, computed, found))
        for work in works:
            work.spent, work.computed, work.found = 0.0, 0, 0


def share_of(claim: Claim) -> float:
    """The claim's fixed share of the budget of false refutations; a user's file has a budget of its own."""
    of_ledger = claim.id in index() and claim.id not in registered
    return BUDGET / (LEDGER_SIZE if of_ledger else max(1, len(registered)))


def check(
    claim: str | Claim,
    *,
    preset: str = "quick",
    seed: int = 0,
    device: str = "auto",
    settings: Mapping[str, Any] | None = None,
    progress: Report | None = None,
    store: Store | str | Path | None = None,
    executor: Pool | Executor | int | None = None,
    budget: float | None = None,
) -> Verdict:
    """Check one claim: 'supported', 'refuted' or 'inconclusive', the same for the same seed.

    Args:
        claim: A claim, or its id.
        preset: How much is measured: 'quick', 'standard' or 'paper'.
        seed: Another seed, other random numbers.
        device: 'auto', 'cpu' or 'cuda'.
        settings: Parameters to fix, such as {"alpha": 1.5}.
        progress: Called now and then with a label, the cells done, all cells, and the seconds left if they are known.
        store: A folder where finished cells are kept, and found again.
        executor: A number of processes, or any concurrent.futures.Executor; without one everything runs in this process.
            Like the store, it does not change a bit of the result.
        budget: The probability of refuting the claim though it is true; without one it is the claim's share of 1e-3.

    `device`: 'auto', 'cpu', 'cuda' or another of torch's. `progress`: a function that is called with what has been
    done.
    """
    return check_many(
        [claim],
        preset=preset,
        seed=seed,
        device=device,
        settings=settings,
        progress=progress,
        store=store,
        executor=executor,
        budget=budget,
    )[0]


def check_many(
    chosen: Sequence[str | Claim],
    *,
    preset: str = "quick",
    seed: int = 0,
    device: str = "auto",
    settings: Mapping[str, Any] | None = None,
    progress: Report | None = None,
    store: Store | str | Path | None = None,
    executor: Pool | Executor | int | None = None,
    budget: float | None = None,
    log: RunLog | None = None,
) -> list[Verdict]:
    """Check several claims; each verdict is the one it would get alone. What could not be measured is marked missing.

    The arguments are those of `check`; `log` takes what happened on the way.

    `chosen`: ids or claims. `preset`, `seed`, `device`, `settings`, `progress`, `store`, `executor`, `budget`: as in
    `check`. `log`: gathers what was computed and what was found in the store.
    """
    planned = plan_many(chosen, preset=preset, seed=seed, device=device, settings=settings)
    last_wanted = {key: i for i, claim in enumerate(planned) for key in claim.keys}
    log = RunLog() if log is None else log
    begun: list[Callable[[], Verdict]] = []
    with prepared(planned, store=store, executor=executor, progress=progress, log=log) as sweep:
        derived = Derived(sweep.store)
        if isinstance(sweep.pool, Processes):
            sweep.pool.preload = (*sweep.pool.preload, __name__, "sympy")
        for i, one in enumerate(planned):
            share = share_of(one.claim) if budget is None else budget
            begun.append(_begin(one, sweep, derived, log, preset=preset, seed=seed, budget=share))
            for key in one.keys:
                if last_wanted[key] == i:
                    sweep.works[key].pieces.clear()
        return [verdict() for verdict in begun]


def _begin(
    one: PlannedClaim, sweep: Sweep, derived: Derived, log: RunLog, *, preset: str, seed: int, budget: float
) -> Callable[[], Verdict]:
    """Measure a claim and have it judged; calling what is returned waits for the verdict."""
    start = time.perf_counter()
    claim, works = one.claim, [sweep.works[key] for key in one.keys]
    sweep.settle(one.keys, claim.id)
    waited = time.perf_counter() - start
    measured = _estimates(sweep, one)
    missing = dict.fromkeys(str(e) for row in measured for _, e in row if isinstance(e, Missing))
    result = begin_judging(claim, measured, budget=budget, pool=sweep.pool, derived=derived)
    del measured

    def verdict() -> Verdict:
        evidence, seconds = result()
        parts = part_verdicts(claim.parts, evidence, budget)
        if one.settings and claim.id not in registered:
            # settings of the user's own may lie outside what the claim declares
            parts = {p.name: replace(parts[p.name], expected=p.expected_at(preset, one.settings)) for p in claim.parts}
        log.add_cost(claim.id, works, seconds)
        origins = {str(origin): origin for work in works for origin in work.origins}
        return Verdict(
            claim=claim.id,
            outcome=parts[claim.leading.name].outcome,
            parts=parts,
            preset=preset,
            seed=seed,
            budget=budget,
            settings=one.settings,
            seconds=waited + seconds,
            origins=tuple(origins[name] for name in sorted(origins)),
            missing=tuple(missing),
        )

    return verdict


def _estimates(sweep: Sweep, planned: PlannedClaim) -> Measured:
    """The settings of a claim's parts with what was measured; parts that share one share its estimate."""
    known: dict[tuple[str, int], Estimate | Missing] = {}
    for series, replicas in planned:
        if (series.key, replicas) not in known:
            try:
                values = sweep.values(series.key, replicas)
                known[series.key, replicas] = series.experiment.estimate(values, **series.params)
            except Missing as missing:
                known[series.key, replicas] = missing
    return [[(series.params, known[series.key, replicas]) for series, replicas in part] for part in planned.parts]


@contextmanager
def prepared(
    planned: Sequence[PlannedClaim],
    *,
    store: Store | str | Path | None = None,
    executor: Pool | Executor | int | None = None,
    shard: tuple[int, int] | None = None,
    progress: Report | None = None,
    log: RunLog,
) -> Iterator[Sweep]:
    """A started sweep over everything that is planned; closed, and its notices taken, at the end."""
    opened = Store(store) if isinstance(store, str | Path) else store
    sweep = Sweep(pool=pool_of(executor), store=opened, shard=shard, report=progress)
    for claim in planned:
        for series, replicas in claim:
            sweep.add(series, replicas)
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
        log.unkept, log.why_unkept = sweep.writer.lost, sweep.writer.reason
        log.failures += [f"{w.series}: {words}" for w in sweep.works.values() for words in w.failures]


def _how_to_go_on(sweep: Sweep) -> str:
    if sweep.store is None:
        return "interrupted; nothing was kept; run the same command again to start over"
    kept = sweep.writer.kept
    cells = f"{kept} finished {'cell is' if kept == 1 else 'cells are'} kept"
    return f"interrupted; {cells}; run the same command again to go on from there"


def run_shard(
    ids: Sequence[str],
    what: dict[str, Any],
    *,
    shard: tuple[int, int],
    store: Store,
    pool: Pool,
    progress: Report,
    log: RunLog,
    as_json: bool,
) -> tuple[str, bool]:
    """Compute a shard: what there is to say, and whether all of it is kept."""
    with prepared(plan_many(ids, **what), store=store, executor=pool, shard=shard, progress=progress, log=log) as sweep:
        sweep.settle(label=f"shard {shard[0]}/{shard[1]}")
    complete = not log.failures and not log.unkept
    if as_json:
        data = {"shard": list(shard), "cells": log.computed, "missing": log.failures, "unkept": log.unkept}
        return dumps(data), complete
    words = f"shard {shard[0]}/{shard[1]}: {log.computed} cells computed" + ("" if complete else ", some are missing")
    return f"{words}; when all shards are done, the same command without --shard gives the verdicts", complete
