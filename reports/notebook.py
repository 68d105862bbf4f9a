"""Verdicts, claims and the sources' figures in a notebook: a small table, LaTeX, and the picture."""

from html import escape
from typing import TYPE_CHECKING, Any

from asymp.reports.verdict import PartVerdict, Verdict

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from asymp.reports.declare import Claim
    from asymp.reports.gallery.run import Made

__all__ = ["claim_html", "claim_plot", "made_html", "part_html", "verdict_html", "verdict_latex", "verdict_plot"]

# Okabe and Ito's, dark enough for text on white and light enough for text on black.
COLOURS = {"supported": "#00805e", "refuted": "#c24f00", "inconclusive": "#8f6a00"}
SIGNS = {"supported": "\u2713", "refuted": "\u2717", "inconclusive": "?"}
SAME = {"holds": "supported", "fails": "refuted", "cannot be decided": "inconclusive"}  # a figure's statements


def verdict_html(verdict: Verdict) -> str:
    """A verdict as a table of its parts."""
    from asymp.reports.claimbook import claims
    from asymp.reports.pages.render import number, prose
    from asymp.reports.pages.summary import summary

    declared = {part.name: part for part in claims[verdict.claim].parts}
    rows = []
    for part in verdict.parts.values():
        line = summary(declared[part.name], part)
        note = " (erratum)" if part.erratum else ""
        rows.append(
            f"<tr><td>{escape(part.name)}{note}</td><td>{_outcome(part.outcome)}</td><td>{escape(line.what)}</td>"
            f"<td>{number(line.predicted)}</td><td>{number(line.measured)}</td><td>{number(line.interval)}</td>"
            f"<td style='text-align:left'>{prose(part.statement)}</td></tr>"
        )
    head = "".join(
        f"<th>{w}</th>" for w in ("part", "verdict", "what", "predicted", "measured", "interval", "statement")
    )
    return (
        f"<div><b>{escape(verdict.claim)}</b>: {_outcome(verdict.outcome)} "
        f"<small>(preset {escape(verdict.preset)}, seed {verdict.seed}, budget {verdict.budget:.2g})</small>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def verdict_latex(verdict: Verdict) -> str:
    """A verdict in LaTeX: the leading law, and how it came out."""
    from asymp.reports.claimbook import claims

    leading = claims[verdict.claim].leading
    return f"$\\displaystyle {leading.law.latex()} \\qquad \\text{{{verdict.outcome}}}$"


def verdict_plot(verdict: Verdict, part: str | None = None) -> "Figure":
    """The figure of one part of a verdict, the leading one if none is named."""
    from asymp.reports.claimbook import claims
    from asymp.reports.pages.part_figures import part_figure
    from asymp.theory.names import unknown_name

    claim = claims[verdict.claim]
    name = claim.leading.name if part is None else part
    if name not in verdict.parts:
        raise ValueError(unknown_name(f"part of {verdict.claim!r}", name, list(verdict.parts)))
    declared = next(p for p in claim.parts if p.name == name)
    own = verdict.parts[name]
    corrected = None
    if declared.erratum:
        better = declared.with_corrected_law()
        corrected = [better.predicted(cell.params) for cell in own.judgement.cells]
    return part_figure(declared, own, verdict.parts, corrected)


def claim_plot(claim: "Claim", part: str | None = None, **how: Any) -> "Figure":
    """Check a claim (`how` is passed to `check`) and draw one of its parts."""
    from asymp.reports.running.run import check

    return verdict_plot(check(claim.id, **how), part)


def claim_html(claim: "Claim") -> str:
    """A claim as a list of its statements with their formulas."""
    from asymp.reports.describe import spell_source
    from asymp.reports.index import INDEX
    from asymp.reports.pages.render import prose

    entry = INDEX.get(claim.id)
    title = claim.title or (entry.title if entry else claim.id)
    source = spell_source(claim.source or (entry.source if entry else ""))
    items = "".join(
        f"<li><b>{escape(part.name)}</b> ({part.kind}{', erratum' if part.erratum else ''}): {prose(part.statement)}</li>"
        for part in claim.parts
    )
    return f"<div><b>{escape(claim.id)}</b>: {escape(title)} <small>({escape(source)})</small><ul>{items}</ul></div>"


def part_html(part: PartVerdict) -> str:
    """One part's verdict in words, with what the run could have seen."""
    from asymp.reports.command.texts import triad
    from asymp.reports.pages.render import prose

    words = f"{part.judgement.words} {triad(part)}"
    return f"<div><b>{escape(part.name)}</b>: {_outcome(part.outcome)} {prose(words)}</div>"


def made_html(made: "Made") -> str:
    """A figure of a source: its caption in our words, and what each sentence of the source's caption comes to."""
    from asymp.reports.describe import spell_source
    from asymp.reports.pages.render import prose

    rows = "".join(
        f"<tr><td style='text-align:left'>{prose(said.text)}{' (asymp)' if said.by_us else ''}</td>"
        f"<td>{_outcome(found.outcome)}</td><td style='text-align:left'>{prose(found.words)}</td></tr>"
        for said, found in zip(made.figure.statements, made.findings, strict=True)
    )
    return (
        f"<div><b>{escape(made.entry.title)}</b> <small>({escape(spell_source(made.entry.source))})</small>"
        f"<p>{prose(made.figure.caption)}</p><table><tbody>{rows}</tbody></table></div>"
    )


def _outcome(outcome: str) -> str:
    kind = SAME.get(outcome, outcome)
    return f"<b style='color:{COLOURS[kind]}'>{SIGNS[kind]} {outcome}</b>"
