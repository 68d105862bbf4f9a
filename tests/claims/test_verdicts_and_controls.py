"""Every claim comes out as it should, its errata too, and wrong laws in the place of the right ones are refuted.

All tests of a claim run in one worker (`xdist_group`), so that what is measured for it is measured once.
"""

import math

import pytest

from asymp.reports import claims
from asymp.reports.check import BUDGET
from asymp.reports.claims import LEDGER_SIZE, index
from asymp.reports.judging import judged, outcome_of
from asymp.reports.kinds.evidence import LOOKS
from asymp.reports.reference import reference_of

PARTS = [(id, part) for id in index() for part in claims[id].parts]


def of_claim(id, name):
    """A part of a claim as a parameter of a test."""
    return pytest.param((id, name), id=f"{id}-{name}", marks=pytest.mark.xdist_group(id))


def level_of(id, part, round):
    """What a look at a statement of the claim may spend."""
    return BUDGET / LEDGER_SIZE / len(claims[id].parts) * part.share_of_look(round)


def not_on_a_commit(id, name):
    """Why a statement is left out of a commit."""
    known = reference_of(id, name)
    takes = "longer than a commit has" if known is None or known.first_round is None else f"{known.first_round:.0f} s"
    return f"not on a commit: {id} {name}: its first round takes {takes}"


@pytest.mark.parametrize("id", [pytest.param(id, marks=pytest.mark.xdist_group(id)) for id in index()])
def test_every_part_comes_out_as_expected_or_open(quick_verdicts, id, record_property):
    verdict = quick_verdicts[id]
    record_property("claim-check", id)
    assert verdict.as_expected, {n: p.evidence.words for n, p in verdict.parts.items()}


# Seconds of one processor that the data for other laws may take, where those that decided the right one cannot decide them.
CONTROL_SECONDS = 4.0
ENOUGH_LOOKS = 3
"""Looks, with sixteen times the data at the last, after which a wrong law is refuted and a corrected one supported."""
MORE_LOOKS = {
    "maximal-update source-many": 5,
    "fill-scheme source-first-power": 5,
    "fill-scheme source-second-power": 4,
    "exact-recall-error shortcut": 4,
    "seen-s-times source-many-samples": 4,
}
"""Bounds up to a constant, which is measured first, at the smallest size; the second power of fill; an error of 1e-3."""


def too_few(id, name, rounds):
    """Whether a commit has too little time for what these looks have left open."""
    return len(rounds) < MORE_LOOKS.get(f"{id} {name}", ENOUGH_LOOKS)


def rounds_for_others(id, name, round):
    """The round that decided the statement, and further ones as long as they are cheap."""
    known = reference_of(id, name)
    first = math.inf if known is None or known.first_round is None else known.first_round
    return [round, *(r for r in range(round + 2, LOOKS, 2) if first * 2**r <= CONTROL_SECONDS)]


@pytest.mark.parametrize("erratum", [of_claim(id, part.name) for id, part in PARTS if part.erratum])
def test_the_corrected_law_in_the_place_of_the_erratum_is_supported(erratum, measured, quick_verdicts):
    id, name = erratum
    part, round = next(p for p in claims[id].parts if p.name == name), quick_verdicts[id].parts[name].round
    if round is None:
        pytest.skip(not_on_a_commit(id, name))
    rounds = rounds_for_others(id, name, round)
    for round in rounds:
        level = level_of(id, part, round)
        found = judged(part.with_corrected_law(), measured(part, round=round), level=level)
        outcome = outcome_of(found, level)
        assert outcome != "refuted", found.words
        if outcome == "supported":
            return
    assert too_few(id, name, rounds), found.words
    pytest.skip(f"not on a commit: {id} {name}: more rounds would be too dear to support its correction")


@pytest.mark.parametrize("spoilt", [of_claim(id, part.name) for id, part in PARTS])
def test_negative_controls_are_refuted(spoilt, measured, quick_verdicts):
    # The wrong laws are made here and not at collection: a law may take seconds at a cell.
    id, name = spoilt
    part, verdict = next(p for p in claims[id].parts if p.name == name).right, quick_verdicts[id].parts[name]
    if verdict.round is None:
        pytest.skip(not_on_a_commit(id, name))
    made = list(part.wrong_laws())
    assert made, "a part without a wrong law that could be refuted"
    assert all(part.not_generated.values()), "a wrong law that a part may lack without a reason"
    survived, left = {control.how: control for control in made}, {}
    rounds = rounds_for_others(id, name, verdict.round)
    for round in rounds:
        cells, level = measured(part, round=round, most=part.wrong_points), level_of(id, part, round)
        for how, control in list(survived.items()):
            wrong = control.statement(cells)
            # Where the law itself is part of what is measured, a wrong one is measured anew, on the same draws.
            found = cells if wrong.experiment is part.experiment else measured(wrong, round=round)
            evidence = judged(wrong, found, level=level)
            outcome = outcome_of(evidence, level)
            assert outcome != "supported", (how, evidence.words)
            if evidence.final and not evidence.could_refute:
                pytest.skip(f"not on a commit: {id} {name}: {evidence.final}")
            left[how] = evidence.p_value
            if outcome == "refuted":
                del survived[how], left[how]
        if not survived:
            return
    # Data that show the right law leave a wrong one 1 % at most (a bound may also hold if it is tighter), and many data nothing.
    assert max(left.values()) <= 0.01 or verdict.outcome != "supported" or part.relation not in ("=", "~"), left
    assert too_few(id, name, rounds), left
    pytest.skip(f"not on a commit: {id} {name}: more rounds would be too dear to refute {', '.join(survived)}")
