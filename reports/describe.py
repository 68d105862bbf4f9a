"""A claim as plain data: what `asymp show --json` prints and the page is made from."""

from collections.abc import Callable
from dataclasses import asdict
from functools import lru_cache
from typing import Any

from asymp.reports.declare import Claim, Part
from asymp.reports.index import INDEX
from asymp.theory import BIBLIOGRAPHY, Law, laws

__all__ = ["claim_data", "spell_source", "too_long"]

Formula = Callable[[Law], dict[str, Any]]


def too_long(id: str) -> str:
    """What is said in the place of a formula that would fill screens."""
    return f'The formula is too long to be shown; laws["{id}"].expr has it.'


@lru_cache(maxsize=512)
def formula_text(law: Law) -> dict[str, Any]:
    """A law's formula as text and in LaTeX; parts share laws, and some take a second to write."""
    return {"expression": str(law.expr), "latex": law.latex()}


def claim_data(claim: Claim, *, formula: Formula = formula_text) -> dict[str, Any]:
    """The claim's declaration, part by part; `formula` gives what is said of each law's formula."""
    entry = INDEX.get(claim.id)
    return {
        "id": claim.id,
        "title": claim.title or (entry.title if entry else claim.id),
        "section": claim.section or (entry.section if entry else 0),
        "kind": entry.kind if entry else claim.kind,
        "source": spell_source(claim.source or (entry.source if entry else "")),
        "simulation": claim.simulation,
        "notes": list(claim.notes),
        "conventions": claim.conventions,
        "references": references(claim),
        "parts": [_part(part, formula) for part in claim.parts],
        "other_errata": _other_errata(claim),
    }


def _other_errata(claim: Claim) -> list[dict[str, str]]:
    """Errata of the claim's laws that no part measures: they stand by derivation."""
    measured = [part.erratum for part in claim.parts]
    own = laws.of(claim.id) if claim.id in INDEX else ()
    return [{"law": law.id, **asdict(e)} for law in own for e in law.errata if e not in measured]


def references(claim: Claim) -> list[str]:
    """The keys of the works that the claim and its laws cite, in the order of the bibliography."""
    entry = INDEX.get(claim.id)
    cited = [claim.source or (entry.source if entry else ""), *claim.references]
    cited += [str(part.law.source) for part in claim.parts]
    return [key for key in BIBLIOGRAPHY if key != "asymp" and any(key in text for text in cited)]


def spell_source(source: str) -> str:
    """A source with the keys of the bibliography spelt out."""
    for key, work in BIBLIOGRAPHY.items():
        if key != "asymp":
            source = source.replace(key, work.short)
    return source.replace("asymp, ", "derived here: ")


def _part(part: Part, formula: Formula) -> dict[str, Any]:
    law = part.law
    return {
        "name": part.name,
        "kind": part.kind,
        "statement": part.statement,
        "law": law.id,
        "relation": law.relation,
        **formula(law),
        "law_source": spell_source(str(law.source)),
        "conventions": law.conventions,
        "assumptions": [condition.message for condition in law.conditions],
        "law_notes": list(law.notes),
        "symbols": {name: _symbol(part, name) for name in law.domain},
        "margin": part.margin,
        "constant": part.constant,
        "variable": part.variable,
        "experiment": part.experiment.id,
        "version": part.experiment.version,
        "expected": part.expected,
        "erratum": asdict(part.erratum) if part.erratum else None,
    }


def _symbol(part: Part, name: str) -> str:
    meaning = part.law.meanings.get(name, "")
    domain = part.law.domain[name].describe()
    return f"{meaning} ({domain})" if meaning else domain
