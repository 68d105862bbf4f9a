"""Rival laws on the same data: which are refuted, which are allowed, at one error rate for all of them together.

The statement that leads a claim is judged once for each law. Its experiment and settings are the same, and so are the values
(a law that is refuted early saw their first rounds): a difference between two verdicts is one between two laws. The laws
share the budget by Holm's rule, so that a true one is refuted with probability at most the budget, however many stand beside
it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product
from typing import Any

from asymp.reports.check import check, share_of
from asymp.reports.claim import Claim
from asymp.reports.claims import claims, registered
from asymp.reports.kinds import Statement
from asymp.reports.numbers import spell
from asymp.reports.track import duration
from asymp.reports.verdict import StatementVerdict, Verdict
from asymp.theory import Law, laws
from asymp.theory.formula import check_formula

__all__ = ["compare", "summary", "together"]


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
    budget = how.pop("budget", None) or share_of(chosen)
    return check(together(chosen, rivals), settings=settings, budget=budget, **how)


def together(claim: str | Claim, rivals: Sequence[str | Law]) -> Claim:
    """The leading statement of a claim, once with its own law and once with each rival."""
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
    return Claim(f"{chosen.id} and its rivals", parts, title=chosen.title, source=chosen.source)


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


def summary(verdict: Verdict, judged: Claim | None = None) -> str:
    """Which laws are refuted and which allowed, in a line each, and what would tell those apart that are left.

    Args:
        verdict: what `compare` found.
        judged: what `together` made, for the sizes at which laws would differ.
    """
    words = {"refuted": "refuted", "supported": "allowed, and shown within its margin", "inconclusive": "allowed"}
    width = max(len(name) for name in verdict.parts)
    lines = [f"{name:<{width}}  {words[part.outcome]}; {part.evidence.words}" for name, part in verdict.parts.items()]
    left = [name for name, part in verdict.parts.items() if part.outcome != "refuted"]
    statements = {part.name: part for part in judged.parts} if judged is not None else {}
    lines.append(f"{len(left) or 'No'} law{'' if len(left) == 1 else 's are' if left else ''} left")
    for one, other in combinations(left, 2):
        first, second = verdict.parts[one], verdict.parts[other]
        found = _by_exponents(first, second) if first.evidence.fits else _by_values(first, second, statements)
        lines.append(f"{one} and {other} {found}")
    return "\n".join(lines)


def _by_exponents(one: StatementVerdict, other: StatementVerdict) -> str:
    """What would tell two exponents apart: more runs, or a longer range of sizes."""
    fits = zip(one.evidence.fits, other.evidence.fits, strict=True)
    gap, fit = max(((abs(f.predicted - g.predicted), f) for f, g in fits), key=lambda pair: pair[0])
    if not gap:
        return "have the same exponent, all that a rate is about: an identity would tell their values apart"
    longer = one.evidence.seen / gap
    if not 1 < longer < math.inf:
        return f"differ by {gap:.3g} in the exponent"
    low, high = fit.sizes
    return (
        f"differ by {gap:.3g} in the exponent, and these data would see {one.evidence.seen:.3g}: {_runs(one, longer)}, or sizes "
        f"up to {low * (high / low) ** min(longer, 50):.2g} in the place of {high:g}, would tell them apart"
    )


def _by_values(one: StatementVerdict, other: StatementVerdict, statements: Mapping[str, Statement]) -> str:
    """What would tell the values of two laws apart: more runs, or sizes at which they differ more."""
    pairs = [
        (_apart(p.predicted, q.predicted), p.params)
        for p, q in zip(one.evidence.points, other.evidence.points, strict=True)
    ]
    gap, at = max(pairs, key=lambda pair: pair[0], default=(0.0, {}))
    seen = one.evidence.seen
    if not gap:
        return "say the same at every setting"
    words = f"differ by at most {100 * gap:.2g} %, at {spell(at)}"
    if not gap < seen < math.inf:
        return words
    words += f", and these data would see {100 * seen:.2g} %: {_runs(one, seen / gap)} would tell them apart"
    sizes = {k for k in at if isinstance(at[k], int | float) and len({str(params.get(k)) for _, params in pairs}) > 1}
    for name, doublings in product(sorted(sizes), (1, -1, 2, -2, 3, -3, 4, -4)):
        params = {**at, name: at[name] * 2**doublings if doublings > 0 else max(1, at[name] // 2**-doublings)}
        try:
            apart = _apart(*(statements[part.name].predicted(params) for part in (one, other)))
        except (KeyError, ValueError, ArithmeticError):
            continue
        if apart > seen:
            return f"{words}, and so would {name}={params[name]:g}, where they differ by {100 * apart:.2g} %"
    return words


def _apart(one: float, other: float) -> float:
    """The relative difference of two values."""
    return abs(one - other) / (max(abs(one), abs(other)) or 1.0)


def _runs(part: StatementVerdict, longer: float) -> str:
    """How many more runs make an interval so many times narrower, and how long they take."""
    words = f"about {longer**2:.2g} times the runs"
    if part.first_round is None or part.round is None:
        return words
    return f"{words} ({duration(part.first_round * 2**part.round * longer**2)} of one processor)"
