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
from asymp.reports.calibrate.errors import ROUND, power_of_part, size_of_part
from asymp.reports.claims import claims, index
from asymp.reports.page.render import render
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
    round: int = ROUND,
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
            "round": round,
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
# could have been, how many runs in rounds refuted at any look; wrong laws refuted, called supported, and refuted on fresh
# seeds; seconds of one processor.
COLUMNS = (
    "claim parts right_refuted p_of_so_many able in_rounds wrong_laws wrong_refuted supported fresh seconds:.0f verdict"
)


def claims_text(rows: Sequence[Row], *, command: Sequence[str] = ()) -> str:
    """The table: a line a claim, the worst first, and a line for every figure that is not as it should be."""
    by_claim: dict[str, list[Row]] = {}
    for row in rows:
        by_claim.setdefault(row["claim"], []).append(row)
    found = sorted((_summary(id, own) for id, own in by_claim.items()), key=lambda line: line.order)
    head, *lines = table_lines(COLUMNS, found)
    return render(
        "calibration.txt",
        head=head,
        claims=list(zip(lines, found, strict=True)),
        good=sum(line.good for line in found),
        minutes=sum(row["processor_seconds"] for row in rows) / 60,
        command=shlex.join(command),
    )


def _summary(id: str, rows: Sequence[Row]) -> SimpleNamespace:
    """A claim's line, with what it is ordered by (what is not good, the least probable size, the least power) and its rows."""
    sizes = [row for row in rows if row["study"] == "size"]
    wrong = [{**r, "part": row["part"]} for row in rows if row["study"] == "power" for r in row["wrong"]]
    line = SimpleNamespace(**dict.fromkeys((column.partition(":")[0] for column in COLUMNS.split()), "-"))
    line.claim, line.parts, line.sizes, line.wrong = id, len({row["part"] for row in rows}), sizes, wrong
    line.seconds, line.good = sum(row["processor_seconds"] for row in rows), all(row["good"] for row in rows)
    line.verdict = "" if line.good else "NOT AS IT SHOULD BE"
    least_probable = least_power = 1.0
    if sizes:
        worst = min(sizes, key=lambda r: r["binomial_p"])
        least_probable = worst["binomial_p"]
        line.right_refuted, line.p_of_so_many = f"{worst['refuted']} of {worst['seeds']}", f"{least_probable:.2g}"
        line.able = f"{min(r['able'] for r in sizes)} of {worst['seeds']}"
        line.in_rounds = max(r["in_rounds"] for r in sizes)
    if wrong:
        least = min(wrong, key=lambda r: r["refuted"])
        least_power = least["refuted"] / least["resamplings"]
        line.wrong_laws, line.wrong_refuted = len(wrong), f"{least['refuted']} of {least['resamplings']}"
        line.supported = max(r["supported"] for r in wrong)
        line.fresh = f"{min(r['confirmed'] for r in wrong)} of {least['fresh']}"
    line.order = line.good, least_probable, least_power
    return line
