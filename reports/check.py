"""Checking claims: plan them, run them in rounds, give the verdicts.

A shard is one share of a run, for job arrays: its cells are computed and kept; the verdicts come from a run without one.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from asymp.books import books
from asymp.montecarlo.checks import seed_of
from asymp.montecarlo.running.pools import Pool, Processes, pool_of
from asymp.montecarlo.running.series import Work
from asymp.montecarlo.running.store import Derived, Store
from asymp.montecarlo.running.sweep import Sweep
from asymp.reports.claim import Claim
from asymp.reports.claims import group_of, index, registered, together
from asymp.reports.grid import PRESETS
from asymp.reports.judging import Judge
from asymp.reports.kinds import Statement
from asymp.reports.kinds.evidence import LOOKS, holm
from asymp.reports.planning import PlannedClaim, plan_many
from asymp.reports.reference import Reference, reference_of
from asymp.reports.rounds import Progress, run_rounds
from asymp.reports.serialise import dumps
from asymp.reports.track import Track, first_round_cost, not_begun
from asymp.reports.verdict import StatementVerdict, Verdict

# A true claim is refuted with probability at most 1e-3 in a whole check: each id owns a fixed share of that.
BUDGET = 1e-3

MOST_NAMED = 8

Rounds = int | Mapping[str, int] | None
"""The most rounds of statements: of all, or by their names; None for as many as there can be."""


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
    """The claim's fixed share of the budget of false refutations.

    A claim of a book has one of the book's shares (the ledger has 66), one of a file or package one of as many as it declares.
    The k-th claim that a notebook declares has 1/(k (k + 1)) of the budget: a share depends on no later cell, and all
    together never spend more than the budget.
    """
    if claim.id in index():
        return BUDGET / {book.id: book.shares for book in books()}[index()[claim.id].book]
    if claim.id in together and claim.id in registered:
        return BUDGET / len(group_of(claim.id))
    of_notebook = [id for id in registered if id not in together]
    number = of_notebook.index(claim.id) + 1 if claim.id in registered else 1
    return BUDGET / (number * (number + 1))


def check(
    claim: str | Claim,
    *,
    time: float | None = None,
    rounds: Rounds = None,
    preset: str = "quick",
    seed: int = 0,
    rng: int | np.random.Generator | None = None,
    device: str = "auto",
    settings: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    store: Store | str | Path | None = None,
    executor: Pool | Executor | int | None = None,
    budget: float | None = None,
) -> Verdict:
    """Check one claim, in rounds, until every statement is 'supported' or 'refuted', or the time is up.

    Args:
        claim: A claim, or its id.
        time: Seconds that it may take; `math.inf` goes on until everything is decided. Without it, the preset's.
        rounds: The most rounds that a statement may have, for all or by their names (0 leaves one out), for a run that can
            be repeated exactly; then without a limit of time, unless one is given.
        preset: A name for the time, 'quick' (3 minutes) or 'standard' (60); 'paper' takes the published sizes.
        seed: Another seed, other random numbers.
        rng: In the place of a seed, one, or a `numpy.random.Generator`, which gives other numbers every time.
        device: 'auto', 'cpu', 'cuda' or another of torch's.
        settings: Parameters to fix, such as {"alpha": 1.5}.
        progress: Called now and then with a `State`: what is decided, what is being measured, what remains.
        store: A folder where finished cells are kept, and found again: the same call goes on where it was.
        executor: A number of processes, or any concurrent.futures.Executor; without one everything runs in this process.
            Like the store, it does not change a bit of the result.
        budget: The probability of refuting the claim though it is true; without one it is the claim's share of 1e-3.
    """
    return check_many(
        [claim],
        time=time,
        rounds=rounds,
        preset=preset,
        seed=seed_of(seed, rng),
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
    time: float | None = None,
    rounds: Rounds = None,
    preset: str = "quick",
    seed: int = 0,
    device: str = "auto",
    settings: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    store: Store | str | Path | None = None,
    executor: Pool | Executor | int | None = None,
    budget: float | None = None,
    log: RunLog | None = None,
) -> list[Verdict]:
    """Check several claims, given or named by their ids. What could not be measured is marked missing.

    `chosen`: the claims. `time`, `rounds`, `preset`, `seed`, `device`, `settings`, `progress`, `store`, `executor`, `budget`: as
    in `check`; the time is that of all claims together. `log` takes what happened on the way.
    """
    planned = plan_many(chosen, preset=preset, seed=seed, device=device, settings=settings)
    limit = limit_of(time=time, rounds=rounds, preset=preset)
    log = RunLog() if log is None else log
    tracks = {
        one.claim.id: tracks_of(one, share_of(one.claim) if budget is None else budget, rounds) for one in planned
    }
    with prepared(store=store, executor=executor, log=log) as sweep:
        for one in planned:
            _note_other_runs(one, sweep, log, seed, preset)
        if isinstance(sweep.pool, Processes):
            sweep.pool.preload = (*sweep.pool.preload, __name__, "sympy")
        judge = Judge(sweep.pool, Derived(sweep.store))
        every = [track for of_claim in tracks.values() for track in of_claim]
        run_rounds(every, sweep, judge, seconds=limit, progress=progress)
        return [
            _verdict(one, tracks[one.claim.id], sweep, log, preset=preset, rounds=rounds, seed=seed, budget=budget)
            for one in planned
        ]


def _note_other_runs(one: PlannedClaim, sweep: Sweep, log: RunLog, seed: int, preset: str) -> None:
    """Say with which other seeds and presets this claim was run: who tries until it agrees should know how often."""
    if sweep.store is None:
        return
    code = sorted({str(series.source) for part in one.parts for series in part})
    others = sweep.store.note_run(one.claim.id, repr(code), seed, preset)
    if others:
        words = ", ".join(f"seed {other} ({name})" for other, name in others[:MOST_NAMED])
        more = f" and {len(others) - MOST_NAMED} more" if len(others) > MOST_NAMED else ""
        log.notices.append(f"{one.claim.id} was also run with {words}{more}; the error rates are those of one run")


def limit_of(*, time: float | None, rounds: Rounds, preset: str) -> float | None:
    """The seconds that a run may take; None for no limit. A time or a number of rounds that makes no sense is an error."""
    for count in rounds.values() if isinstance(rounds, Mapping) else [] if rounds is None else [rounds]:
        least = 0 if isinstance(rounds, Mapping) else 1  # a statement among others may be left out
        if isinstance(count, bool) or not isinstance(count, int) or not least <= count <= LOOKS:
            raise ValueError(f"rounds must be a whole number from 1 to {LOOKS}; got {count!r}")
    if time is None:
        return None if rounds is not None else PRESETS[preset]
    if isinstance(time, bool) or not isinstance(time, int | float) or not time > 0:
        raise ValueError(f"time must be a number of seconds above 0; got {time!r}")
    return None if math.isinf(time) else float(time)


def tracks_of(one: PlannedClaim, budget: float, rounds: Rounds) -> list[Track]:
    """The statements of a planned claim, before anything is measured. `budget`: the claim's; `rounds`: as in `check`."""
    share = budget / len(one.parts)
    given = rounds if isinstance(rounds, Mapping) else {p.name: rounds or LOOKS for p in one.claim.parts}
    last = [given.get(p.name, LOOKS) - 1 for p in one.claim.parts]
    return [
        Track(one.claim, number, series, share, expected=expected_of(one, part), last=last[number])
        for number, (part, series) in enumerate(zip(one.claim.parts, one.parts, strict=True))
    ]


