"""The pytest plugin: one budget for a suite, whichever tests run and in whatever order; seeds from ids; clean messages."""

import pytest

from asymp.reports.testing.budget import TestShare
from asymp.reports.testing.plugin import probability

pytest_plugins = ("pytester",)

SUITE = """
import pytest
from hypothesis import given, settings
from asymp import assert_equal, experiment, law, parameters
from asymp.reports import CouldNotFail
from asymp.theory import Param, integer

PARAMS = {"n": Param(integer(1), typical=(4, 64))}
gap = law("gap", "1/(n + 1)", relation="=", params=PARAMS)
wrong = law("wrong", "2/(n + 1)", relation="=", params=PARAMS)
gaps = experiment("gap", lambda draw, *, n: 1 - draw.uniform(shape=(int(n),)).amax(1), kurtosis=9, block=512)

def test_right():
    assert_equal(gap, gaps, at={"n": 8})

def test_wrong():
    assert_equal(wrong, gaps, at={"n": 8})

@settings(max_examples=5, deadline=None)
@given(at=parameters(gap))
def test_drawn(at):
    assert_equal(gap, gaps, at=at)

def test_weak():
    with pytest.raises(CouldNotFail, match="0.001 could not have been seen with 512 replicas a point, only one of"):
        assert_equal(gap, gaps, at={"n": 8}, detect=0.001)

def test_of_something_else():
    assert True
"""


# the plugin by its module, whether its entry point is installed or not
PLUGINS = ("-p", "no:asymp", "-p", "asymp.reports.testing.plugin", "-p", "no:cacheprovider")


def test_a_suite_shares_one_budget_and_says_so(pytester):
    pytester.makepyfile(SUITE)
    # in a process of its own: pytester forgets modules that were imported meanwhile, and torch cannot be imported twice
    ran = pytester.runpytest_subprocess(*PLUGINS, "--asymp-budget", "1e-4", "-k", "not something_else")
    ran.assert_outcomes(passed=3, failed=1, deselected=1)
    # five tests of a module that imports asymp, whichever of them run, share half of the budget; a test's first assertion
    # may spend a quarter of its share
    ran.stdout.fnmatch_lines(["*law 'wrong' is refuted at the rate 2.5e-06*"])
    # three such assertions, and five examples of 1e-6
    line = "asymp: 4 tests with assertions; a right suite fails by chance with probability at most 1.?e-05 (budget 0.0001)*"
    ran.stdout.fnmatch_lines([f"{line}; discrepancies that would have been seen (relative): 0.* to 0.*"])
    shown = ran.stdout.str()
    assert "assertions.py" not in shown.partition("short test summary")[0]  # no internal frames


@pytest.mark.parametrize("budget", ["2", "nonsense", "0"])
def test_a_budget_that_is_no_probability_is_refused(budget):
    with pytest.raises(pytest.UsageError, match="the budget of asymp must be a probability"):
        probability(budget)


def test_what_assertions_may_spend_never_exceeds_the_tests_share():
    share = TestShare("a::b", 1.0)
    spent = [share.next_rate(("f", line)) for line in (1, 2, 3, 1, 2, 3, 1, 1, 4)]
    assert spent[0] == 1 / 4 and sum(spent) < 1
    assert sum(share.next_rate(("f", 5)) for _ in range(1000)) + sum(spent) < 1
    drawn = TestShare("a::b", 1.0, examples=50)
    assert len({drawn.next_rate(("f", 1)) for _ in range(60)}) == 1  # an example that is tried again is judged alike
    assert drawn.next_rate(("f", 1)) == 1 / 100


def test_seeds_are_those_of_the_tests_ids():
    assert TestShare("a::b", 1).seed == TestShare("a::b", 0.1).seed != TestShare("a::c", 1).seed
