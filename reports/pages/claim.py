"""claims/<id>.html: one claim, from the statement to what was not measured."""

import re
from collections.abc import Mapping
from html import escape
from typing import Any

from asymp.reports.describe import too_long
from asymp.reports.judge.cells import spell
from asymp.reports.pages.layout import page
from asymp.reports.pages.numbers import concise, interval, plain
from asymp.reports.pages.overview import cost_words
from asymp.reports.pages.part_figures import inline
from asymp.reports.pages.render import render
from asymp.theory import BIBLIOGRAPHY

__all__ = ["claim_page"]

LAW_WORDS = {"bound": "bound", "order": "limit"}


def claim_page(
    claim: Mapping[str, Any],
    drawn: Mapping[str, str],
    *,
    before: Mapping[str, Any] | None,
    after: Mapping[str, Any] | None,
    footer: str,
) -> str:
    """The page of a claim; `drawn` has the SVG of each part."""
    parts = [_part(part, drawn[part["name"]]) for part in claim["parts"]]
    lead = next(part for part in parts if part["name"] == claim["leading"])
    body = render(
        "claim.html",
        claim={**claim, "parts": parts, "budget_words": f"{claim['budget']:.2g}", "works": _works(claim)},
        lead=lead,
        cost=cost_words(claim["cost"]),
        before=_neighbour(before),
        after=_neighbour(after),
        formula=_formula,
        letter=_letter,
    )
    return page(claim["title"], body, depth=1, footer=footer)


def _part(part: Mapping[str, Any], svg: str) -> dict[str, Any]:
    summary = part["summary"]
    label = (
        f"Figure of {part['name']}, {part['outcome']}: {summary['what'] or 'measured'}, predicted {summary['predicted']}, "
        f"measured {summary['measured']}."
    )
    return {
        **part,
        "svg": inline(svg, prefix=part["anchor"], label=label),
        "margin_words": "" if part["kind"] in LAW_WORDS else f"margin declared before the run: {part['margin']:g}; ",
        "law_word": LAW_WORDS.get(part["kind"], "law"),
        "rows": [_row(cell) for cell in part["cells"]],
    }


def _row(cell: Mapping[str, Any]) -> dict[str, Any]:
    mean, low, high, ratio = cell["mean"], cell["low"], cell["high"], cell["ratio"]
    return {
        "setting": spell(cell["params"]),
        "predicted": plain(cell["predicted"]),
        "measured": concise(mean, max(high - mean, mean - low)),
        "interval": interval(low, high),
        "ratio": "" if ratio != ratio else f"{ratio:.4g}",
        "replicas": cell["replicas"],
    }


def _formula(part: Mapping[str, Any]) -> Any:
    """The formula in MathML, or how to get it where it is too long to be read."""
    from markupsafe import Markup

    if not part["mathml"]:
        words = too_long(part["law"])
        return Markup(f'<p class="note">{escape(words)}</p>')
    label = escape(f"Formula of {part['name']}")
    return Markup(f'<div class="wide formula" tabindex="0" role="region" aria-label="{label}">{part["mathml"]}</div>')


def _letter(part: Mapping[str, Any], name: str) -> Any:
    from markupsafe import Markup

    return Markup(part["letters"].get(name, escape(name)))


def _works(claim: Mapping[str, Any]) -> list[dict[str, str]]:
    return [
        {"key": key, "words": reference_words(BIBLIOGRAPHY[key].bibtex), "bibtex": BIBLIOGRAPHY[key].bibtex}
        for key in claim["references"]
    ]


def reference_words(bibtex: str) -> str:
    """A BibTeX entry as a sentence: authors, title, where, year."""
    fields = dict(re.findall(r"(\w+)\s*=\s*\{(.*?)\}\s*,?\s*\n", bibtex + "\n"))
    where = fields.get("booktitle") or fields.get("journal") or fields.get("howpublished") or ""
    told = [fields.get("author", "").replace(" and ", "; "), fields.get("title", ""), where, fields.get("note", "")]
    year = fields.get("year", "")
    return ". ".join(piece for piece in [*told, year] if piece) + "."


def _neighbour(claim: Mapping[str, Any] | None) -> dict[str, str] | None:
    return None if claim is None else {"id": claim["id"], "file": claim["page"].rpartition("/")[2]}
