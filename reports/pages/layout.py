"""The frame of every page: head, navigation, style, footer. A page stands alone and works from a file URL."""

import base64
import hashlib
from collections.abc import Container
from functools import cache
from html import escape
from importlib.resources import files

__all__ = ["NAVIGATION", "badge", "page"]

# The pages that every report has, in the order of the navigation.
NAVIGATION = {
    "index.html": "Overview",
    "errata.html": "Errata",
    "not-measured.html": "Not measured",
    "figures.html": "Figures",
}
OUTCOMES = ("supported", "refuted", "inconclusive")


def page(
    title: str,
    body_html: str,
    *,
    depth: int = 0,
    current: str = "",
    script: str = "",
    footer: str = "",
    broad: bool = False,
    present: Container[str] | None = None,
) -> str:
    """A whole page around `body_html`, which has to be safe HTML with one <h1>.

    `title` and `footer` are plain text. `depth` is the number of folders between the page and the report's own folder (0 for
    figures.html, 1 for claims/x.html), `current` the page's own name in NAVIGATION. A `script` is allowed by its hash; a
    `broad` page has room for a wide table. `present` are the pages that the report has, if not all of NAVIGATION.
    """
    if isinstance(depth, bool) or not isinstance(depth, int) or depth < 0:
        raise ValueError(f"depth must be a whole number, 0 or more; got {depth!r}")
    up = "../" * depth
    here = ' aria-current="page"'
    links = "".join(
        f'<a href="{up}{name}"{here if name == current else ""}>{words}</a>'
        for name, words in NAVIGATION.items()
        if present is None or name in present
    )
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data: file:" + _allowed(script)
    return (
        '<!doctype html>\n<html lang="en-GB">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f"<title>{escape(title)} - asymp report</title>\n<style>{_style()}</style>\n</head>\n"
        f"<body{' class=broad' if broad else ''}>\n"
        '<a class="skip" href="#content">Skip to the content</a>\n'
        f'<header class="site"><nav aria-label="Pages of the report">{links}</nav></header>\n'
        f'<main id="content" tabindex="-1">\n{body_html}\n</main>\n'
        f'<footer><p class="meta">{escape(footer)}</p></footer>\n'
        + (f"<script>{script}</script>\n" if script else "")
        + "</body>\n</html>\n"
    )


def badge(outcome: str) -> str:
    """A verdict as a badge: the word, and a shape and colour that say the same."""
    if outcome not in OUTCOMES:
        raise ValueError(f"an outcome is one of {', '.join(OUTCOMES)}; got {outcome!r}")
    return f'<span class="badge {outcome}">{outcome}</span>'


def _allowed(script: str) -> str:
    """The policy's words for one inline script and no other."""
    if not script:
        return ""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"; script-src 'sha256-{digest}'"


@cache
def _style() -> str:
    return (files("asymp.reports") / "templates" / "style.css").read_text(encoding="utf-8")
