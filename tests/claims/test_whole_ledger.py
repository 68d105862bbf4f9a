"""The ledger as a whole: what a check decides, that every claim is checked, and that a plan is validated first.

This file comes last in its folder: it finds in the store what the tests of single claims have measured in another process.
"""

import pytest

from asymp.reports import check
from asymp.reports.claims import claims, index
from asymp.reports.planning import plan_many
from asymp.theory import laws

IDS = list(index())


@pytest.mark.parametrize("id", ["missing-mass", "score-variance", "finite-memory-lower"])
def test_the_first_three_claims_are_supported(quick_verdicts, id):
    assert quick_verdicts[id].outcome == "supported"


def test_a_commit_decides_most_statements_of_the_cheap_sections(quick_verdicts):
    # those of sections 1 and 3 take no trained models; some need more seconds than a commit gives them
    planned = [id for id in IDS if index()[id].section in (1, 3)]
    parts = [part for id in planned for part in quick_verdicts[id].parts.values()]
    assert sum(part.outcome != "inconclusive" for part in parts) >= 0.85 * len(parts)


def test_the_list_has_the_kinds_that_the_claims_have():
    assert {id: entry.kind for id, entry in index().items()} == {id: claims[id].kind for id in IDS}


def test_a_plan_is_validated_before_anything_runs():
    with pytest.raises(ValueError, match="alpha must exceed 1|alpha must be"):
        plan_many(["missing-mass"], settings={"alpha": 0.9})
    with pytest.raises(ValueError, match="did you mean 'alpha'"):
        plan_many(["missing-mass"], settings={"alfa": 2})
    with pytest.raises(ValueError, match="no preset named"):
        plan_many(["missing-mass"], preset="fast")
    with pytest.raises(ValueError, match="did you mean 'missing-mass'"):
        check("missing-mas")
    with pytest.raises(ValueError, match="device"):
        check("missing-mass", device="tpu")
    with pytest.raises(ValueError, match="seed"):
        check("missing-mass", seed=0.5)


def test_no_rate_is_judged_by_an_exponent_declared_beside_its_formula():
    # or a change of the formula would change no verdict
    rates = [(id, part) for id in IDS for part in claims[id].parts if part.kind == "rate"]
    for id, part in rates:
        for formula in (part.formula, part.right.formula):
            assert part.variable_name not in formula.exponents, f"{id} {part.name}: {formula.id}"


def test_a_law_of_a_source_is_used_by_a_statement_or_is_said_not_to_be_measured():
    parts = [part for id in IDS for part in claims[id].parts]
    used = {part.formula.id for part in parts if part.formula} | {p.erratum.corrected_by for p in parts if p.erratum}
    for law in map(laws.__getitem__, laws):
        id, _, form = law.id.partition(":")
        if law.id not in used and law.source.key != "asymp":
            named = (f"`{law.id}`", f"`:{form}`")
            assert any(name in said for said in claims[id].unmeasured for name in named), (
                f"{law.id}: no reason is given"
            )