def expected_of(one: PlannedClaim, part: Statement) -> Reference | None:
    """What the reference run says of a statement, and so what it costs; nothing of a user's own, or at other settings."""
    return None if one.settings or one.claim.id in registered else reference_of(one.claim.id, part.name)


def _verdict(
    one: PlannedClaim,
    tracks: Sequence[Track],
    sweep: Sweep,
    log: RunLog,
    *,
    preset: str,
    rounds: Rounds,
    seed: int,
    budget: float | None,
) -> Verdict:
    """The verdict on a claim from what was seen of its statements."""
    claim, total = one.claim, share_of(one.claim) if budget is None else budget
    works = list({s.key: sweep.works[s.key] for t in tracks for s in t.series if s.key in sweep.works}.values())
    parts = {
        part.name: replace(part, first_round=first_round_cost(track, sweep))
        for part, track in zip(statement_verdicts(tracks, total), tracks, strict=True)
    }
    if one.settings and claim.id not in registered:
        # settings of the user's own may lie outside what the claim declares
        parts = {p.name: replace(parts[p.name], expected=p.expected_at(preset, one.settings)) for p in claim.parts}
    judged = sum(t.judging for t in tracks)
    seconds = sum(work.spent for work in works) + judged
    log.add_cost(claim.id, works, judged)
    origins = {str(origin): origin for work in works for origin in work.origins}
    missing = dict.fromkeys(words for t in tracks if t.evidence is not None for words in t.evidence.missing)
    return Verdict(
        claim=claim.id,
        outcome=parts[claim.leading.name].outcome,
        parts=parts,
        preset=preset,
        rounds=rounds if isinstance(rounds, int) else None,
        seed=seed,
        budget=total,
        settings=one.settings,
        seconds=seconds,
        origins=tuple(origins[name] for name in sorted(origins)),
        missing=tuple(missing),
    )


