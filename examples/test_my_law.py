"""Tests of a law of your own in your own suite: run them with `pytest examples/test_my_law.py`.

The law: the largest of n uniform numbers misses 1 by 1/(n + 1) on average. asymp's pytest plugin shares one budget over the
suite: a right law fails by chance once in a million runs of all tests together.
"""

import pytest
from hypothesis import given, settings

from asymp.montecarlo import experiment
from asymp.reports import assert_bound, assert_equal, assert_rate, parameters
from asymp.theory import Param, integer, law

PARAMS = {"n": Param(integer(1), typical=(4, 4096))}
gap = law("gap", "1/(n + 1)", relation="=", params=PARAMS, source="mine")
at_most = law("gap:bound", "1/n", relation="<=", params=PARAMS, source="mine")


def simulate(draw, *, n):
    drawn = draw.uniform(shape=(int(n),))
    return 1 - drawn.max(dim=1).values


# the gap has the law Beta(1, n), whose kurtosis is below that of an exponential variable
gaps = experiment("gap", simulate, version=1, kurtosis=9)


@settings(max_examples=10, deadline=None)
@given(at=parameters(gap))
def test_the_mean_at_any_n(at):
    assert_equal(gap, gaps, at=at)


def test_the_bound():
    assert_bound(at_most, gaps, at=[{"n": n} for n in (4, 64, 1024)])


def test_the_exponent():
    # fails, too, if an exponent wrong by 0.5 would not have been seen
    assert_rate(gap, gaps, variable="n", sizes=[2**k for k in range(2, 12)], detect=0.5)


def test_a_wrong_law_would_fail():
    wrong = law("gap:wrong", "1/(n + 2)", relation="=", params=PARAMS, source="mine")
    with pytest.raises(AssertionError, match="refuted"):
        assert_equal(wrong, gaps, at={"n": 4}, replicas=8192)
