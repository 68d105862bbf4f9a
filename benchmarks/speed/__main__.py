"""`python -m speed [--threads 1,2] [--json] [FIGURE ...]`: print every figure, with the machine it was measured on."""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from asymp.montecarlo.draws import one_thread
from asymp.montecarlo.running.provenance import describe_machine
from speed.figures import FIGURES, Row, run_bench
from speed.run_figures import RUN_FIGURES

SCALED = "A loop over replicas is timed on a few of them and scaled: its times below are those of the whole work."


def main() -> None:
    """Run the named figures (all, if none is named) and print them."""
    parser = argparse.ArgumentParser(prog="speed", description=__doc__)
    parser.add_argument("figures", nargs="*", metavar="FIGURE", help=", ".join([*FIGURES, *RUN_FIGURES]))
    parser.add_argument("--threads", default="1,2", help="numbers of torch threads to measure with (default 1,2)")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    given = parser.parse_args()
    names = given.figures or [*FIGURES, *RUN_FIGURES]
    if unknown := [name for name in names if name not in FIGURES and name not in RUN_FIGURES]:
        parser.error(f"unknown figure {unknown[0]}; known: {', '.join([*FIGURES, *RUN_FIGURES])}")
    rows: list[Row] = []
    for row in measured(names, tuple(int(count) for count in given.threads.split(","))):
        rows.append(row)
        print(f"{len(rows)}: {row.work}: {row.ratio:.3g}x", file=sys.stderr, flush=True)
    machine = describe_machine()
    if given.json:
        print(json.dumps({"machine": machine, "rows": [asdict(row) for row in rows]}, indent=2))
        return
    print(", ".join(f"{name} {value}" for name, value in machine.items()), SCALED, sep="\n")
    for row in rows:
        state = "" if row.reached else "  NOT REACHED"
        threads = "1 thread" if row.threads == 1 else f"{row.threads} threads"
        print(f"{row.ratio:8.3g}x  (must be {row.must}; {threads}){state}  {row.work}")
        print(f"           against {row.against}: {row.baseline_seconds:.3g} s, here {row.seconds:.3g} s")


def measured(names: Sequence[str], counts: tuple[int, ...]) -> Iterator[Row]:
    """Rows of kernels for every number of threads, then of whole runs, whose blocks have one thread always."""
    yield from run_bench([name for name in names if name in FIGURES], counts)
    with one_thread():
        for name in names:
            if name in RUN_FIGURES:
                yield from RUN_FIGURES[name]()


if __name__ == "__main__":
    main()
