"""Running a check: measure what is planned, have each claim judged as soon as its cells are in, give the verdicts."""

import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from typing import Any

from asymp.montecarlo import Estimate
from asymp.montecarlo.executors.pools import Automatic, Pool, Processes
from asymp.montecarlo.store.folder import Store
from asymp.montecarlo.sweep.sweep import Missing, Sweep
from asymp.reports.declare import Claim, registered
from asymp.reports.index import INDEX, LEDGER_SIZE
from asymp.reports.running.early import start_early
from asymp.reports.running.judging import Judges, Pending, judge_parts
from asymp.reports.running.kept import Kept
from asymp.reports.running.planning import Planned, PlannedRun, plan, plan_many
from asymp.reports.running.sweeping import Progress, RunLog, pool_of, prepared
from asymp.reports.verdict import PartVerdict, Verdict

__all__ = ["BUDGET", "Planned", "check", "check_many", "judge_parts", "plan", "share_of"]

# A true claim is refuted with probability at most 1e-3 in a whole check: each id owns a fixed share of that.
BUDGET = 1e-3


def share_of(claim: Claim) -> float:
    """The claim's fixed share of the budget of false refutations; a user's file has a budget of its own."""
    return (
        BUDGET / LEDGER_SIZE if claim.id in INDEX and claim.id not in registered else BUDGET / max(1, len(registered))
    )


def check(
    id: str,
    *,
    preset: str = "quick",
    seed: int = 0,
    device: str = "auto",
    settings: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    store: Store | str | Path | None = None,
    executor: Pool | Executor | int | None = None,
) -> Verdict:
    """Check one claim: 'supported', 'refuted' or 'inconclusive', deterministic for a given seed.

    `settings` fixes parameters, such as {"alpha": 1.5}; `preset` is 'quick', 'standard' or 'paper'. With a `store`, a
    folder, finished cells are kept there and found again. `executor` is a number of processes or any
    concurrent.futures.Executor; without one everything runs in this process. Neither changes a bit of the result.
    """
    return check_many(
        [id],
        preset=preset,
        seed=seed,
        device=device,
        settings=settings,
        progress=progress,
        store=store,
        executor=executor,
    )[0]


def check_many(
    ids: Sequence[str],
    *,
    preset: str = "quick",
    seed: int = 0,
    device: str = "auto",
    settings: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    store: Store | str | Path | None = None,
    executor: Pool | Executor | int | None = None,
    log: RunLog | None = None,
) -> list[Verdict]:
    """Check several claims; each verdict is the one it would get alone. What could not be measured is marked missing."""
    pool = pool_of(executor)
    if isinstance(pool, Processes) and not isinstance(pool, Automatic):
        start_early()  # the processes load while the run is planned
    planned = plan_many(ids, preset=preset, seed=seed, device=device, settings=settings)
    log = RunLog() if log is None else log
    measured_claims: list[tuple[Pending, float, tuple[str, ...]]] = []
    with prepared(planned, store=store, executor=pool, progress=progress, log=log) as sweep:
        judges = Judges(sweep.pool, len(planned.claims), Kept(_folder(store)))
        for i, (claim, _, parts) in enumerate(planned.claims):
            start = time.perf_counter()
            sweep.settle(planned.keys(i), claim.id)
            waited = time.perf_counter() - start
            measured = _estimates(sweep, planned, parts)
            missing = dict.fromkeys(str(e) for row in measured for _, e in row if isinstance(e, Missing))
            measured_claims.append((judges.judge(claim, measured, budget=share_of(claim)), waited, tuple(missing)))
            for key in planned.last_wanted(i):
                sweep.release(key)
        verdicts = []
        for i, (pending, waited, missing_words) in enumerate(measured_claims):
            claim, own, _ = planned.claims[i]
            verdict_parts, judged = pending.result()
            if own and claim.id not in registered:
                verdict_parts = _as_declared(claim, verdict_parts, preset, own)
            keys = planned.keys(i)
            verdicts.append(
                Verdict(
                    claim=claim.id,
                    outcome=verdict_parts[claim.leading.name].outcome,
                    parts=verdict_parts,
                    preset=preset,
                    seed=seed,
                    budget=share_of(claim),
                    settings=own,
                    seconds=waited + judged,
                    origins=_origins(sweep, keys),
                    missing=missing_words,
                )
            )
            log.add_cost(claim.id, [sweep.works[key] for key in keys], judged)
    return verdicts


def _as_declared(
    claim: Claim, parts: dict[str, PartVerdict], preset: str, settings: dict[str, Any]
) -> dict[str, PartVerdict]:
    """What is expected of each part at settings of the user's own, which may lie outside what the claim declares."""
    return {p.name: replace(parts[p.name], expected=p.expected_at(preset, settings)) for p in claim.parts}


def _folder(store: Store | str | Path | None) -> Path | None:
    """Where judgements are kept: beside the cells that they come from."""
    if store is None:
        return None
    return store.folder if isinstance(store, Store) else Path(store)


def _origins(sweep: Sweep, keys: Iterable[str]) -> tuple[dict[str, Any], ...]:
    """What computed the values: processor, device, generator and versions, each combination once."""
    found: list[dict[str, Any]] = []
    for key in keys:
        found += [origin for origin in sweep.works[key].origins if origin not in found]
    return tuple(sorted(found, key=str))


def _estimates(
    sweep: Sweep, planned: PlannedRun, parts: Sequence[Sequence[Planned]]
) -> list[list[tuple[dict[str, Any], Estimate | Missing]]]:
    """The cells of a claim's parts with what was measured; parts that share a cell share its estimate."""
    known: dict[tuple[str, int], Estimate | Missing] = {}

    def estimate(cell: Planned) -> Estimate | Missing:
        key = (planned.key(cell), cell.replicas)
        if key not in known:
            try:
                known[key] = cell.experiment.estimate(sweep.values(*key), **cell.params)
            except Missing as missing:
                known[key] = missing
        return known[key]

    return [[(cell.params, estimate(cell)) for cell in cells] for cells in parts]
