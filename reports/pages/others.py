"""errata.html, not-measured.html, and the page of the sources' figures where none was asked for."""

from collections.abc import Mapping
from typing import Any

from asymp.reports.pages.errata import ORDER
from asymp.reports.pages.layout import page
from asymp.reports.pages.overview import errata_words, footer
from asymp.reports.pages.render import render

__all__ = ["errata_page", "no_figures_page", "unmeasured_page"]

NO_FIGURES = """<h1>The sources' figures</h1>
<p class="lead">None was asked for.</p>
<p>The figures of the papers and talks are drawn again, each with its data and a check of what its caption says, by</p>
<pre tabindex="0" role="region" aria-label="Command for the figures"><code>asymp report --figures all</code></pre>
<p>or by name; <code>asymp list --figures</code> lists them. The figures of the claims themselves are on the claims' pages.</p>"""


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


def no_figures_page(data: Mapping[str, Any]) -> str:
    """What to do to get the sources' figures."""
    return page("Figures", NO_FIGURES, current="figures.html", footer=footer(data))
