"""The assertions for users: right laws pass, wrong ones fail, and what could not have failed does not pass."""

import runpy
from pathlib import Path

import pytest
from support.own_claims import claim_of_d, law_of_d

from asymp.montecarlo import experiment
from asymp.montecarlo.experiment import ExperimentError
from asymp.reports import CouldNotFail, assert_bound, assert_claim, assert_equal, assert_rate

ROOT = Path(__file__).resolve().parents[3]
SIZES = [2**k for k in range(3, 14)]
EIGHT = {"d": 8}


def sample(draw, *, d):
    # uniform on (0, 2/d): mean 1/d, standard deviation 1/(sqrt(3) d)
    return 2 * draw.uniform() / d


bounded = experiment("uniform", sample, bounds=lambda d: (0, 2 / d))
unbounded = experiment("uniform-unbounded", sample, kurtosis=3)
undeclared = experiment("uniform-undeclared", sample)


@pytest.mark.parametrize("run", [bounded, unbounded])
def test_right_laws_pass(run):
    # Fixed seeds; with any other, each fails with probability 1e-9.
    cells = [{"d": d} for d in (8, 80, 800)]
    assert assert_equal(law_of_d("1/d", "="), run, at=cells, false_failure_rate=1e-9).p_value > 1e-9
    assert_bound(law_of_d("1.2/d", "<="), run, at=cells, false_failure_rate=1e-9)
    assert_bound(law_of_d("0.8/d", ">="), run, at=cells, false_failure_rate=1e-9)
    assert assert_rate(law_of_d("1/d", "~"), run, variable="d", sizes=SIZES, false_failure_rate=1e-9).seen < 0.3


@pytest.mark.parametrize("run", [bounded, unbounded])
def test_wrong_laws_fail(run):
    # 4096 replicas: a standard error of 0.9 % of the mean. 25 % is 28 of them, far beyond the 6 of 1e-9.
    how = {"replicas": 4096, "false_failure_rate": 1e-9}
    points, line = {"at": [EIGHT, {"d": 80}]}, {"variable": "d", "sizes": SIZES}
    for assertion, law, where in (
        (assert_equal, law_of_d("1.25/d", "="), points),
        (assert_bound, law_of_d("0.8/d", "<="), points),
        (assert_bound, law_of_d("1.25/d", ">="), points),
        (assert_rate, law_of_d("d**(-1.3)", "~"), line),
    ):
        with pytest.raises(AssertionError, match="refuted"):
            assertion(law, run, **where, **how)


def test_a_law_to_leading_order_fails_only_beyond_the_margin():
    # 5 % off with a standard error of 0.9 %: beyond it without a margin, within it with the default one of 10 %
    assert_equal(law_of_d("1.05/d", "~"), bounded, at=EIGHT, replicas=4096)
    with pytest.raises(AssertionError):
        assert_equal(law_of_d("1.05/d", "~"), bounded, at=EIGHT, margin=0.001, replicas=16384)


def test_a_hidden_constant_is_given():
    assert_bound(law_of_d("0.5/d", "<~"), bounded, at=EIGHT, constant=2.5)
    with pytest.raises(AssertionError):
        assert_bound(law_of_d("0.5/d", "<~"), bounded, at=EIGHT, constant=1.5, replicas=4096)


def test_what_could_not_fail_does_not_pass():
    with pytest.raises(CouldNotFail):
        assert_bound(law_of_d("0*d", ">="), bounded, at=EIGHT)
    with pytest.raises(CouldNotFail):  # the spread of one value is unknown, so that a right law must not fail
        assert_equal(law_of_d("1/d", "="), unbounded, at=EIGHT, replicas=1)


@pytest.mark.parametrize("false_failure_rate", [1e-6, 0.01])
def test_values_of_which_nothing_is_declared_are_refused_with_the_cure(false_failure_rate):
    for assertion, law in ((assert_equal, law_of_d("1/d", "=")), (assert_bound, law_of_d("9/d", "<="))):
        with pytest.raises(ValueError, match=r"declares nothing about its values.*bounds=\(low, high\).*kurtosis=K"):
            assertion(law, undeclared, at=EIGHT, false_failure_rate=false_failure_rate)
    assert_rate(law_of_d("1/d", "~"), undeclared, variable="d", sizes=SIZES)  # a fit has its own account of the spread


