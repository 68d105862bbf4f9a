"""Verdicts and claims in a notebook: a small table, LaTeX, and the picture."""

from typing import TYPE_CHECKING, Any

from asymp.reports.check import check
from asymp.reports.claims import claims
from asymp.reports.page.drawing import draw, said
from asymp.reports.page.figure import caption
from asymp.reports.page.figure_data import figure_data
from asymp.reports.page.formulas import curves_now
from asymp.reports.page.render import macro
from asymp.reports.verdict import StatementVerdict, Verdict
from asymp.theory.names import unknown_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from asymp.reports.claim import Claim


def verdict_html(verdict: Verdict) -> str:
    """A verdict as a table of its parts."""
    return macro("notebook.html", "verdict", verdict)


def part_html(part: StatementVerdict) -> str:
    """One part's verdict in words, with what the run could have seen."""
    return macro("notebook.html", "part", part)


def claim_html(claim: "Claim") -> str:
    """A claim as a list of its statements."""
    return macro("notebook.html", "claim", claim)


def verdict_latex(verdict: Verdict) -> str:
    """A verdict in LaTeX: the leading law, and how it came out."""
    law = claims[verdict.claim].leading.formula
    formula = "" if law is None else f"{law.latex()} \\qquad "
    return f"$\\displaystyle {formula}\\text{{{verdict.outcome}}}$"


def verdict_plot(verdict: Verdict, part: str | None = None) -> "Figure":
    """The figure of one part of a verdict, the leading one if none is named."""
    claim = claims[verdict.claim]
    name = claim.leading.name if part is None else part
    if name not in verdict.parts:
        raise ValueError(unknown_name(f"part of {verdict.claim!r}", name, list(verdict.parts)))
    declared = next(p for p in claim.parts if p.name == name)
    own = verdict.parts[name]
    laws = curves_now(declared, own.evidence.points).dense
    data = figure_data(declared, own, verdict.parts, laws, claim.id)
    return draw(data) if data else said(caption(declared, own, None))


def claim_plot(claim: "Claim", part: str | None = None, **how: Any) -> "Figure":
    """Check a claim (`how` is passed to `check`) and draw one of its parts."""
    return verdict_plot(check(claim.id, **how), part)
