"""Progress of long work: a bar with the time left on a terminal, plain lines from time to time elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["costs_text", "showing_progress"]

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
            words = "" if left is None else f"{_time(left)} left"
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
        rest = f", about {_time(left)} left" if left is not None and done < total else ""
        print(f"{what}: {done} of {total} {unit}, {now - start:.0f} s{rest}", file=sys.stderr, flush=True)

    return report


def _time(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def costs_text(log: Any) -> str:
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
