"""Equalities: a declared scale where the law may say 0, and identities without any spread."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support.own_claims import law_of_d, outcome_of, statement

from asymp.montecarlo import Estimate
from asymp.reports.kinds import Identity

ZERO, ONE = law_of_d("0*d"), law_of_d("d")


def outcome(one: Identity, values: Any, **declared: Any) -> Any:
    """The verdict on a statement whose only point has these values; normal ones, unless something else is declared."""
    about = declared or {"kurtosis": 3.1}
    return outcome_of(one, [({"d": 2}, Estimate(values=np.asarray(values, dtype=float), **about))])


def noise(shift: float, n: int = 40_000) -> np.ndarray:
    """A sample whose mean is `shift` exactly, and whose standard error is 1/200."""
    drawn = np.random.default_rng(0).standard_normal(n)
    return shift + (drawn - drawn.mean()) / drawn.std(ddof=1)


@pytest.mark.parametrize(
    ("shift", "scale", "wanted"),
    [
        # the 98 % interval has the half-width 0.0116, or up to a fifth more: within 2 % of the scale 1 up to a shift of 0.006
        (0.0, 1.0, "supported"),
        (0.005, 1.0, "supported"),
        (0.009, 1.0, "inconclusive"),
        (0.1, 1.0, "refuted"),
        (0.0, 0.5, "inconclusive"),  # the margin is half as wide
        (0.1, 100.0, "refuted"),  # within the margin, but an exact law that the data reject is refuted
    ],
)
def test_a_law_that_says_zero_is_judged_on_its_declared_scale(shift: float, scale: float, wanted: str) -> None:
    verdict = outcome(statement(Identity, ZERO, scale=lambda params: scale), noise(shift))
    assert verdict.outcome == wanted
    assert "of the declared scale" in verdict.evidence.words
    # 4.42 standard errors are 1e-5 two-sided, 1.645 give the power 95 %; an interval that holds for all tails is wider
    assert 1 < verdict.evidence.seen / ((4.42 + 1.645) / 200 / scale) < 1.12


def test_without_a_scale_zero_cannot_be_shown() -> None:
    verdict = outcome(statement(Identity, ZERO), noise(0.0))
    assert verdict.outcome == "inconclusive"
    assert verdict.evidence.seen == float("inf")


def test_without_a_scale_a_value_that_is_not_zero_refutes_a_law_that_says_zero() -> None:
    verdict = outcome(statement(Identity, ZERO), noise(0.1))
    assert verdict.outcome == "refuted"
    assert "The law says 0" in verdict.evidence.words and "Measured is 0.1" in verdict.evidence.words


def test_the_scale_of_a_law_that_is_not_zero_is_its_value() -> None:
    assert statement(Identity, ONE).unit({"d": 3}) == 3
    same = (
        outcome(statement(Identity, ONE), noise(2.0)),
        outcome(statement(Identity, ONE, scale=lambda params: 2.0), noise(2.0)),
    )
    assert {v.outcome for v in same} == {"supported"}
    assert same[0].evidence.seen == same[1].evidence.seen


def test_an_identity_without_spread() -> None:
    exact = statement(Identity, ONE, margin=1e-9)
    # 1.1 + 0.2 is not 1.3 in floats; the difference is rounding, not a refutation
    rounded = outcome(replace(exact, to_law=lambda params: {"d": 1.3}), [1.1 + 0.2] * 8, deterministic=True)
    assert (rounded.outcome, rounded.evidence.p_value) == ("supported", 1)
    verdict = outcome(exact, [2.0] * 8, deterministic=True)
    assert (verdict.outcome, verdict.evidence.p_value) == ("supported", 1)
    verdict = outcome(exact, [2.0 + 1e-6] * 8, deterministic=True)
    assert verdict.outcome == "refuted" and verdict.evidence.p_value < 1e-10


@pytest.mark.parametrize(
    ("said", "value", "replicas", "wanted"),
    [
        # Runs that lose nothing, where the law says v: (1 - v)^n is their probability at most.
        ("d/2000", 0, 8, "inconclusive"),  # .999^8 = .99
        ("d/20", 0, 400, "refuted"),  # .9^400 = 5e-19
        ("1 - d/2000", 1, 8, "inconclusive"),  # .01^(1/8) = .56: not shown within 2 % either
        ("1 - d/2000", 1, 400, "supported"),  # .01^(1/400) = .989: within 2 %
        ("1 - d/4", 1, 100, "refuted"),
    ],
)
def test_shares_that_are_all_the_same_are_not_taken_for_an_identity(said, value, replicas, wanted):
    one, values = statement(Identity, law_of_d(said)), np.full(replicas, value)
    assert outcome(one, values, bounds=(0, 1)).outcome == wanted
    for declared in ({"kurtosis": 3.0}, {"bounds": None}):
        assert outcome(one, values, **declared).outcome == "inconclusive"


def test_without_a_declaration_a_statement_is_open_and_says_what_is_missing():
    found = outcome(statement(Identity, ONE), noise(2.0), bounds=None).evidence
    assert found.why_open(3) == "nothing is declared about the values of its experiment"
    assert "bounds=(low, high)" in found.words and "kurtosis=K" in found.words and "Student's" in found.words
    assert outcome(statement(Identity, ONE), noise(2.0)).evidence.assumption.startswith(
        "The values' kurtosis is declared"
    )


@pytest.mark.parametrize(
    ("resolution", "wanted"), [(1e-12, "supported"), (0.016, "inconclusive"), (0.3, "inconclusive")]
)
def test_what_a_published_value_is_uncertain_by_narrows_what_is_supported(resolution, wanted):
    # the 98 % interval is 2 +- 0.0125: within 2 % of 2, not within 0.4 %
    assert outcome(statement(Identity, ONE, resolution=resolution), noise(2.0)).outcome == wanted
    # and nothing is refuted within it
    assert (outcome(statement(Identity, ONE, resolution=resolution), noise(2.2)).outcome == "refuted") == (
        resolution < 0.1
    )


@pytest.mark.parametrize(("replicas", "final"), [(400, False), (40_000, True)])
def test_what_is_compared_with_too_rough_a_value_cannot_be_supported_and_does_not_run_for_ever(replicas, final):
    # the mean of 400 values is known to 0.05, and of what would be seen, some six of these or 15 % of 2, little is the 8 %
    found = outcome(statement(Identity, ONE, resolution=0.08), noise(2.0, replicas)).evidence
    assert found.why_open(3).startswith("no run can support it: what is compared is known to 8 % only")
    assert bool(found.final) == final
    assert not outcome(statement(Identity, ONE, resolution=0.01), noise(2.0, replicas)).evidence.final
