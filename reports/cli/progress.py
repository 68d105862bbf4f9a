"""How long work takes: a forecast before it, progress during it, its costs afterwards."""

import math
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from asymp.montecarlo.running.pools import Serial, cores
from asymp.montecarlo.running.series import Series
from asymp.montecarlo.running.store import Store
from asymp.montecarlo.running.sweep import Sweep
from asymp.reports.check import RunLog, expected_of, prepared
from asymp.reports.page.render import render
from asymp.reports.planning import PlannedClaim, blocks_after, foreseen_rate, plan_many, size_of
from asymp.reports.rounds import Progress, State
from asymp.reports.serialise import dumps
from asymp.reports.track import duration

SECONDS_TO_PROBE = 15.0
SECONDS_BETWEEN_LINES = 5.0
FEW = 12  # statements: of so many every look is told
CHEAP = 0.1  # seconds: claims below that are not listed one by one

Report = Callable[[str, int, int, float | None], None]


@contextmanager
def showing_progress(*, quiet: bool = False, unit: str = "cells") -> Iterator[Report]:
    """Yield a function (what, done, total, seconds left) that shows how far the work is, on standard error."""
    if quiet:
        yield lambda what, done, total, left: None
    elif sys.stderr.isatty():
        yield from _bar(unit)
    else:
        yield _lines(unit)


@contextmanager
def showing_rounds(*, quiet: bool = False) -> Iterator[Progress]:
    """Yield a function that shows how far a run in rounds is: what is decided, what is measured, what remains."""
    with showing_progress(quiet=quiet, unit="statements decided") as report:

        def show(state: State) -> None:
            if state.look and state.statements <= FEW and not quiet:
                print(state.look, file=sys.stderr, flush=True)
            doing = f"measuring {state.doing}" if state.doing else "judging"
            more = f", {state.waiting - 1} more to go" if state.waiting > 1 else ""
            report(f"{doing}{more}" if state.waiting else "done", state.decided, state.statements, state.left)

        yield show


def _bar(unit: str) -> Iterator[Report]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(unit),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=None, left="")

        def report(what: str, done: int, total: int, left: float | None) -> None:
            words = "" if left is None else f"{duration(left)} left"
            bar.update(task, description=what, completed=done, total=total, left=words)

        yield report


def _lines(unit: str) -> Report:
    start = last = time.monotonic()
    ended = False

    def report(what: str, done: int, total: int, left: float | None) -> None:
        nonlocal last, ended
        now = time.monotonic()
        if (now - last < SECONDS_BETWEEN_LINES and done < total) or (done >= total and ended):
            return
        last, ended = now, done >= total
        rest = f", about {duration(left)} left" if left is not None and done < total else ""
        print(f"{what}: {done} of {total} {unit}, {now - start:.0f} s{rest}", file=sys.stderr, flush=True)

    return report


def costs_text(log: RunLog) -> str:
    """What the claims cost, dearest first; those that cost nothing are counted."""
    simulated, judged = sum(c.simulated for c in log.costs), sum(c.judged for c in log.costs)
    lines = [
        f"cost: {simulated:.1f} s of simulation, {judged:.1f} s of judging; "
        f"{log.computed} cells computed, {log.found} found in the store"
    ]
    dear = sorted((c for c in log.costs if c.simulated + c.judged >= CHEAP), key=lambda c: -c.simulated - c.judged)
    if len(log.costs) > 1:
        width = max((len(c.claim) for c in dear), default=0)
        lines += [f"  {c.claim:<{width}} {c.simulated + c.judged:8.1f} s  {c.computed} cells" for c in dear]
        if len(dear) < len(log.costs):
            lines.append(f"  {len(log.costs) - len(dear)} claims under {CHEAP:g} s each")
    return "\n".join(lines)


@dataclass(frozen=True)
class Forecast:
    """What a run will take, and the memory that timing it needed.

    `first_round`: seconds of one processor for the first round of everything; every further one doubles what there is.
    `seconds`: the time that the run may take; `rounds`: how many rounds of everything that is enough for. `left_out`: what
    there is no time for in the first round, if the cheapest come first. `timed`, `untimed`: settings of which one block was
    timed, and those whose cost follows from the others of their statement. `referred`: settings whose cost is the reference
    run's.
    """

    claims: int
    statements: int
    settings: int
    timed: int
    untimed: int
    referred: int
    kept: int
    first_round: float
    seconds: float | None
    rounds: int | None
    left_out: list[str]
    workers: int
    memory_bytes_each: int
    memory_bytes: int


