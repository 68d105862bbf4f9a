"""Figures on the command line: `asymp report --figures`, with claims and alone."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from asymp.reports.gallery.declare import OPEN, How
from asymp.reports.gallery.index import CHEAP, INDEX, chosen

if TYPE_CHECKING:
    from asymp.reports.command.options import Options
    from asymp.reports.gallery.page import Gallery

__all__ = ["figures_alone", "figures_list", "figures_of_report", "wanted_figures"]

NO_CLAIMS = """<h1>Theory against experiment</h1>
<p class="lead">No claim was checked: only figures were asked for.</p>
<p><a href="figures.html">The sources' figures</a> are here. <code>asymp report</code> checks all claims and writes
the whole report; <code>asymp report --figures all missing-mass</code> has figures and claims.</p>"""


def wanted_figures(names: Sequence[str], claims: Sequence[str], options: "Options") -> tuple[list[str], bool]:
    """The figures to make, and whether they are all that is wanted: figures are named, and no claim is."""
    found = chosen(names)
    if not found:
        # A report of everything has what costs next to nothing; one of some claims has what is kept.
        return ([] if claims or options.claims_file else list(CHEAP)), False
    if options.shard:
        raise ValueError("a shard is one of claims' cells; leave --shard or --figures out")
    if options.plan:
        raise ValueError("a plan is one of claims' cells; leave --plan or --figures out")
    if options.cluster:
        raise ValueError("figures are measured on this machine; leave --cluster or --figures out")
    alone = not claims and not options.claims_file
    if alone and options.settings:
        raise ValueError("figures have settings of their own; leave -s out, or name the claims that it is for")
    return found, alone


def figures_of_report(names: Sequence[str], options: "Options", tell: Callable[[str], None]) -> "Gallery":
    """Measure the figures, or take them from the store, with the options of a report."""
    from asymp.reports.command.options import open_store
    from asymp.reports.gallery.page import collect

    how = How(seed=options.seed, device=options.device, store=open_store(options, tell))
    return collect(names, preset=options.preset, how=how, tell=None if options.quiet else tell)


def figures_alone(
    names: Sequence[str], options: "Options", output: str, keep: str | None, tell: Callable[[str], None]
) -> tuple[str, int]:
    """Figures without claims, into a folder that may have a report already: what to print, and the exit code."""
    from asymp.reports.gallery.page import Gallery, gallery_files
    from asymp.reports.gallery.pictures import pictures
    from asymp.reports.pages.folder import write_whole
    from asymp.reports.pages.hands import Hands
    from asymp.reports.running.kept import Kept

    gallery = figures_of_report(names, options, tell)
    folder = Path(output)
    present = {path.relative_to(folder).as_posix() for path in folder.rglob("*.html")}
    files: dict[str, str | bytes] = {}
    if "index.html" not in present:
        from asymp.reports.pages.layout import page

        present |= {"index.html"}
        files["index.html"] = page("Overview", NO_CLAIMS, current="index.html", present={"index.html", "figures.html"})
    shown = {name: drawn() for name, drawn in pictures(gallery.made, Kept(keep), Hands()).items()}
    files = gallery_files(gallery, shown, present={*present, "figures.html"}) | files
    written = write_whole(folder, files)
    asked = Gallery(tuple(m for m in gallery.made if m.entry.name in names), gallery.preset, gallery.seed)
    still_open = any(f.outcome == OPEN for made in asked.made for f in made.findings)
    return _text(asked, written, as_json=options.as_json), 3 if options.strict and still_open else 0


def _text(gallery: "Gallery", written: Sequence[Path], *, as_json: bool) -> str:
    from asymp.reports.gallery.page import counts_text, gallery_data

    if as_json:
        from asymp.reports.serialise import dumps

        return dumps({"files": [path.as_posix() for path in written], "figures": gallery_data(gallery)})
    lines = []
    for made in gallery.made:
        lines.append(f"{made.entry.name}: {made.entry.title}")
        for statement, finding in zip(made.figure.statements, made.findings, strict=True):
            lines += [f"  {finding.outcome}: {statement.text}", f"    {finding.words}"]
    return "\n".join([*lines, counts_text(gallery), f"figures: {written[0].as_posix()}"])


def figures_list(*, as_json: bool) -> str:
    """The figures' names, titles and sources."""
    if as_json:
        import json

        rows: list[dict[str, Any]] = [{"name": e.name, "title": e.title, "source": e.source} for e in INDEX.values()]
        return json.dumps(rows, indent=2)
    return "\n".join(f"{e.name:<20} {e.title} [{e.source}]" for e in INDEX.values())