def test_a_passed_assertion_says_what_it_could_have_seen():
    few, many = (assert_equal(law_of_d("1/d", "="), unbounded, at=EIGHT, replicas=n) for n in (1024, 16384))
    # sixteen times the replicas see a quarter of the discrepancy, or less: an interval from few pays for tails not seen
    assert 0.18 < many.seen / few.seen < 0.27
    # At 1e-6 two-sided (4.89 standard errors) with power 95 % (1.64): 6.53 times 1/sqrt(3 n), and up to 15 % for the tails.
    assert 1 < many.seen / (6.53 / (3 * 16384) ** 0.5) < 1.15
    assert many.needed is not None and few.needed is not None


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"law": "1/d"}, "law must be made by"),
        ({"experiment": sample}, "experiment must be made by"),
        ({"at": 8}, "at must be a setting"),
        ({"at": [8]}, "at must be a setting"),
        ({"at": []}, "at least one"),
        ({"at": {"d": 8, "T": 2}}, "takes d; got 'T'"),
        ({"at": {"d": -8}}, "d must be"),
        ({"margin": -1}, "margin must be"),
        ({"margin": 5}, "margin must be"),
        ({"seed": "x"}, "seed must be an integer"),
        ({"law": law_of_d("1/d", "<=")}, "relation of an equality"),
        *[({"false_failure_rate": rate}, "false_failure_rate") for rate in (0, 1, -1, True, "often", 1e-15)],
    ],
)
def test_wrong_input_is_one_sentence(given, said):
    asked = {"law": law_of_d("1/d", "="), "experiment": bounded, "at": EIGHT, **given}
    with pytest.raises(ValueError, match=said):
        assert_equal(asked.pop("law"), asked.pop("experiment"), **asked)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: assert_bound(law_of_d("1/d", "<="), bounded, at=EIGHT, constant=0), "constant must be"),
        (lambda: assert_bound(law_of_d("1/d", "="), bounded, at=EIGHT), "relation"),
        (lambda: assert_claim(5), "claim must be"),
        (lambda: assert_claim("missing-mass", false_failure_rate=0), "false_failure_rate"),
    ],
)
def test_other_input_is_checked(wrong, said):
    with pytest.raises(ValueError, match=said):
        wrong()


def test_a_claim_of_the_ledger_and_one_of_the_users():
    assert set(assert_claim("finite-memory-lower")) == {"source", "sharp"}
    # maximal-update has a part that the source states wrongly: the claim still holds as it is recorded
    assert "source-many" in assert_claim("maximal-update")
    right, wrong = (
        claim_of_d(f"d**(-{b})", "~", "rate", id=f"mine-{b}", simulate=sample, bounds=lambda d: (0, 2 / d))
        for b in (1, 1.3)
    )
    assert assert_claim(right)["source"].unit == "absolute"
    with pytest.raises(AssertionError, match="source: refuted"):
        assert_claim(wrong)


def test_the_example_runs():
    tests = runpy.run_path(str(ROOT / "examples" / "test_my_law.py"))
    ran = [name for name, test in tests.items() if name.startswith("test_") and test() is None]
    assert len(ran) == 4


@pytest.mark.parametrize("block", [64, 1024, 4096])
def test_a_right_law_is_not_blamed_for_replicas_that_share_randomness(block):
    def shared(draw, *, d):
        return draw.uniform() / d * draw.alone.uniform(0.5, 1.5)

    def independent(draw, *, d):
        return draw.uniform() / d

    right, wrong = law_of_d("1/(2*d)", "="), law_of_d("1/d", "=")
    run = experiment("shared", shared, bounds=(0, 1), block=block)
    for seed in range(4):
        with pytest.raises((ExperimentError, AssertionError), match="share randomness"):
            assert_equal(right, run, at=EIGHT, replicas=4096, seed=seed, false_failure_rate=1e-3)
    run = experiment("independent", independent, bounds=(0, 1), block=block)
    with pytest.raises(AssertionError, match="is refuted at the rate") as failed:
        assert_equal(wrong, run, at=EIGHT, replicas=8 * block, seed=0)
    assert "randomness" not in str(failed.value)
