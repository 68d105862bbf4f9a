"""The picture of all claims: how far each statement is from its law, in units of the margin declared before the run."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from asymp.reports.claims import claims
from asymp.reports.page.figure import Files, inline
from asymp.reports.page.render import letters
from asymp.reports.page.view import CheckedClaim, PartView, ReportView
from asymp.reports.reference import Reference, reference_of
from asymp.reports.verdict import OUTCOME_WORDS
from asymp.theory import BIBLIOGRAPHY

FAR = 3.0
"""How many margins from the law a mark is drawn at most: what is farther off stands at the edge."""
LONGEST = 600
"""Characters of a formula that a search looks at."""
SHOWN = 3
"""How many results stand above all others."""
EDGE = 0.46
"""Where that is, as a share of the track's width from its middle."""
LABEL = 58
"""Characters of a title that have room beside the track."""

UNITS = {"order": "runs in the order", "bound": "measured / bound", "capacity": "capacity / law"}
"""What the number of a statement is that was not measured today, by its kind."""


@dataclass(frozen=True)
class Mark:
    """A statement in the picture.

    `at`: where it stands, as a share of the track's width. `low`, `width`: where its interval begins, from there, and how wide
    it is; None without one. `told`: what is said when it is pointed at. `number`: what stands beside a leading statement
    that has no margin.
    """

    statement: str
    outcome: str
    at: float
    low: float | None
    width: float | None
    leading: bool
    of_source: bool
    place: str
    told: str
    number: str = ""


@dataclass(frozen=True)
class Highlight:
    """A result worth seeing: a title, what is said of it, its figure and its place."""

    title: str
    words: str
    outcome: str
    page: str
    svg: str


@dataclass(frozen=True)
class Row:
    """A claim in the picture: the marks of today's run and of the reference run, and what a search looks at.

    `reference_outcomes`: those of the reference run by statement, empty where it has none.
    """

    label: str
    today: tuple[Mark, ...]
    reference: tuple[Mark, ...]
    reference_outcomes: Mapping[str, str]
    words: str


def rows(report: ReportView) -> Mapping[str, Row]:
    """The rows of the picture, by claim."""
    return {claim.id: _row(claim) for claim in report.claims}


def _row(claim: CheckedClaim) -> Row:
    found = {part.name: reference_of(claim.id, part.name) if claim.of_the_ledger else None for part in claim.parts}
    outcomes = {name: one.outcome if one else "" for name, one in found.items()}
    title = letters(claim.title or claim.id)
    label = title if len(title) <= LABEL else f"{title[: LABEL - 1].rstrip()}…"
    return Row(label, _today(claim), _reference(claim, found), outcomes, _searched(claim))


def _searched(claim: CheckedClaim) -> str:
    """What a search looks at beside the claim's row: sources with their places and words, laws, formulas; each once."""
    said = [claim.source]
    for part in claim.parts:
        said += [
            part.name,
            part.statement,
            part.law,
            part.law_source,
            part.quantity,
            part.expression.replace("**", "^"),
            part.conventions,
        ]
        said += part.symbols.values()
        said += [f"{BIBLIOGRAPHY[q.key].short} {q.place} {q.words}" for q in part.quotations]
    words = " ".join(dict.fromkeys(" ".join(text.split())[:LONGEST] for text in said if text))
    return words.replace("\\", "")


def _today(claim: CheckedClaim) -> tuple[Mark, ...]:
    marks = []
    for part in claim.parts:
        line = part.summary
        said = f"{line.what} {line.measured}" + (f" ({line.interval})" if line.interval else "")
        predicted = f", predicted {line.predicted}" if line.predicted else ""
        marks += _mark(claim, part, part.outcome, line.margins, f"{said}{predicted}", f"{line.measured} {line.what}")
    return _drawn(marks)


def _reference(claim: CheckedClaim, known: Mapping[str, Reference | None]) -> tuple[Mark, ...]:
    marks = []
    for part in claim.parts:
        found = known[part.name]
        if found is not None:
            what = part.summary.what or UNITS.get(part.kind, "")
            said = f"reference run: {what} {found.measured}" + (f" ({found.interval})" if found.interval else "")
            marks += _mark(claim, part, found.outcome, found.margins, said, f"{found.measured} {what}")
    return _drawn(marks)


def _mark(
    claim: CheckedClaim,
    part: PartView,
    outcome: str,
    margins: Sequence[float] | None,
    said: str,
    number: str,
) -> list[Mark]:
    """The mark of one statement; none of one that holds or is open, has no margin and is not the leading one."""
    leading = part.name == claim.leading
    if margins is None and outcome != "refuted" and not leading:
        return []
    at, low, high = margins if margins is not None and not math.isnan(margins[0]) else (None, None, None)
    if at is None:
        at = FAR if outcome == "refuted" else 0.0
    return [
        Mark(
            statement=part.name,
            outcome=outcome,
            at=_share(at),
            low=None if low is None else round(_share(low) - _share(at), 4),
            width=None if low is None or high is None else round(_share(high) - _share(low), 4),
            leading=leading,
            of_source=part.of_source,
            place=f"{claim.page}#{part.anchor}",
            told=letters(f"{part.statement} {OUTCOME_WORDS[outcome].capitalize()}: {said}."),
            number=letters(number) if margins is None and leading else "",
        )
    ]


def _drawn(marks: Sequence[Mark]) -> tuple[Mark, ...]:
    """What matters most lies on top: what holds, then what is open, then what fails, and last the leading statement."""
    order = ("supported", "inconclusive", "refuted")
    return tuple(sorted(marks, key=lambda m: (m.leading and m.outcome != "refuted", order.index(m.outcome))))


def _share(margins: float) -> float:
    """Where a number of margins is drawn, as a share of the track's width."""
    return round(0.5 + EDGE * max(-FAR, min(FAR, margins)) / FAR, 4)


def highlights(report: ReportView, drawn: Mapping[tuple[str, str], Files]) -> list[Highlight]:
    """Up to three results worth seeing: those that claims declare, as far as they came out so; else leading statements."""
    known = {claim.id: claim for claim in report.claims}
    sizes = {(erratum.claim, erratum.part): erratum.size for erratum in report.errata}
    found = []
    for id, claim in known.items():
        for name, title, words in claims[id].worth_seeing:
            part = next(part for part in claim.parts if part.name == name)
            if part.outcome == "refuted" and part.shown:
                found.append(
                    (claim, part, title, f"{words} Measured: {sizes.get((id, name)) or part.summary.measured}.")
                )
    if not found:
        leading = [claim for claim in report.claims if claim.lead.shown and claim.lead.shown.axis]
        leading.sort(key=lambda claim: ("refuted", "supported", "inconclusive").index(claim.lead.outcome))
        found = [(claim, claim.lead, claim.title or claim.id, claim.lead.statement) for claim in leading]
    return [
        Highlight(
            title,
            words,
            part.outcome,
            f"{claim.page}#{part.anchor}",
            inline(drawn[claim.id, part.name], prefix=f"see-{i}", label=f"Figure: {title}"),
        )
        for i, (claim, part, title, words) in enumerate(found[:SHOWN])
    ]
