"""The table of `asymp bench`."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from asymp.montecarlo.bench.figures import FIGURES, Row, run_bench
from asymp.montecarlo.bench.machine import describe_machine
from asymp.montecarlo.blocks import one_thread
from asymp.reports.command.run_figures import RUN_FIGURES
from asymp.reports.serialise import dumps
from asymp.theory.names import UnknownName, unknown_name

__all__ = ["bench_text"]

SCALED = "A loop over replicas is timed on a few of them and scaled: its times below are those of the whole work."


def bench_text(names: Sequence[str], threads: str, *, as_json: bool) -> str:
    """Run the named figures (all, if none) and lay them out."""
    for name in names:
        if name not in FIGURES and name not in RUN_FIGURES:
            raise UnknownName(unknown_name("figure", name, [*FIGURES, *RUN_FIGURES]))
    try:
        counts = tuple(int(part) for part in threads.split(","))
    except ValueError:
        counts = ()
    if not counts or min(counts) < 1:
        raise ValueError(f"threads must be whole numbers >= 1, such as 1,2; got {threads!r}")
    rows: list[Row] = []
    for row in _rows(list(names) or [*FIGURES, *RUN_FIGURES], counts):
        rows.append(row)
        print(f"{len(rows)}: {row.work}: {row.ratio:.3g}x", file=sys.stderr, flush=True)
    machine = describe_machine()
    if as_json:
        return dumps({"machine": machine, "rows": [asdict(row) for row in rows]})
    lines = [", ".join(f"{name} {value}" for name, value in machine.items()), SCALED]
    for row in rows:
        state = "" if row.reached else "  NOT REACHED"
        threads = "1 thread" if row.threads == 1 else f"{row.threads} threads"
        lines.append(f"{row.ratio:8.3g}x  (must be {row.must}; {threads}){state}  {row.work}")
        lines.append(f"           against {row.against}: {row.baseline_seconds:.3g} s, here {row.seconds:.3g} s")
    return "\n".join(lines)


def _rows(names: list[str], counts: tuple[int, ...]) -> Iterator[Row]:
    """Kernels for every number of threads; then whole runs, whose blocks have one thread whatever is asked for."""
    yield from run_bench([name for name in names if name in FIGURES], counts)
    with one_thread():
        for name in names:
            if name in RUN_FIGURES:
                yield from RUN_FIGURES[name]()
