"""Templates and numbers as HTML. What a user wrote is escaped; formulas and figures are made here and are not."""

import re
from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from asymp.reports.pages.layout import OUTCOMES, badge
from asymp.reports.pages.notation import letters, raised

if TYPE_CHECKING:
    from jinja2 import Environment, Template

__all__ = ["number", "prose", "render", "resource"]


def render(template: str, **values: Any) -> str:
    """A template of the package, filled in."""
    return _template(template).render(**values)


def resource(name: str) -> str:
    """The text of a file among the templates."""
    return (files("asymp.reports") / "templates" / name).read_text(encoding="utf-8")


def number(text: str) -> Any:
    """A number for reading: a true minus sign, powers of ten raised; the text itself is escaped."""
    from markupsafe import Markup

    safe = re.sub(r"(?<![\w.])-(?=[\d.i])", "\u2212", escape(str(text)))
    safe = re.sub(r"(?<=\d) ?%", "\u00a0%", safe)
    safe = re.sub(r"(?<=[\d.)])e([+-]?)0*(\d+)\b", _raised, safe)
    return Markup(re.sub(r"(?<![\w.])1\u00b710<", "10<", safe))


def prose(text: str) -> Any:
    """A sentence for reading: escaped, numbers and mathematics typeset, what stands in backticks as code."""
    from markupsafe import Markup

    pieces = re.split(r"`([^`]+)`", str(text))
    return Markup("").join(
        Markup(f"<code>{escape(piece)}</code>" if i % 2 else raised(number(letters(piece))))
        for i, piece in enumerate(pieces)
    )


def _raised(match: re.Match[str]) -> str:
    sign = "\u2212" if match[1] == "-" else ""
    return f"\u00b710<sup>{sign}{match[2]}</sup>"


@cache
def _template(name: str) -> "Template":
    return _environment().from_string(resource(name))


@cache
def _environment() -> "Environment":
    from jinja2 import Environment
    from markupsafe import Markup

    environment = Environment(autoescape=True, trim_blocks=True)
    # A badge holds nothing but one of the three outcomes.
    badges = {outcome: Markup(badge(outcome)) for outcome in OUTCOMES}
    environment.globals.update(badge=badges.__getitem__, number=number, prose=prose)
    return environment
