"""The claims of the ledger come out as they should, their errata too, and wrong laws in their place are refuted."""

from dataclasses import replace
from functools import cache

import pytest

from asymp.reports import check, claims
from asymp.reports.index import INDEX, LEDGER_SIZE
from asymp.reports.run import BUDGET, judge_parts, plan
from asymp.theory import law

IDS = list(INDEX)


@pytest.fixture(scope="module")
def verdicts(quick_verdicts):
    return quick_verdicts


@pytest.mark.parametrize("id", IDS)
def test_the_claim_is_supported(verdicts, id):
    verdict = verdicts[id]
    assert verdict.outcome == "supported"
    assert verdict.as_expected
    assert not verdict.inconclusive, {n: p.judgement.words for n, p in verdict.parts.items()}


@pytest.mark.parametrize("id", IDS)
def test_each_claim_owns_a_fixed_share_of_the_budget(verdicts, id):
    assert verdicts[id].budget == BUDGET / LEDGER_SIZE


@pytest.mark.parametrize("id", IDS)
def test_the_index_and_the_claim_say_the_same(id):
    assert claims[id].id == id
    assert claims[id].leading.kind == INDEX[id].kind or INDEX[id].kind in {p.kind for p in claims[id].parts}


@cache
def estimate(id, name, preset, index):
    """One cell of a part, measured once for all controls."""
    part = next(p for p in claims[id].parts if p.name == name)
    cell = part.cells(preset, {})[index]
    return cell, part.experiment.run(**cell, replicas=part.replicas_at(preset, cell), seed=0)


def measured(id, name, preset="quick", most=None):
    part = next(p for p in claims[id].parts if p.name == name)
    return [estimate(id, name, preset, i) for i in range(len(part.cells(preset, {})))[:most]]


ERRATA = [(id, part.name) for id in IDS for part in claims[id].parts if part.erratum]


@pytest.mark.parametrize(("id", "name"), ERRATA)
def test_the_corrected_law_in_the_place_of_the_erratum_is_supported(id, name):
    part = next(p for p in claims[id].parts if p.name == name)
    fixed = part.with_corrected_law()
    verdict = judge_parts([fixed], [measured(id, name)], budget=BUDGET / LEDGER_SIZE)[name]
    assert verdict.outcome == "supported"


def scaled(part, factor):
    """The same part with its law multiplied by a factor."""
    return replace(part, constant=part.constant * factor)


def tilted(part, extra):
    """The same rate with an exponent wrong by `extra`."""
    made = part.law
    wrong = law(
        made.id,
        f"({made.expression}) * {part.variable}**({extra})",
        relation=made.relation,
        domain=made.domain,
        typical=made.typical,
    )
    return replace(part, law=wrong)


def controls():
    for id in IDS:
        for part in claims[id].parts:
            if part.erratum:
                continue
            if part.kind == "rate":
                yield id, part.name, "exponent + twice the margin", tilted(part, 2 * part.margin)
                yield id, part.name, "exponent - twice the margin", tilted(part, -2 * part.margin)
            elif part.kind in ("identity", "constant"):
                yield id, part.name, "constant 25 % too large", scaled(part, 1.25)
                yield id, part.name, "constant 25 % too small", scaled(part, 0.75)
            else:
                yield id, part.name, "bound on the wrong side", part


@pytest.mark.parametrize(
    ("id", "name", "how", "wrong"), [pytest.param(*c, id=f"{c[0]} {c[1]} {c[2]}") for c in controls()]
)
def test_negative_controls_are_refuted(id, name, how, wrong):
    if how != "bound on the wrong side":
        cells = measured(id, name)
    else:
        # 20 % beyond the measured value, at the preset that has the power for it.
        cells = measured(id, name, "standard", most=3)
        ratio = max if wrong.law.relation.startswith("<") else min
        side = 0.8 if wrong.law.relation.startswith("<") else 1.2
        worst = ratio(estimate.mean / wrong.predicted(cell) for cell, estimate in cells)
        wrong = scaled(wrong, worst * side)
    verdict = judge_parts([wrong], [cells], budget=BUDGET / LEDGER_SIZE)[name]
    assert verdict.outcome == "refuted", verdict.judgement.words


def test_a_plan_is_validated_before_anything_runs():
    with pytest.raises(ValueError, match="alpha must exceed 1|alpha must be"):
        plan(claims["missing-mass"], settings={"alpha": 0.9})
    with pytest.raises(ValueError, match="did you mean 'alpha'"):
        plan(claims["missing-mass"], settings={"alfa": 2})
    with pytest.raises(ValueError, match="no preset named"):
        plan(claims["missing-mass"], preset="fast")
    with pytest.raises(ValueError, match="did you mean 'missing-mass'"):
        check("missing-mas")
    with pytest.raises(ValueError, match="device"):
        check("missing-mass", device="tpu")
    with pytest.raises(ValueError, match="seed"):
        check("missing-mass", seed=0.5)
