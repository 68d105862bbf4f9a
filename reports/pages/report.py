"""The report: a folder of pages, the same as data, tables and figures. Written whole or not at all."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from asymp.reports.gallery.page import Gallery, counts_text, gallery_data, gallery_files
from asymp.reports.gallery.pictures import pictures
from asymp.reports.pages.claim import claim_page
from asymp.reports.pages.data import report_data
from asymp.reports.pages.drawings import draw_all
from asymp.reports.pages.folder import write_whole
from asymp.reports.pages.hands import Hands
from asymp.reports.pages.markdown import markdown
from asymp.reports.pages.others import errata_page, unmeasured_page
from asymp.reports.pages.overview import footer, overview_page
from asymp.reports.pages.tables import claims_table, errata_table
from asymp.reports.running.kept import Kept
from asymp.reports.serialise import dumps
from asymp.reports.verdict import Verdict

__all__ = ["report_files", "write_report"]

# What pages are made from and readers of report.json have no use for.
ONLY_FOR_PAGES = {"mathml", "variants", "letters", "functions", "stated_mathml", "corrected_mathml"}


def write_report(
    verdicts: Sequence[Verdict],
    folder: str | Path = "asymp-report",
    *,
    keep: str | Path | None = None,
    workers: int = 1,
    more: Sequence[str] = (),
    gallery: Gallery | None = None,
) -> list[Path]:
    """Write the report of some verdicts into a folder; all files or none. The first path is that of index.html.

    `keep` is a folder in which figures and formulas are kept for the next report (a store's folder will do), `workers` the
    number of processes that draw and typeset, `more` sentences for the overview, `gallery` the sources' figures.
    """
    return write_whole(folder, report_files(verdicts, keep=keep, workers=workers, more=more, gallery=gallery))


def report_files(
    verdicts: Sequence[Verdict],
    *,
    keep: str | Path | None = None,
    workers: int = 1,
    more: Sequence[str] = (),
    gallery: Gallery | None = None,
) -> dict[str, str | bytes]:
    """The report's files by their path in its folder."""
    if not verdicts:
        raise ValueError("there is nothing to report: no claim was checked")
    kept = Kept(keep)
    gallery = gallery or Gallery(preset=verdicts[0].preset, seed=verdicts[0].seed)
    with Hands(workers) as hands:
        data, drawn = report_data(verdicts, kept, hands)
        data["figures"] = gallery_data(gallery)
        begun = pictures(gallery.made, kept, hands)
        figures = draw_all(drawn, kept, hands)
        shown = {name: files() for name, files in begun.items()}
    claims = data["claims"]
    ending = footer(data)
    files: dict[str, str | bytes] = {"index.html": overview_page(data, more=more, figures=counts_text(gallery))}
    for i, claim in enumerate(claims):
        svgs = {part["name"]: figures[claim["id"], part["name"]]["svg"].decode() for part in claim["parts"]}
        files[claim["page"]] = claim_page(
            claim,
            svgs,
            before=claims[i - 1] if i else None,
            after=claims[i + 1] if i + 1 < len(claims) else None,
            footer=ending,
        )
        for part in claim["parts"]:
            for form, body in figures[claim["id"], part["name"]].items():
                files[f"{part['figure']}.{form}"] = body
    files["errata.html"] = errata_page(data)
    files["not-measured.html"] = unmeasured_page(data)
    files |= gallery_files(gallery, shown, present={*files, "figures.html"}, footer=ending)
    files["tables/claims.tex"] = claims_table(data)
    files["tables/errata.tex"] = errata_table(data)
    files["report.json"] = dumps(_for_readers(data)) + "\n"
    files["report.md"] = markdown(data)
    return files


def _for_readers(value: Any) -> Any:
    """The data without what only the pages need."""
    if isinstance(value, dict):
        return {k: _for_readers(v) for k, v in value.items() if k not in ONLY_FOR_PAGES}
    return [_for_readers(v) for v in value] if isinstance(value, list | tuple) else value
