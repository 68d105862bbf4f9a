"""The calibration of the verdicts themselves, claim by claim: right laws are seldom refuted, wrong ones nearly always.

`errors` measures both of one statement; here this is done for many claims. What is finished, a statement at a time, is a
line of JSON in the output file and is not computed again, so that a run can be killed at any moment and the same command
goes on.
"""

import json
import os
import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from asymp.montecarlo.calibrate.studies import each, table_lines
from asymp.montecarlo.running.store import Store
from asymp.reports.calibrate.errors import power_of_part, size_of_part
from asymp.reports.claims import claims, index
from asymp.theory.names import UnknownName, unknown_name

# The claims that are calibrated if none is named: those of the scaling laws and of the scores, none of which trains.
SECTIONS = (1, 3)
SEEDS, RESAMPLINGS, FRESH = 400, 200, 5
FILE = "asymp-calibration-claims.jsonl"
STUDIES = ("size", "power")

Row = dict[str, Any]
Job = tuple[str, str, str]


def calibrate_claims(
    ids: Sequence[str] = (),
    *,
    seeds: int = SEEDS,
    resamplings: int = RESAMPLINGS,
    fresh: int = FRESH,
    seed: int = 0,
    run_seed: int | None = None,
    preset: str = "standard",
    store: str | Path | None = None,
    studies: Sequence[str] = STUDIES,
    workers: int = 2,
    file: Path | None = None,
    progress: Callable[[str, int, int, float | None], None] | None = None,
) -> list[Row]:
    """Calibrate claims part by part; finished parts are read from `file`, new ones are added to it.

    `run_seed` is the seed of the run that is resampled, if it is another than `seed`; its cells are taken from `store`.
    `progress` is told after each part: the claim, how many are finished, of how many, and about how many seconds are left.
    """
    for id in ids:
        if id not in index():
            raise UnknownName(unknown_name("claim", id, list(index())))
    chosen = list(dict.fromkeys(ids)) or [id for id, entry in index().items() if entry.section in SECTIONS]
    jobs = [(id, part.name, study) for study in studies for id in chosen for part in claims[id].parts]
    asked: dict[str, dict[str, Any]] = {
        "size": {"seed": seed, "seeds": seeds},
        "power": {
            "seed": seed if run_seed is None else run_seed,
            "resamplings": resamplings,
            "fresh": fresh,
            "preset": preset,
        },
    }
    rows = {} if file is None else _finished(file, asked)
    left = [job for job in jobs if job not in rows]
    start = time.monotonic()
    tasks = [(job, asked[job[2]], None if store is None else str(store)) for job in left]
    for count, (_, row) in enumerate(each(_calibrated, tasks, workers=workers if len(tasks) > 1 else 1), 1):
        if progress is not None:
            still = len(left) - count
            progress(
                f"{row['claim']} {row['study']}",
                len(jobs) - still,
                len(jobs),
                (time.monotonic() - start) / count * still,
            )
        rows[(row["claim"], row["part"], row["study"])] = row
        if file is not None:
            _add(file, row)
    return [rows[job] for job in jobs]


def _add(file: Path, row: Row) -> None:
    """Add a line, on a line of its own also where a run was stopped while it was writing one."""
    with file.open("a+b") as out:
        if out.seek(0, os.SEEK_END):
            out.seek(-1, os.SEEK_END)
            if out.read() != b"\n":
                out.write(b"\n")
        out.write(json.dumps(row).encode() + b"\n")


def _calibrated(task: tuple[Job, Mapping[str, Any], str | None]) -> Row:
    """One part of a claim: its row for the file."""
    (id, name, study), asked, store = task
    start, processor = time.perf_counter(), time.process_time()
    part = next(part for part in claims[id].parts if part.name == name)
    if study == "size":
        found = size_of_part(id, part, **asked)
    else:
        wrong = power_of_part(id, part, **asked, store=None if store is None else Store(store))
        found = {"wrong": wrong, "good": all(row["good"] for row in wrong)}
    return {
        "claim": id,
        "part": name,
        "study": study,
        "asked": dict(asked),
        **found,
        "seconds": round(time.perf_counter() - start, 1),
        "processor_seconds": round(time.process_time() - processor, 1),
    }


