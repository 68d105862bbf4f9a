"""How long work takes: a forecast before it, progress during it, its costs afterwards."""

import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from asymp.montecarlo.running.pools import Serial, cores
from asymp.montecarlo.running.store import Store
from asymp.reports.check import RunLog, prepared
from asymp.reports.page.render import render
from asymp.reports.planning import plan_many
from asymp.reports.rounds import Progress, State, duration
from asymp.reports.serialise import dumps

SECONDS_TO_PROBE = 15.0
SECONDS_BETWEEN_LINES = 5.0
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
            doing = f"measuring {state.doing}" if state.doing else "judging"
            report(doing if state.waiting else "done", state.decided, state.statements, state.left)

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
    """What a run will take, from one block of each setting, and the memory that this needed.

    `first_round`: seconds of one processor for the first round of everything; every further one doubles what there is.
    `seconds`: the time that the run may take; `rounds`: how many rounds of everything that is enough for. `left_out`: what
    costs more in its first round alone. `untimed`: settings of which nothing is known, because timing them took too long.
    """

    claims: int
    statements: int
    settings: int
    untimed: int
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
    """What a run will take, before it is run, in words or as JSON. One block of each setting is timed, and kept."""
    planned = plan_many(ids, **what)
    processes = workers or cores()
    blocks = {series.key: (series, count) for one in planned for series, count in one.blocks(0)}
    with prepared(store=store, executor=Serial(), log=RunLog()) as sweep:
        for series, _ in blocks.values():
            sweep.want(series, 1)
        kept = sweep.found
        sweep.probe(SECONDS_TO_PROBE)
        known = {key: work.rate for key, work in sweep.works.items() if work.rate is not None}
        cost = {key: known[key] * count for key, (_, count) in blocks.items() if key in known}
        total, memory = sum(cost.values()), _peak_memory()
        given = None if seconds is None else seconds * processes
        found = Forecast(
            claims=len(planned),
            statements=sum(len(one.parts) for one in planned),
            settings=len(blocks),
            untimed=len(blocks) - len(known),
            kept=kept + (sweep.computed if store is not None else 0),
            first_round=total,
            seconds=seconds,
            rounds=None if given is None or not total else max(0, int(math.log2(max(1.0, 2 * given / total)))),
            left_out=[] if given is None else [str(blocks[key][0]) for key, spent in cost.items() if spent > given],
            workers=processes,
            memory_bytes_each=memory,
            memory_bytes=memory * processes,
        )
    return dumps(asdict(found)) if as_json else render("plan.txt", plan=found, time=duration)


def _peak_memory() -> int:
    """The most memory that this process has used so far, in bytes: blocks are computed one at a time."""
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak if sys.platform == "darwin" else peak * 1024)
