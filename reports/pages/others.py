"""errata.html and not-measured.html."""

from collections.abc import Mapping
from typing import Any

from asymp.reports.pages.errata import ORDER
from asymp.reports.pages.layout import page
from asymp.reports.pages.overview import errata_words, footer
from asymp.reports.pages.render import render

__all__ = ["errata_page", "unmeasured_page"]


def errata_page(data: Mapping[str, Any]) -> str:
    """Every place where a source's statement fails, the most important first."""
    rows = data["errata"]
    words = errata_words(rows)
    body = render("errata.html", rows=rows, words=words[:1].upper() + words[1:], order=ORDER)
    return page("Errata", body, current="errata.html", footer=footer(data))


def unmeasured_page(data: Mapping[str, Any]) -> str:
    """What the sources say that is not measured."""
    body = render("not-measured.html", **data["not_measured"])
    return page("Not measured", body, current="not-measured.html", footer=footer(data))
