"""What the sources say that is not measured, and why: by claim, by law, and what no claim takes up."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from asymp.reports.claimbook import claims
from asymp.reports.command.texts import triad
from asymp.reports.declare import Claim
from asymp.reports.describe import spell_source
from asymp.reports.index import INDEX, LEDGER_SIZE
from asymp.reports.pages.outside import OUTSIDE
from asymp.reports.verdict import Verdict
from asymp.theory import laws

__all__ = ["claim_unmeasured", "unmeasured_data"]

BY_SECOND_ROUTE = "The formula is tested against a second derivation; no simulation of it is declared."


def claim_unmeasured(claim: Claim) -> dict[str, Any]:
    """What a claim leaves out: in its own words, and the laws that none of its parts measures."""
    said = [sentence for note in claim.notes for sentence in _sentences(note) if "not measured" in sentence]
    used = {part.law.id for part in claim.parts}
    used |= {part.erratum.corrected_by for part in claim.parts if part.erratum}
    own = laws.of(claim.id) if claim.id in INDEX else ()
    left = [law for law in own if law.id not in used]
    return {
        "said": [*claim.unmeasured, *said],
        "laws": [
            {
                "law": law.id,
                "title": law.title,
                "source": spell_source(str(law.source)),
                "stated_by_source": law.source.key not in ("asymp", ""),
                "why": BY_SECOND_ROUTE,
            }
            for law in left
        ],
    }


def _sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.;]) (?=[A-Z])", text)


def unmeasured_data(verdicts: Sequence[Verdict], found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The page of what is not measured, as data."""
    checked = {v.claim for v in verdicts}
    undecided = [
        {
            "claim": data["id"],
            "page": data["page"],
            "part": part["name"],
            "anchor": part["anchor"],
            "statement": part["statement"],
            "why": triad(verdict.parts[part["name"]]),
        }
        for data, verdict in zip(found, verdicts, strict=True)
        for part in data["parts"]
        if part["outcome"] == "inconclusive"
    ]
    return {
        "outside": [{**asdict(row), "source": spell_source(row.source)} for row in OUTSIDE],
        "claims": [
            {"claim": data["id"], "page": data["page"], "title": data["title"], **claim_unmeasured(claims[data["id"]])}
            for data in found
            if data["not_measured"]["said"] or data["not_measured"]["laws"]
        ],
        "undecided": undecided,
        "not_in_this_report": [id for id in INDEX if id not in checked],
        "ledger_size": LEDGER_SIZE,
    }
