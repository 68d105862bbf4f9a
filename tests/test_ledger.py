"""The ledger as a whole: what a check decides, that every claim is checked, and that a plan is validated first."""

import pytest

from asymp.reports import check, claims
from asymp.reports.index import INDEX
from asymp.reports.running.run import plan
from asymp.reports.serialise import verdict_data

IDS = list(INDEX)


@pytest.mark.parametrize("id", ["missing-mass", "score-variance", "finite-memory-lower"])
def test_the_first_three_claims_are_supported(quick_verdicts, id):
    assert quick_verdicts[id].outcome == "supported"
    assert not quick_verdicts[id].inconclusive


def test_a_quick_check_decides_almost_everything(quick_verdicts):
    # Sections 1 and 3 are planned to be decided by a quick check; capacities and trained models wait for the standard one.
    planned = [id for id in IDS if INDEX[id].section in (1, 3)]
    open_ones = [id for id in planned if quick_verdicts[id].inconclusive]
    assert len(open_ones) <= len(planned) // 8, open_ones


def test_the_verdicts_of_the_suite_are_those_of_check(quick_verdicts):
    def told(verdict):
        data = verdict_data(verdict)
        data.pop("seconds", None)
        return data

    assert told(check("finite-memory-lower")) == told(quick_verdicts["finite-memory-lower"])


def test_every_section_of_the_index_has_its_file_of_checks():
    # test_ledger_<section>.py takes its claims from the index; a claim without a file would never be checked
    assert {entry.section for entry in INDEX.values()} <= {1, 2, 3, 4, 5}


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
