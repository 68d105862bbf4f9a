"""Where the sources' statements fail: what was measured, how far off, what is right instead, the most important first."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from asymp.reports.claimbook import claims
from asymp.reports.describe import spell_source
from asymp.reports.index import INDEX
from asymp.reports.pages.numbers import factor
from asymp.reports.pages.summary import off
from asymp.reports.verdict import PartVerdict, Verdict
from asymp.theory import Erratum, Law, errata, laws

__all__ = ["ORDER", "errata_data"]

ORDER = (
    "Importance is defined so: first the main statements of claims, then side remarks and readings of them; within each, "
    "first what this run measured and refuted, then what it left open, then what stands by derivation; within that, the larger "
    "discrepancy first: the factor by which the statement is off at the points measured (for a rate, over the sizes measured)."
)
STATES = {"refuted": 0, "inconclusive": 1, "supported": 2, "derived": 3}


def errata_data(
    verdicts: Sequence[Verdict],
    found: Sequence[Mapping[str, Any]],
    formula: Callable[[Law], dict[str, Any]],
    corrected: Mapping[tuple[str, str], list[float]],
) -> list[dict[str, Any]]:
    """Every erratum of the claims reported, in the order of importance."""
    rows = []
    pages = {data["id"]: data for data in found}
    for id, erratum in errata():
        claim = id.partition(":")[0]
        if claim in pages:
            verdict = next(v for v in verdicts if v.claim == claim)
            rows.append(_row(id, erratum, verdict, pages[claim], formula, corrected))
    return sorted(rows, key=lambda r: (not r["main"], STATES[r["state"]], -_size(r["off"]), r["law"]))


def _size(value: float | None) -> float:
    return 0.0 if value is None else value


def _row(
    id: str,
    erratum: Erratum,
    verdict: Verdict,
    page: Mapping[str, Any],
    formula: Callable[[Law], dict[str, Any]],
    corrected: Mapping[tuple[str, str], list[float]],
) -> dict[str, Any]:
    claim = claims[verdict.claim]
    part = next((p for p in claim.parts if p.erratum == erratum), None)
    law = laws[id]
    row: dict[str, Any] = {
        "law": id,
        "claim": verdict.claim,
        "title": page["title"],
        "page": page["page"],
        "source": spell_source(str(law.source)),
        "main": claim.leading.law is law and verdict.claim in INDEX,
        **asdict(erratum),
        "stated_mathml": formula(law)["mathml"],
        "corrected_mathml": formula(laws[erratum.corrected_by])["mathml"],
        "state": "derived",
        "off": None,
        "size": "",
        "evidence": "No part of the claim measures this regime: the erratum stands by derivation, which the tests repeat.",
        "anchor": "",
        "with_correction": "",
    }
    if part is None:
        return row
    own = verdict.parts[part.name]
    size = off(part, own)
    with_corrected = part.with_corrected_law()
    return {
        **row,
        "state": own.outcome,
        "off": size,
        "size": _size_words(part.kind, own, size),
        "statement": own.statement,
        "evidence": own.judgement.words,
        "part": part.name,
        "anchor": next(p["anchor"] for p in page["parts"] if p["name"] == part.name),
        "with_correction": _agreement(
            own, with_corrected.kind, with_corrected.law, corrected.get((verdict.claim, part.name))
        ),
    }


def _size_words(kind: str, verdict: PartVerdict, size: float) -> str:
    numbers = verdict.judgement.numbers
    if numbers.get("fits"):
        worst = max(numbers["fits"], key=lambda f: abs(f["exponent"] - f["predicted"]))
        return (
            f"the exponent is {worst['exponent']:.3g}, not {worst['predicted']:.3g}: "
            f"a factor {factor(size)} over the sizes measured"
        )
    if "holds" in numbers:
        return f"the order holds in {sum(numbers['holds'])} of {sum(numbers['runs'])} runs"
    if not math.isfinite(size):
        return "of the wrong sign, or zero where it should not be (or the other way round)"
    if size < 1.3:
        return f"{100 * (size - 1):.2g} % at the points measured"
    return f"a factor {factor(size)} at the points measured"


def _agreement(verdict: PartVerdict, kind: str, law: Law, values: Sequence[float] | None) -> str:
    """How the same measurements compare with the corrected law."""
    if not values or kind in ("bound", "order") or law.relation not in ("=", "~"):
        return ""
    ratios = [c.mean / v for c, v in zip(verdict.judgement.cells, values, strict=True) if v]
    if not ratios:
        return ""
    low, high = min(ratios), max(ratios)
    told = f"{low:.3g}" if f"{low:.3g}" == f"{high:.3g}" else f"{low:.3g} to {high:.3g}"
    return f"Measured over corrected law at the same points: {told}."