def _finished(file: Path, asked: Mapping[str, Mapping[str, Any]]) -> dict[Job, Row]:
    if not file.exists():
        return {}
    rows = {}
    for line in file.read_text().splitlines():
        try:
            row = json.loads(line)
            if row["asked"] == asked[row["study"]]:
                rows[(row["claim"], row["part"], row["study"])] = row
        except (json.JSONDecodeError, KeyError):
            continue  # the line that was being written when a run was stopped, or one of another version
    return rows


# A line a claim, the worst of its statements in each figure: right laws refuted at 5 %, how probable so many are, how many
# could have been; wrong laws refuted, called supported, and refuted on fresh seeds; seconds of one processor.
COLUMNS = "claim parts right_refuted p_of_so_many able wrong_laws wrong_refuted supported fresh seconds:.0f verdict"


def claims_text(rows: Sequence[Mapping[str, Any]], *, command: Sequence[str] = ()) -> str:
    """The table: a line a claim, the worst first, and a line for every figure that is not as it should be."""
    by_claim: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        by_claim.setdefault(row["claim"], []).append(row)
    ordered = sorted(by_claim, key=lambda id: _order(by_claim[id]))
    head, *table = table_lines(COLUMNS, [_summary(id, by_claim[id]) for id in ordered])
    lines = [head]
    for id, line in zip(ordered, table, strict=True):
        lines += [line, *_details(by_claim[id])]
    good = sum(all(row["good"] for row in found) for found in by_claim.values())
    total = sum(row["processor_seconds"] for row in rows)
    lines.append(
        f"{good} of {len(by_claim)} claims are as they should be: a right law is refuted at the level of 5 % in at most 5 % of "
        "seeds (binomial test at 1e-3; p-values nowhere smaller than uniform), a wrong one at the claim's budget in at least 95 % "
        f"of resamplings and on every fresh seed, and called supported in at most 1 %. {total / 60:.0f} minutes of one processor."
    )
    if command:
        lines.append(f"again: {shlex.join(command)}")
    return "\n".join(lines)


def _order(rows: Sequence[Mapping[str, Any]]) -> tuple[bool, float, float]:
    """The worst first: what is not good, then the least probable number of refutations, then the least power."""
    sizes, wrong = _split(rows)
    return (
        all(row["good"] for row in rows),
        min((r["binomial_p"] for r in sizes), default=1.0),
        min((r["refuted"] / r["resamplings"] for r in wrong), default=1.0),
    )


def _split(rows: Sequence[Mapping[str, Any]]) -> tuple[list[Mapping[str, Any]], list[Row]]:
    sizes = [row for row in rows if row["study"] == "size"]
    return sizes, [{**r, "part": row["part"]} for row in rows if row["study"] == "power" for r in row["wrong"]]


def _summary(id: str, rows: Sequence[Mapping[str, Any]]) -> SimpleNamespace:
    sizes, wrong = _split(rows)
    line = SimpleNamespace(**dict.fromkeys((column.partition(":")[0] for column in COLUMNS.split()), "-"))
    line.claim, line.parts = id, len({row["part"] for row in rows})
    line.seconds = sum(row["processor_seconds"] for row in rows)
    line.verdict = "" if all(row["good"] for row in rows) else "NOT AS IT SHOULD BE"
    if sizes:
        worst = min(sizes, key=lambda r: r["binomial_p"])
        line.right_refuted, line.p_of_so_many = f"{worst['refuted']} of {worst['seeds']}", f"{worst['binomial_p']:.2g}"
        line.able = f"{min(r['able'] for r in sizes)} of {worst['seeds']}"
    if wrong:
        least = min(wrong, key=lambda r: r["refuted"])
        line.wrong_laws, line.wrong_refuted = len(wrong), f"{least['refuted']} of {least['resamplings']}"
        line.supported = max(r["supported"] for r in wrong)
        line.fresh = f"{min(r['confirmed'] for r in wrong)} of {least['fresh']}"
    return line


def _details(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """What is not as it should be, a line each."""
    sizes, wrong = _split(rows)
    return [
        f"    {r['part']}: refuted {r['refuted']} of {r['seeds']} at 5 % (p = {r['binomial_p']:.2g}), p-values below "
        f"{r['below']}, {r['above_uniform']:.3f} above uniform ({r['allowed']:.3f} allowed)"
        for r in sizes
        if not r["good"]
    ] + [
        f"    {r['part']}, {r['how']}: refuted {r['refuted']}, supported {r['supported']} of {r['resamplings']}, "
        f"confirmed {r['confirmed']} of {r['fresh']}"
        for r in wrong
        if not r["good"]
    ]