def statement_verdicts(tracks: Sequence[Track], budget: float) -> list[StatementVerdict]:
    """The outcomes of a claim's statements: what the looks decided, and what Holm's rule refutes beyond that."""
    p_values = [
        min(1.0, t.evidence.p_value / t.part.share_of_look(t.round))
        if t.evidence is not None and t.evidence.could_refute
        else 1.0
        for t in tracks
    ]
    found = []
    for track, rejected in zip(tracks, holm(p_values, budget), strict=True):
        outcome = "refuted" if rejected and track.outcome == "inconclusive" else track.outcome
        part, evidence = track.part, track.evidence or not_begun(track.part)
        found.append(
            StatementVerdict(
                name=part.name,
                kind=part.kind,
                statement=part.text,
                outcome=outcome,
                expected=part.expected,
                margin=part.margin,
                evidence=evidence,
                budget=track.budget,
                law=part.formula.id if part.formula else "",
                erratum=part.erratum,
                round=None if track.evidence is None else track.round,
                why_open=track.why_open() if outcome == "inconclusive" else "",
            )
        )
    return found


@contextmanager
def prepared(
    *,
    store: Store | str | Path | None = None,
    executor: Pool | Executor | int | None = None,
    shard: tuple[int, int] | None = None,
    log: RunLog,
) -> Iterator[Sweep]:
    """A sweep that is closed, and whose notices are taken, at the end."""
    opened = Store(store) if isinstance(store, str | Path) else store
    sweep = Sweep(pool=pool_of(executor), store=opened, shard=shard)
    now = True
    try:
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
        log.failures += _failures(sweep)


def _failures(sweep: Sweep) -> list[str]:
    """What could not be measured: the first sentence of each experiment, and at how many further settings it failed."""
    of_experiment: dict[str, list[str]] = {}
    for work in sweep.works.values():
        if work.failures:
            of_experiment.setdefault(work.series.experiment.id, []).append(f"{work.series}: {work.failures[0]}")
    return [
        first + (f" (and at {len(more)} further setting{'s'[: len(more) - 1]})" if more else "")
        for first, *more in of_experiment.values()
    ]


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
    rounds: int,
    shard: tuple[int, int],
    store: Store,
    pool: Pool,
    progress: Callable[[str, int, int, float | None], None],
    log: RunLog,
    as_json: bool,
) -> tuple[str, bool]:
    """Compute a shard of so many rounds: what there is to say, and whether all of it is kept."""
    planned = plan_many(ids, **what)
    with prepared(store=store, executor=pool, shard=shard, log=log) as sweep:
        wanted = [pair for one in planned for pair in one.blocks(rounds - 1)]
        for series, blocks in sorted(
            wanted, key=lambda pair: -pair[1]
        ):  # each once, with the most blocks that it has anywhere
            sweep.want(series, blocks)
        sweep.settle(lambda done, total: progress(f"shard {shard[0]}/{shard[1]}", done, total, None))
    complete = not log.failures and not log.unkept
    if as_json:
        data = {"shard": list(shard), "cells": log.computed, "missing": log.failures, "unkept": log.unkept}
        return dumps(data), complete
    words = f"shard {shard[0]}/{shard[1]}: {log.computed} cells computed" + ("" if complete else ", some are missing")
    return f"{words}; when all shards are done, the same command without --shard gives the verdicts", complete
