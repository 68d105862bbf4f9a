"""Where the sources' statements fail: what was measured, how far off, what is right instead, the most important first."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from asymp.reports.claims import claims, index
from asymp.reports.page.formulas import Formula
from asymp.reports.page.render import anchor, page_of
from asymp.reports.serialise import PAGE_ONLY
from asymp.reports.verdict import StatementVerdict, Verdict
from asymp.theory import Erratum, Law, errata, laws
from asymp.theory.bibliography import spell_source

STATES = {"refuted": 0, "inconclusive": 1, "supported": 2, "derived": 3}
BY_DERIVATION = "No part of the claim measures this regime: the erratum stands by derivation, which the tests repeat."


@dataclass(frozen=True, kw_only=True)
class ErratumView(Erratum):
    """One erratum of a report.

    `main`: whether it is the claim's main statement. `state`: the outcome of the part that measures it, or 'derived';
    then `part`, `statement` and `anchor` are empty. `off`, `size`: the factor by which the source is off at the points
    measured, and the same in words. `with_correction`: how the measurement compares with the corrected law.
    """

    law: str
    claim: str
    title: str
    page: str
    source: str
    main: bool
    state: str
    off: float | None
    size: str
    evidence: str
    part: str
    statement: str
    anchor: str
    with_correction: str
    stated: Formula = field(metadata=PAGE_ONLY)
    corrected: Formula = field(metadata=PAGE_ONLY)


def found_errata(
    verdicts: Sequence[Verdict],
    formula: Callable[[Law], Formula],
    corrected: Mapping[tuple[str, str], Sequence[float]],
) -> tuple[ErratumView, ...]:
    """Every erratum of the claims reported, in the order of importance that the page of errata states.

    Args:
        verdicts: the verdicts on the claims.
        formula: gives the formula of a law.
        corrected: the corrected laws' values, by claim and statement.
    """
    rows = []
    checked = {verdict.claim: verdict for verdict in verdicts}
    for id, erratum in errata(*checked):
        claim, law = claims[id.partition(":")[0]], laws[id]
        part = next((p for p in claim.parts if p.erratum == erratum), None)
        own = checked[claim.id].parts[part.name] if part else None
        agreement = ""
        if part and own and part.with_corrected_law().relation in ("=", "~"):
            agreement = _agreement(own, corrected.get((claim.id, part.name), ()))
        view = ErratumView(
            **vars(erratum),
            law=id,
            claim=claim.id,
            title=claim.title,
            page=page_of(claim.id),
            source=spell_source(str(law.source)),
            main=claim.leading.formula is law and claim.id in index(),
            state=own.outcome if own else "derived",
            off=own.evidence.off() if own else None,
            size=own.evidence.off_words() if own else "",
            evidence=own.evidence.words if own else BY_DERIVATION,
            part=own.name if own else "",
            statement=own.statement if own else "",
            anchor=anchor(own.name) if own else "",
            with_correction=agreement,
            stated=formula(law),
            corrected=formula(laws[erratum.corrected_by]),
        )
        rows.append(view)
    return tuple(sorted(rows, key=lambda r: (not r.main, STATES[r.state], -(r.off or 0.0), r.law)))


def _agreement(verdict: StatementVerdict, values: Sequence[float]) -> str:
    """How the same measurements compare with the corrected law."""
    ratios = [p.mean / v for p, v in zip(verdict.evidence.points, values, strict=True) if v] if values else []
    if not ratios:
        return ""
    words = " to ".join(dict.fromkeys([f"{min(ratios):.3g}", f"{max(ratios):.3g}"]))
    return f"Measured over corrected law at the same points: {words}."
