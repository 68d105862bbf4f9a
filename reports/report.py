"""The report: a folder of pages, the same as data, tables and figures. Written whole or not at all."""

import json
import os
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict
from datetime import UTC, datetime
from errno import EISDIR
from importlib.metadata import metadata
from pathlib import Path

from asymp._version import __version__
from asymp.books import LEDGER
from asymp.montecarlo.running.pools import PATIENCE, Processes
from asymp.montecarlo.running.provenance import command_line, machine
from asymp.montecarlo.running.store import Derived, Store
from asymp.reports.check import BUDGET, RunLog
from asymp.reports.claims import claims
from asymp.reports.figures.declare import INDEX
from asymp.reports.figures.gallery import Made, pictures
from asymp.reports.page.figure import draw_all, inline
from asymp.reports.page.overview import highlights, rows
from asymp.reports.page.render import render
from asymp.reports.page.view import report_view
from asymp.reports.reference import Reference, code_of, declared_hash
from asymp.reports.serialise import clean, dumps
from asymp.reports.verdict import StatementVerdict, Verdict

# The files that a report has once, each the rendering of a template.
ONCE = {
    "index.html": "index.html",
    "errata.html": "errata.html",
    "sources.html": "sources.html",
    "not-measured.html": "not-measured.html",
    "figures.html": "figures.html",
    "notes.html": "notes.html",
    "tables/claims.tex": "claims.tex",
    "tables/errata.tex": "errata.tex",
    "report.md": "report.md",
}


def write_report(
    verdicts: Sequence[Verdict],
    folder: str | Path = "asymp-report",
    *,
    keep: Store | str | Path | None = None,
    workers: int = 1,
    more: Sequence[str] = (),
    gallery: Sequence[Made] = (),
) -> list[Path]:
    """Write the report of some verdicts into a folder; all files or none. The first path is that of index.html.

    Args:
        verdicts: the verdicts of one run.
        folder: where to write.
        keep: the store, or its folder, in which figures and formulas are kept for the next report.
        workers: the number of processes that draw and typeset.
        more: sentences for the overview.
        gallery: the sources' figures.
    """
    return write_whole(folder, report_files(verdicts, keep=keep, workers=workers, more=more, gallery=gallery))


def report_files(
    verdicts: Sequence[Verdict],
    *,
    keep: Store | str | Path | None = None,
    workers: int = 1,
    more: Sequence[str] = (),
    gallery: Sequence[Made] = (),
) -> dict[str, str | bytes]:
    """The report's files by their path in its folder; the arguments are those of `write_report`."""
    if not verdicts:
        raise ValueError("there is nothing to report: no claim was checked")
    kept = Derived(keep)
    pool = Processes(workers, patience=PATIENCE)
    try:
        view = report_view(verdicts, kept, pool, budget=BUDGET, figures=[made.view(verdicts) for made in gallery])
        begun = pictures(gallery, kept, pool)
        drawn = draw_all(view.drawn, kept, pool)
        shown = {name: made() for name, made in begun.items()}
    finally:
        pool.close(now=True)
    footer = render("footer.txt", report=view)
    absent = [entry for name, entry in INDEX.items() if name not in shown]
    of_sources = {f.figure: inline(shown[f.figure], prefix=f"gallery-{f.figure}", label=f.alt) for f in view.figures}
    overview = rows(view)
    common = {"report": view, "more": more, "absent": absent, "svgs": of_sources, "footer": footer, "rows": overview}
    known = Counter(outcome for row in overview.values() for outcome in row.reference_outcomes.values() if outcome)
    common |= {"in_reference": known if view.book is not None else None}
    common |= {"highlights": highlights(view, drawn), "figures_here": bool(gallery) or view.book is LEDGER}
    files: dict[str, str | bytes] = {name: render(template, **common) for name, template in ONCE.items()}
    parts = {(claim.id, part.name): part for claim in view.claims for part in claim.parts}
    for source in view.sources:
        pictured = {place.shown: place.number for place in reversed(source.places) if place.shown}
        placed = {
            key: inline(drawn[key], prefix=f"place-{number}", label=f"Figure: {parts[key].statement}")
            for key, number in pictured.items()
            if key in drawn
        }
        files[source.page] = render(
            "source.html", source=source, parts=parts, svgs=placed, first_of=pictured, footer=footer
        )
    commit = next((o["commit"][:12] for o in view.measured_with if o.get("commit")), "")
    neighbours = [None, *view.claims, None]
    for before, claim, after in zip(neighbours, view.claims, neighbours[2:], strict=False):
        svgs = {}
        for part in claim.parts:
            if not part.figure:
                continue
            own, line = drawn[claim.id, part.name], part.summary
            told = f"{line.what or 'measured'}, predicted {line.predicted}, measured {line.measured}"
            label = f"Figure: {told}."
            svgs[part.anchor] = inline(own, prefix=part.anchor, label=label)
            files |= {f"{part.figure}.{form}": body for form, body in own.items()}
        # A figure of the sources stands on the page of the claim that its first sentence is from.
        svgs |= {f.figure: of_sources[f.figure] for f in view.figures if f.sentences[0].claim == claim.id}
        shared = {"report": view, "svgs": svgs, "footer": footer, "commit": commit, "repository": repository(commit)}
        shared["touch_json"] = json.dumps(clean(claim.touch))
        files[claim.page] = render("claim.html", claim=claim, before=before, after=after, **shared)
        files[claim.page.replace(".html", ".json")] = dumps(claim) + "\n"
    for made in gallery:
        name = f"gallery/{made.figure.name}"
        files |= {f"{name}.{form}": body for form, body in shown[made.figure.name].items()}
        files[f"{name}.json"] = dumps(made.to_json(verdicts)) + "\n"
    files["report.json"] = dumps(view) + "\n"
    return files


