"""The verdicts themselves: true laws are supported, wrong ones refuted, and what could not fail is inconclusive."""

import math

import pytest
import torch
from support.own_claims import claim_of_d, law_of_d, uniform, verdict_of

from asymp.montecarlo import experiment
from asymp.reports import check, claim
from asymp.theory import Param, law, real


@pytest.mark.parametrize(
    ("expression", "relation", "kind", "outcome"),
    [
        ("1/d", "=", "identity", "supported"),
        ("1.05/d", "=", "identity", "refuted"),
        ("1/d + 1/d**2", "=", "identity", "refuted"),
        ("1/d", "~", "constant", "supported"),
        ("1.05/d", "~", "constant", "supported"),  # inside the 10 % of a constant, outside the 2 % of an exact law
        ("1.25/d", "~", "constant", "refuted"),
        ("0.75/d", "~", "constant", "refuted"),
        ("1.2/d", "<=", "bound", "supported"),
        ("0.8/d", "<=", "bound", "refuted"),
        ("0.8/d", ">=", "bound", "supported"),
        ("1.2/d", ">=", "bound", "refuted"),
        ("d**(-1)", "~", "rate", "supported"),
        ("d**(-1.1)", "~", "rate", "refuted"),
        ("d**(-0.9)", "~", "rate", "refuted"),
    ],
)
def test_right_and_wrong_laws(expression, relation, kind, outcome):
    assert verdict_of(claim_of_d(expression, relation, kind), seed=3).outcome == outcome


def test_too_few_replicas_are_inconclusive_and_say_what_they_need():
    part = check(claim_of_d("1/d"), rounds=1).parts["source"]
    assert part.outcome == "inconclusive"
    assert part.evidence.needed is not None and part.evidence.needed > 64


@pytest.mark.parametrize(
    ("relation", "bounds", "outcome"),
    [
        (">=", (0.0, 1.0), "inconclusive"),  # an error of at least 0 cannot fail
        (">=", lambda d: (-1 / d, 4 / d), "supported"),
        ("<=", lambda d: (-1 / d, 4 / d), "refuted"),
    ],
)
def test_a_bound_that_is_zero_everywhere_has_no_ratio(relation, bounds, outcome):
    # Nothing to be a multiple of: the words give the measured value in the place of measured over bound.
    verdict = verdict_of(claim_of_d("0*d", relation, "bound", bounds=bounds))
    assert verdict.outcome == outcome
    if outcome != "inconclusive":
        words = "the bound is 0 everywhere" if outcome == "supported" else "the bound 0, at d="
        assert words in verdict.parts["source"].evidence.words
        assert verdict.parts["source"].evidence.tightness is None


def test_a_verdict_depends_on_the_seed_alone():
    made = claim_of_d("1/d")
    cells = [[c.mean for c in check(made, seed=seed, rounds=1).parts["source"].evidence.points] for seed in (1, 1, 2)]
    assert cells[0] == cells[1] != cells[2]


def test_settings_fix_a_parameter_and_unknown_ones_are_named():
    def simulate(draw, *, d, b):
        return draw.uniform() * 2 * float(d) ** -b

    params = {"d": Param(real(1), (10, 10_000)), "b": Param(real(0, 4), (0.5, 2))}
    made = law("two", "d**(-b)", relation="~", params=params)
    claim("two", law=made, experiment=experiment("two", simulate), kind="rate", variable="d")
    verdict = check("two", settings={"b": 1.5}, rounds=1)
    assert {c.params["b"] for c in verdict.parts["source"].evidence.points} == {1.5}
    for wrong, words in (({"bb": 1}, "did you mean 'b'"), ({"d": 10}, "leave d out"), ({"b": 9}, "b must be a number")):
        with pytest.raises(ValueError, match=words):
            check("two", settings=wrong)


def test_nothing_is_expected_of_a_part_at_settings_for_which_the_claim_declares_nothing():
    # The step 8.992 is above 2/L for two of the three overlaps: there the loss rises, and nobody said that it does not.
    outside = check("oscillation", settings={"eta": 8.992}, rounds=2).parts
    assert (outside["stable"].outcome, outside["stable"].expected) == ("refuted", "open")
    assert outside["stable"].as_expected
    assert outside["first-step"].expected == "supported"  # an exact law holds for every step
    assert outside["source-balanced"].expected == "refuted"  # has no eta: its settings are the declared ones
    assert check("oscillation", settings={"p": 0.75}, rounds=1).parts["source"].expected == "supported"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"kind": "rates"}, "did you mean 'rate'"),
        ({"kind": "rate"}, "needs variable="),
        ({"margin": 0.5}, "margin must be"),
        ({"margin": -1}, "margin must be"),
        ({"kind": "bound"}, "relation must be <= or >="),
        ({"law": "d"}, "law must be made by"),
        ({"experiment": uniform}, "experiment must be made by"),
        (
            {"experiment": experiment("x", lambda draw, *, N: torch.zeros(draw.replicas))},
            "must take what the law does",
        ),
    ],
)
def test_a_bad_claim_is_told_in_one_sentence(options, words):
    given = {"law": law_of_d("1/d"), "experiment": experiment("mine", uniform), "kind": "identity", **options}
    with pytest.raises(ValueError, match=words):
        claim("mine", **given)


def test_a_claim_declared_again_replaces_the_first_but_the_ids_of_the_ledger_are_taken():
    claim_of_d("1.3/d")
    claim_of_d("1/d")
    assert verdict_of("mine").outcome == "supported"
    with pytest.raises(ValueError, match="is a claim of the book 'associative-memories'"):
        claim_of_d("1/d", id="missing-mass")


def test_an_experiment_that_fails_says_where():
    def broken(draw, *, d):
        raise ZeroDivisionError("no")

    verdict = check(claim_of_d("1/d", simulate=broken))
    # What could not be measured is missing, and decides nothing.
    assert verdict.outcome == "inconclusive"
    assert all("experiment 'mine' failed at d=" in line and "ZeroDivisionError" in line for line in verdict.missing)
    assert verdict.missing


@pytest.mark.parametrize(
    "wrong",
    [
        lambda n: torch.full((n,), math.nan),
        lambda n: torch.ones(n, 2),
        lambda n: [1.0] * (n + 1),
    ],
    ids=["nan", "shape", "list"],
)
def test_nan_and_wrong_shapes_never_reach_a_result(wrong):
    with pytest.raises(ValueError, match="experiment 'mine'"):
        check(claim_of_d("1/d", simulate=lambda draw, *, d: wrong(draw.replicas)))
