"""Rival laws on the same data: which are refuted, which are allowed, at one error rate for all of them together.

The statement that leads a claim is judged once for each law. Its experiment and settings are the same, and so are the values
(a law that is refuted early saw their first rounds): a difference between two verdicts is one between two laws. The laws
share the budget by Holm's rule, so that a true one is refuted with probability at most the budget, however many stand beside
it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from asymp.reports.check import check, share_of
from asymp.reports.claim import Claim
from asymp.reports.claims import claims, registered
from asymp.reports.verdict import Verdict
from asymp.theory import Law, laws
from asymp.theory.formula import check_formula

__all__ = ["compare", "summary"]


def compare(
    claim: str | Claim, *, rivals: Sequence[str | Law], settings: Mapping[str, Any] | None = None, **how: Any
) -> Verdict:
    """Judge the leading statement of a claim with its own law and with rivals, on the same data.

    Args:
        claim: the claim, or its id.
        rivals: laws, ids of laws, or formulas in the letters of the claim's law.
        settings: parameters to fix, such as {"alpha": 1.5}.
        **how: time, rounds, seed, store and so on, as in `check`.
    """
    chosen = claims[claim] if isinstance(claim, str) else claim
    leading = chosen.leading
    own = leading.formula
    if own is None or own.of_arrays:
        raise ValueError(
            f"the leading statement of claim {chosen.id!r} has no formula with which another could be compared"
        )
    if not rivals:
        raise ValueError("give at least one rival: the id of a law, or a formula in the letters of the claim's law")
    every = {own.id: own} | {
        law.id: law for law in (_law(own, rival, number) for number, rival in enumerate(rivals, 1))
    }
    if len(every) <= len(rivals):
        raise ValueError("each law must be given once, and a rival must be another than the claim's own")
    parts = tuple(
        replace(leading.with_law(law), name=name, text=f"{law.quantity} {law.relation} {law.expression}", erratum=None)
        for name, law in every.items()
    )
    together = Claim(f"{chosen.id} and its rivals", parts, title=chosen.title, source=chosen.source)
    return check(together, settings=settings, budget=how.pop("budget", None) or share_of(chosen), **how)


def _law(own: Law, rival: str | Law, number: int) -> Law:
    """A rival from what was given; it must speak of the parameters of the claim's own law."""
    if isinstance(rival, str):
        user = {p.formula.id: p.formula for c in registered.values() for p in c.parts if p.formula is not None}
        if rival in user or rival in laws:
            found = user[rival] if rival in user else laws[rival]
        else:
            check_formula(rival, own.params, f"rival {number} of law {own.id!r}")
            found = own.but(rival, rival, title="", source="a rival")
    else:
        found = rival
    unknown = [name for name in found.params if name not in own.params]
    if unknown:
        raise ValueError(f"law {found.id!r} has parameters that {own.id!r} has not: {', '.join(unknown)}")
    return found.but(found.id, relation=own.relation) if found.relation != own.relation else found


def summary(verdict: Verdict) -> str:
    """Which laws are refuted and which allowed, in a line each, and what would tell those apart that are left."""
    words = {"refuted": "refuted", "supported": "allowed, and shown within its margin", "inconclusive": "allowed"}
    width = max(len(name) for name in verdict.parts)
    lines = [f"{name:<{width}}  {words[part.outcome]}; {part.evidence.words}" for name, part in verdict.parts.items()]
    left = [name for name, part in verdict.parts.items() if part.outcome != "refuted"]
    if len(left) > 1:
        open_ = [part.why_open for name, part in verdict.parts.items() if name in left and part.why_open]
        evidence = next(iter(verdict.parts.values())).evidence
        lines.append(
            f"{len(left)} laws are left: these data tell apart laws that differ by {evidence.seen:.3g} ({evidence.unit})"
            + (f". {open_[0]}" if open_ else "")
        )
        exponents = [
            part.evidence.fits[0].predicted for name in left for part in [verdict.parts[name]] if part.evidence.fits
        ]
        if len(set(exponents)) < len(exponents):
            lines.append(
                "some have the same exponent, all that a rate is about: an identity would tell their values apart"
            )
    else:
        lines.append(f"{len(left) or 'No'} law{'' if len(left) == 1 else 's'} left")
    return "\n".join(lines)