def repository(commit: str) -> str:
    """Where the code can be read at a commit, if the package's metadata say so."""
    places = [url.partition(", ") for url in metadata("asymp").get_all("Project-URL") or ()]
    found = next((address for name, _, address in places if name.lower() in ("source", "repository", "homepage")), "")
    return f"{found}/blob/{commit}" if found and commit else ""


def more_words(verdicts: Sequence[Verdict]) -> list[str]:
    """How many statements were left open, and how to go on, in a sentence."""
    left = sum(part.outcome == "inconclusive" for v in verdicts for part in v.parts.values())
    if not left:
        return []
    words = "1 statement is" if left == 1 else f"{left} statements are"
    return [f"{words} left open; the same command goes on from here, and --time 1h, or --until decided, goes further."]


def check_writable(folder: str | Path) -> None:
    """Raise ValueError, before any work, if a report cannot be written to `folder`."""
    if not str(folder).strip():
        raise ValueError("-o has an empty name; give the folder that is to hold the report")
    path = Path(folder)
    if path.exists() and not path.is_dir():
        raise ValueError(f"the output folder {folder} is a file; name a folder")
    if path.is_dir() and any(path.iterdir()) and not (path / "report.json").is_file():
        raise ValueError(f"the folder {folder} is not empty and holds no report; name another with -o, or empty it")
    there = next(parent for parent in (path, *path.absolute().parents) if parent.exists())
    try:
        with tempfile.NamedTemporaryFile(dir=there):
            pass
    except OSError as error:
        raise ValueError(
            f"the output folder {folder} cannot be written ({error.strerror}); name another with -o"
        ) from None


def write_whole(folder: str | Path, files: Mapping[str, str | bytes]) -> list[Path]:
    """Write files into a folder and folders below it: all are complete under other names before the first takes its place.

    Names are relative, with '/'. What else is in the folder stays as it is; if anything fails, so does everything, and
    folders that were made for it are taken away again.
    """
    path = Path(folder)
    for name in files:
        if not _inside(name):
            raise ValueError(f"a file of a report must lie in its folder; got {name!r}")
    try:
        with ExitStack() as undo:
            for place in dict.fromkeys([path, *((path / name).parent for name in files)]):
                for new in _make(place):
                    undo.callback(_remove_if_empty, new)
            waiting = {}
            for name, content in files.items():
                target = path / name
                if target.is_dir():
                    raise IsADirectoryError(EISDIR, f"{name} is a folder there")
                waiting[target] = target.with_name(f".{target.name}.{os.getpid()}.part")
                undo.callback(waiting[target].unlink, missing_ok=True)
                waiting[target].write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
            for target, temporary in waiting.items():
                os.replace(temporary, target)
            undo.pop_all()
    except OSError as error:
        raise ValueError(f"the report could not be written to {folder}: {error.strerror}") from None
    return [path / name for name in files]


def _inside(name: str) -> bool:
    parts = name.split("/")
    return bool(name) and not any(part in ("", ".", "..") or "\\" in part or ":" in part for part in parts)


def _make(place: Path) -> list[Path]:
    """Make a folder and those above it; those that were not there before, the outermost first."""
    new = [parent for parent in (place, *place.parents) if not parent.exists()]
    place.mkdir(parents=True, exist_ok=True)
    return new[::-1]


def _remove_if_empty(place: Path) -> None:
    with suppress(OSError):
        place.rmdir()


def reference_file(verdicts: Sequence[Verdict], log: RunLog, *, seconds: float | None) -> str:
    """The reference file of some verdicts, as JSON. `log`: what their run computed; `seconds`: its limit of time, if any."""
    statements = {
        f"{verdict.claim} {part.name}": asdict(_record(verdict, part))
        for verdict in verdicts
        for part in verdict.parts.values()
    }
    about = {
        "made": datetime.now(UTC).isoformat(timespec="minutes"),
        "asymp": __version__,
        "seed": verdicts[0].seed,
        "preset": verdicts[0].preset,
        "seconds": seconds,
        "processor_seconds": round(sum(cost.simulated + cost.judged for cost in log.costs)),
        "cells": {"computed": log.computed, "found": log.found},
        "command": command_line(None),
        "machine": machine("cpu"),
    }
    return json.dumps({**about, "statements": statements}, indent=1) + "\n"


def _record(verdict: Verdict, part: StatementVerdict) -> Reference:
    summary = part.evidence.summary() if part.evidence.points else None
    declared = next(p for p in claims[verdict.claim].parts if p.name == part.name)
    return Reference(
        outcome=part.outcome,
        round=part.round,
        first_round=None if part.first_round is None else float(f"{part.first_round:.3g}"),
        measured=summary.measured if summary else "",
        interval=summary.interval if summary else "",
        version=declared.experiment.version,
        declared=declared_hash(declared),
        code=code_of(declared),
        margins=summary.margins if summary else None,
    )
