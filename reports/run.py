"""Running a check: measure what is planned, judge the parts, share the budget, give the verdict."""

import math
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from asymp.montecarlo import Estimate
from asymp.montecarlo.executors.pools import Pool
from asymp.montecarlo.store.folder import Store
from asymp.montecarlo.sweep.sweep import Missing, Sweep
from asymp.reports.declare import Claim, Part, registered
from asymp.reports.index import INDEX, LEDGER_SIZE
from asymp.reports.judge import judge
from asymp.reports.judge.cells import band_cell
from asymp.reports.planning import Planned, PlannedRun, plan, plan_many
from asymp.reports.statistics import holm
from asymp.reports.sweeping import Progress, RunLog, prepared
from asymp.reports.verdict import Judgement, Outcome, PartVerdict, Verdict

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
    planned = plan_many(ids, preset=preset, seed=seed, device=device, settings=settings)
    log = RunLog() if log is None else log
    verdicts = []
    with prepared(planned, store=store, executor=executor, progress=progress, log=log) as sweep:
        for i, (claim, own, parts) in enumerate(planned.claims):
            start = time.perf_counter()
            keys = [planned.key(cell) for cells in parts for cell in cells]
            sweep.settle(dict.fromkeys(keys), claim.id)
            waited = time.perf_counter()
            measured = [[(cell.params, _estimate(sweep, planned, cell)) for cell in cells] for cells in parts]
            budget = share_of(claim)
            verdict_parts = judge_parts(claim.parts, measured, budget=budget)
            verdicts.append(
                Verdict(
                    claim=claim.id,
                    outcome=verdict_parts[claim.leading.name].outcome,
                    parts=verdict_parts,
                    preset=preset,
                    seed=seed,
                    budget=budget,
                    settings=own,
                    seconds=time.perf_counter() - start,
                    origins=_origins(sweep, keys),
                    missing=tuple(dict.fromkeys(str(e) for row in measured for _, e in row if isinstance(e, Missing))),
                )
            )
            log.add_cost(claim.id, [sweep.works[key] for key in dict.fromkeys(keys)], time.perf_counter() - waited)
            for key in planned.last_wanted(i):
                sweep.release(key)
    return verdicts


def _origins(sweep: Sweep, keys: Sequence[str]) -> tuple[dict[str, Any], ...]:
    """What computed the values: processor, device, generator and versions, each combination once."""
    found: list[dict[str, Any]] = []
    for key in keys:
        found += [origin for origin in sweep.works[key].origins if origin not in found]
    return tuple(sorted(found, key=str))


def _estimate(sweep: Sweep, planned: PlannedRun, cell: Planned) -> Estimate | Missing:
    try:
        values = sweep.values(planned.key(cell), cell.replicas)
    except Missing as missing:
        return missing
    return cell.experiment.estimate(values, **cell.params)


def judge_parts(
    parts: Sequence[Part], measured: Sequence[Sequence[tuple[dict[str, Any], Estimate | Missing]]], *, budget: float
) -> dict[str, PartVerdict]:
    """Judge all parts of a claim: each alone, then Holm shares the claim's budget among them."""
    level = budget / len(parts)
    judgements = [_judged(part, cells, level) for part, cells in zip(parts, measured, strict=True)]
    refuted = holm([j.p_value if j.could_refute else 1.0 for j in judgements], budget)
    verdicts = {}
    for part, judgement, rejected in zip(parts, judgements, refuted, strict=True):
        outcome: Outcome = "inconclusive"
        if judgement.shown and judgement.could_refute:
            outcome = "supported"
        elif rejected:
            outcome = "refuted"
        verdicts[part.name] = PartVerdict(
            name=part.name,
            kind=part.kind,
            statement=part.statement,
            outcome=outcome,
            expected=part.expected,
            margin=part.margin,
            judgement=judgement,
            budget=level,
            law=part.law.id,
            erratum=part.erratum,
        )
    return verdicts


def _judged(part: Part, measured: Sequence[tuple[dict[str, Any], Estimate | Missing]], level: float) -> Judgement:
    """A part's judgement; with values missing it is none: the part is left open and says what it lacks."""
    there = [(params, e) for params, e in measured if isinstance(e, Estimate)]
    missing = [str(e) for _, e in measured if isinstance(e, Missing)]
    if not missing:
        return judge(part, there, level=level)
    return Judgement(
        shown=False,
        p_value=1.0,
        cells=tuple(band_cell(p, part.predicted(p), e, points=len(measured)) for p, e in there),
        words=f"Missing: {len(missing)} of {len(measured)} points were not measured, so nothing is judged. {missing[0]}.",
        seen=math.inf,
        unit="relative",
        wanted=part.margin,
        needed=None,
        could_refute=False,
        numbers={"missing": missing},
    )
