"""The report: a folder of pages, the same as data, tables and figures. Written whole or not at all."""

import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from errno import EISDIR
from pathlib import Path

from asymp.montecarlo.running.pools import PATIENCE, Processes
from asymp.montecarlo.running.store import Derived, Store
from asymp.reports.check import BUDGET
from asymp.reports.claims import claims
from asymp.reports.figures.page import Gallery, counts_text, gallery_data, gallery_files
from asymp.reports.figures.pictures import pictures
from asymp.reports.grid import PRESETS
from asymp.reports.numbers import count
from asymp.reports.page.figure import draw_all, inline
from asymp.reports.page.render import render
from asymp.reports.page.view import report_view
from asymp.reports.serialise import dumps
from asymp.reports.verdict import Verdict

# The files that a report has once, each the rendering of a template.
ONCE = {
    "index.html": "index.html",
    "errata.html": "errata.html",
    "not-measured.html": "not-measured.html",
    "tables/claims.tex": "claims.tex",
    "tables/errata.tex": "errata.tex",
    "report.md": "report.md",
}

# What a larger preset takes.
LARGER = {
    "standard": "more sizes, more replicas, narrower intervals",
    "paper": "the published sizes where they are larger",
}


def write_report(
    verdicts: Sequence[Verdict],
    folder: str | Path = "asymp-report",
    *,
    keep: Store | str | Path | None = None,
    workers: int = 1,
    more: Sequence[str] = (),
    gallery: Gallery | None = None,
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
    gallery: Gallery | None = None,
) -> dict[str, str | bytes]:
    """The report's files by their path in its folder; the arguments are those of `write_report`."""
    if not verdicts:
        raise ValueError("there is nothing to report: no claim was checked")
    kept = Derived(keep)
    gallery = gallery or Gallery(preset=verdicts[0].preset, seed=verdicts[0].seed, verdicts=tuple(verdicts))
    pool = Processes(workers, patience=PATIENCE)
    try:
        view = report_view(verdicts, kept, pool, budget=BUDGET, figures=gallery_data(gallery))
        begun = pictures(gallery.made, kept, pool)
        drawn = draw_all(view.drawn, kept, pool)
        shown = {name: files() for name, files in begun.items()}
    finally:
        pool.close(now=True)
    footer = render("footer.txt", report=view)
    common = {"report": view, "more": more, "figures": counts_text(gallery), "footer": footer}
    files: dict[str, str | bytes] = {name: render(template, **common) for name, template in ONCE.items()}
    neighbours = [None, *view.claims, None]
    for before, claim, after in zip(neighbours, view.claims, neighbours[2:], strict=False):
        svgs = {}
        for part in claim.parts:
            own, line = drawn[claim.id, part.name], part.summary
            told = f"{line.what or 'measured'}, predicted {line.predicted}, measured {line.measured}"
            label = f"Figure of {part.name}, {part.outcome}: {told}."
            svgs[part.anchor] = inline(own["svg"].decode(), prefix=part.anchor, label=label)
            files |= {f"{part.figure}.{form}": body for form, body in own.items()}
        files[claim.page] = render(
            "claim.html", report=view, claim=claim, svgs=svgs, before=before, after=after, footer=footer
        )
    files |= gallery_files(gallery, shown, footer=footer)
    files["report.json"] = dumps(view) + "\n"
    return files


def more_words(verdicts: Sequence[Verdict]) -> list[str]:
    """What each larger preset would add, in a sentence: its points and replicas beside those of this run."""
    preset = verdicts[0].preset
    larger = PRESETS[PRESETS.index(preset) + 1 :]
    points, replicas = _size(verdicts, preset)
    left = sum(part.outcome == "inconclusive" for v in verdicts for part in v.parts.values())
    left_open = f"; {left} {'part is' if left == 1 else 'parts are'} left open here" if left else ""
    here = f"(here {points} and {count(replicas)}{left_open})."
    lines = []
    for name in larger:
        points, replicas = _size(verdicts, name)
        lines.append(f"--preset {name} takes {LARGER[name]}: {points} points and {count(replicas)} replicas {here}")
    return [*lines, f"--preset {larger[0]} --plan tells how long that takes, and runs nothing."] if larger else []


def _size(verdicts: Sequence[Verdict], preset: str) -> tuple[int, int]:
    """The points and replicas of a preset, counted from the declarations: nothing is run."""
    counts = [
        part.replicas_at(preset, cell)
        for verdict in verdicts
        for part in claims[verdict.claim].parts
        for cell in (part.cells(preset, verdict.settings) if verdict.settings else part.grid[preset])
    ]
    return len(counts), sum(counts)


def check_writable(folder: str | Path) -> None:
    """Raise ValueError, before any work, if a report cannot be written to `folder`."""
    path = Path(folder)
    if path.exists() and not path.is_dir():
        raise ValueError(f"the output folder {folder} is a file; name a folder")
    parent = path if path.is_dir() else _nearest(path)
    try:
        with tempfile.NamedTemporaryFile(dir=parent):
            pass
    except OSError as error:
        raise ValueError(
            f"the output folder {folder} cannot be written ({error.strerror}); name another with -o"
        ) from None


def _nearest(path: Path) -> Path:
    for parent in path.absolute().parents:
        if parent.exists():
            return parent
    return Path()


def write_whole(folder: str | Path, files: Mapping[str, str | bytes]) -> list[Path]:
    """Write files into a folder and folders below it: all are complete under other names before the first takes its place.

    Names are relative, with '/'. What else is in the folder stays as it is; if anything fails, so does everything, and
    folders that were made for it are taken away again.
    """
    path = Path(folder)
    for name in files:
        if not _inside(name):
            raise ValueError(f"a file of a report must lie in its folder; got {name!r}")
    made: list[Path] = []
    try:
        waiting: list[tuple[Path, Path]] = []
        finished = False
        try:
            for place in dict.fromkeys([path, *((path / name).parent for name in files)]):
                made += _make(place)
            for name, content in files.items():
                target = path / name
                if target.is_dir():
                    raise IsADirectoryError(EISDIR, f"{name} is a folder there")
                temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
                waiting.append((temporary, target))
                temporary.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
            for temporary, target in waiting:
                os.replace(temporary, target)
            finished = True
        finally:
            for temporary, _ in waiting:
                temporary.unlink(missing_ok=True)
            if not finished:
                for place in reversed(made):
                    _remove_if_empty(place)
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