def forecast_text(
    ids: Sequence[str],
    what: dict[str, Any],
    seconds: float | None,
    *,
    store: Store | None,
    workers: int | None,
    as_json: bool,
) -> str:
    """What a run will take, before it is run, in words or as JSON. What has to be timed for that is kept."""
    planned = plan_many(ids, **what)
    processes = workers or cores()
    with prepared(store=store, executor=Serial(), log=RunLog()) as sweep:
        for one in planned:
            for series, _ in one.blocks(0):
                sweep.want(series, 1)
        kept = sweep.found
        statements = _first_rounds(planned, sweep)
        cost: dict[str, float] = {}
        for statement in statements:
            cost |= {key: seconds for key, seconds in statement.costs.items() if key not in cost}
        timed = sum(work.rate is not None for work in sweep.works.values())
        referred = {s.key for one in statements if one.referred for s in one.series} - set(_rates(sweep))
        total, memory = sum(cost.values()), _peak_memory()
        given = None if seconds is None else seconds * processes
        found = Forecast(
            claims=len(planned),
            statements=len(statements),
            settings=len(sweep.works),
            timed=timed,
            untimed=len(sweep.works) - timed - len(referred),
            referred=len(referred),
            kept=kept + (sweep.computed if store is not None else 0),
            first_round=total,
            seconds=seconds,
            rounds=None if given is None or not total else max(0, int(math.log2(max(1.0, 2 * given / total)))),
            left_out=[] if seconds is None else _no_time(statements, seconds, processes),
            workers=processes,
            memory_bytes_each=memory,
            memory_bytes=memory * processes,
        )
    return dumps(asdict(found)) if as_json else render("plan.txt", plan=found, time=duration)


@dataclass(frozen=True)
class FirstRound:
    """The settings of a statement, the cheapest first, and the seconds that their first round takes, by their keys."""

    name: str
    series: list[Series]
    costs: dict[str, float]
    referred: bool


def _rates(sweep: Sweep) -> dict[str, float]:
    return {key: work.rate for key, work in sweep.works.items() if work.rate is not None}


def _first_rounds(planned: Sequence[PlannedClaim], sweep: Sweep) -> list[FirstRound]:
    """What the first round of each statement takes: by the reference run, else by one block of settings, for some seconds."""
    parts = [(one, part, series) for one in planned for part, series in zip(one.claim.parts, one.parts, strict=True)]
    known = [expected_of(one, part) for one, part, _ in parts]
    ordered = [sorted(series, key=size_of) for _, _, series in parts]
    lines = [deque(series) for series, found in zip(ordered, known, strict=True) if found is None]
    end = time.monotonic() + SECONDS_TO_PROBE
    while lines:
        for line in list(lines):
            at = line.popleft()
            foreseen = _foreseen(at, sweep)
            if time.monotonic() + (foreseen or 0.0) < end:
                sweep.probe(at)
            if not line or time.monotonic() + (foreseen or 0.0) >= end:
                lines.remove(line)
    found = []
    for (one, part, _), series, expected in zip(parts, ordered, known, strict=True):
        blocks = {s.key: blocks_after(part, s, 0) for s in series}
        rates = {s.key: _foreseen(s, sweep) for s in series}
        whole = expected.first_round if expected is not None else None
        share = 0.0 if whole is None else whole / sum(blocks.values())
        costs = {key: count * (share if (rate := rates[key]) is None else rate) for key, count in blocks.items()}
        found.append(FirstRound(f"{one.claim.id} {part.name}", series, costs, whole is not None))
    return found


def _foreseen(series: Series, sweep: Sweep) -> float | None:
    """Seconds a block: timed, or as others of the same experiment say."""
    rates = _rates(sweep)
    if series.key in rates:
        return rates[series.key]
    like = [work.series for work in sweep.works.values() if work.series.experiment.id == series.experiment.id]
    return foreseen_rate([(s, rates[s.key]) for s in like if s.key in rates], series)


def _no_time(statements: Sequence[FirstRound], seconds: float, processes: int) -> list[str]:
    """What is left out of a first round that takes so many seconds of so many processes, if the cheapest come first."""
    busy, counted, found = [0.0] * processes, set[str](), []
    for statement in sorted(statements, key=lambda s: sum(s.costs.values())):
        late = []
        for series in statement.series:
            cost = 0.0 if series.key in counted else statement.costs[series.key]
            if min(busy) + cost > seconds:
                late.append(str(series))
            else:
                busy[busy.index(min(busy))] += cost
                counted.add(series.key)
        found += [f"{statement.name}, at all settings"] if len(late) == len(statement.series) > 1 else late
    return found


def _peak_memory() -> int:
    """The most memory that this process has used so far, in bytes: blocks are computed one at a time."""
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak if sys.platform == "darwin" else peak * 1024)
