"""Progress of long work: a bar with the time left on a terminal, plain lines from time to time elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["showing_progress"]

SECONDS_BETWEEN_LINES = 5.0

Report = Callable[[str, int, int], None]


@contextmanager
def showing_progress(*, quiet: bool = False) -> Iterator[Report]:
    """Yield a function (what, done, total) that shows how far the work is, on standard error."""
    if quiet:
        yield lambda what, done, total: None
    elif sys.stderr.isatty():
        yield from _bar()
    else:
        yield _lines()


def _bar() -> Iterator[Report]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("cells"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=None)
        yield lambda what, done, total: bar.update(task, description=what, completed=done, total=total)


def _lines() -> Report:
    start = last = time.monotonic()

    def report(what: str, done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < SECONDS_BETWEEN_LINES and done < total:
            return
        last = now
        spent = now - start
        left = f", about {spent * (total - done) / done:.0f} s left" if done < total else ""
        print(f"{what}: {done} of {total} cells, {spent:.0f} s{left}", file=sys.stderr, flush=True)

    return report
