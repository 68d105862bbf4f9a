"""The verdicts themselves: true laws are supported, wrong ones refuted, and what could not fail is inconclusive."""

import math

import numpy as np
import pytest
import torch

from asymp.montecarlo import Estimate, experiment
from asymp.montecarlo.estimate import one_sided_ps, ps_outside
from asymp.reports import check, claim
from asymp.reports.kinds.evidence import detectable, holm, samples_needed
from asymp.theory import Param, law, real


def noisy(draw, *, d):
    """Mean 1/d, uniform noise of 40 %."""
    u = draw.uniform()
    return (0.6 + 0.8 * u) / d


def declare(expression, relation="=", kind="identity", *, simulate=noisy, bounds=None, **options):
    made = law("mine", expression, relation=relation, params={"d": Param(real(1), (10, 10_000))}, source="mine")
    variable = {"variable": "d"} if kind == "rate" else {}
    return claim(
        "mine", law=made, experiment=experiment("mine", simulate, bounds=bounds), kind=kind, **variable, **options
    )


@pytest.mark.parametrize(
    ("expression", "relation", "kind", "outcome"),
    [
        ("1/d", "=", "identity", "supported"),
        ("1.05/d", "=", "identity", "refuted"),
        ("1/d + 1/d**2", "=", "identity", "refuted"),
        ("1/d", "~", "constant", "supported"),
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
    declare(expression, relation, kind)
    assert check("mine", preset="standard", seed=3).outcome == outcome


def test_a_law_within_its_margin_is_supported_and_the_margin_is_what_decides():
    # 5 % off: inside the 10 % of an asymptotic constant, outside the 2 % of an exact law.
    declare("1.05/d", "~", "constant", margin=0.1)
    assert check("mine", preset="standard").outcome == "supported"


def test_too_few_replicas_are_inconclusive_and_say_what_they_need():
    declare("1/d", replicas=64)
    part = check("mine").parts["source"]
    assert part.outcome == "inconclusive"
    assert part.evidence.needed is not None and part.evidence.needed > 64


def test_a_vacuous_bound_is_inconclusive():
    # An error of at least 0, or at most 1, cannot fail.
    declare("0*d", ">=", "bound", bounds=(0.0, 1.0))
    assert check("mine").outcome == "inconclusive"


@pytest.mark.parametrize(("relation", "outcome"), [(">=", "supported"), ("<=", "refuted")])
def test_a_bound_that_is_zero_everywhere_has_no_ratio(relation, outcome):
    # Nothing to be a multiple of: the words give the measured value in the place of measured over bound.
    declare("0*d", relation, "bound")
    verdict = check("mine", preset="standard")
    assert verdict.outcome == outcome
    assert "the bound is 0 everywhere" in verdict.parts["source"].evidence.words
    assert verdict.parts["source"].evidence.tightness is None


def test_a_verdict_depends_on_the_seed_alone():
    declare("1/d")
    first, again, other = check("mine", seed=1), check("mine", seed=1), check("mine", seed=2)
    cells = [[c.mean for c in v.parts["source"].evidence.points] for v in (first, again, other)]
    assert cells[0] == cells[1] != cells[2]


def test_settings_fix_a_parameter_and_unknown_ones_are_named():
    def simulate(draw, *, d, b):
        return draw.uniform() * 2 * float(d) ** -b

    made = law(
        "two",
        "d**(-b)",
        relation="~",
        params={"d": Param(real(1), (10, 10_000)), "b": Param(real(0, 4), (0.5, 2))},
    )
    claim("two", law=made, experiment=experiment("two", simulate), kind="rate", variable="d")
    verdict = check("two", settings={"b": 1.5})
    assert {c.params["b"] for c in verdict.parts["source"].evidence.points} == {1.5}
    with pytest.raises(ValueError, match="did you mean 'b'"):
        check("two", settings={"bb": 1})
    with pytest.raises(ValueError, match="leave d out"):
        check("two", settings={"d": 10})
    with pytest.raises(ValueError, match="b must be a number"):
        check("two", settings={"b": 9})


def test_nothing_is_expected_of_a_part_at_settings_for_which_the_claim_declares_nothing():
    # The step 8.992 is above 2/L for two of the three overlaps: there the loss rises, and nobody said that it does not.
    outside = check("oscillation", settings={"eta": 8.992}).parts
    assert (outside["stable"].outcome, outside["stable"].expected) == ("refuted", "open")
    assert outside["stable"].as_expected
    assert outside["first-step"].expected == "supported"  # an exact law holds for every step
    assert outside["source-balanced"].expected == "refuted"  # has no eta: its settings are the declared ones
    assert check("oscillation", settings={"p": 0.75}).parts["source"].expected == "supported"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"kind": "rates"}, "did you mean 'rate'"),
        ({"kind": "rate"}, "needs variable="),
        ({"margin": 0.5}, "margin must be"),
        ({"margin": -1}, "margin must be"),
        ({"kind": "bound"}, "relation must be <= or >="),
        ({"law": "d"}, "law must be made by"),
        ({"experiment": noisy}, "experiment must be made by"),
        (
            {"experiment": experiment("x", lambda draw, *, N: torch.zeros(draw.replicas))},
            "same param",
        ),
    ],
)
def test_a_bad_claim_is_told_in_one_sentence(options, words):
    made = law("mine", "1/d", relation="=", params={"d": Param(real(1), (10, 1000))})
    given = {"law": made, "experiment": experiment("mine", noisy), "kind": "identity", **options}
    with pytest.raises(ValueError, match=words):
        claim("mine", **given)


def test_a_claim_declared_again_replaces_the_first():
    declare("1.3/d")
    declare("1/d")
    assert check("mine", preset="standard").outcome == "supported"


def test_the_ids_of_the_ledger_are_taken():
    made = law("missing-mass", "1/d", relation="=", params={"d": Param(real(1), (10, 1000))})
    with pytest.raises(ValueError, match="is a claim of the ledger"):
        claim("missing-mass", law=made, experiment=experiment("mine", noisy), kind="identity")


def test_true_laws_are_refuted_no_more_often_than_the_level_says():
    # 100 fresh studies of a true law: p-values at or below 5 % in at most 5 % of them. A binomial count above 18 has
    # probability 1e-6 under a rate of exactly 5 %.
    generator = np.random.default_rng(20261116)
    studies = [Estimate(values=generator.random(200), bounds=(0, 1)) for _ in range(100)]
    assert sum(p <= 0.05 for p in ps_outside([(study, 0.5, 0.5) for study in studies])) <= 18


def test_wrong_means_are_refuted_and_the_detectable_shift_is_honest():
    # A shift of the size called detectable is refuted at the level in about 95 % of studies; below 85 % in 200
    # studies has probability 3e-8 at a power of 95 %.
    generator = np.random.default_rng(7)
    refuted = 0
    for _ in range(200):
        values = generator.normal(1.0, 0.3, 400)
        estimate = Estimate(values=values)
        other = Estimate(values=generator.normal(1.0, 0.3, 400))
        shift = detectable(other, other.interval(1 - 1e-4))
        refuted += ps_outside([(estimate, 1.0 + shift, 1.0 + shift)])[0] <= 1e-4
    assert refuted >= 170


def test_p_values_of_means_without_bounds_are_students():
    from scipy.stats import ttest_1samp

    values = np.random.default_rng(1).normal(0.3, 1, 50)
    estimate = Estimate(values=values)
    assert ps_outside([(estimate, 0.0, 0.0)])[0] == pytest.approx(ttest_1samp(values, 0.0).pvalue, rel=1e-9)
    assert one_sided_ps([(estimate, 0.0, "above")])[0] == pytest.approx(
        ttest_1samp(values, 0.0, alternative="greater").pvalue, rel=1e-9
    )


def test_bounded_p_values_invert_the_interval():
    estimate = Estimate(values=(np.arange(1000) < 30).astype(float), bounds=(0, 1))
    p = one_sided_ps([(estimate, 0.01, "above")])[0]
    assert 1e-12 < p < 1e-4
    low, _ = estimate.interval(1 - 2 * p)
    assert low >= 0.01
    # Clopper-Pearson's one-sided p-value is the binomial tail itself; the grid rounds up by at most 26 %.
    from scipy.stats import binom

    assert binom.sf(29, 1000, 0.01) <= p <= 1.3 * binom.sf(29, 1000, 0.01)


def test_holm_shares_a_budget():
    # By hand: 0.001 <= 0.05/3, 0.02 <= 0.05/2, 0.06 > 0.05/1.
    assert holm([0.06, 0.001, 0.02], 0.05) == [False, True, True]
    assert holm([0.03, 0.001, 0.03], 0.05) == [False, True, False]
    assert holm([], 0.05) == []


def test_samples_needed_grow_with_the_square():
    assert samples_needed(100, 0.4, 0.04) == 10_000
    assert samples_needed(100, math.inf, 0.04) is None


def test_an_experiment_that_fails_says_where():
    def broken(draw, *, d):
        raise ZeroDivisionError("no")

    declare("1/d", simulate=broken)
    verdict = check("mine")
    # What could not be measured is missing, and decides nothing.
    assert verdict.outcome == "inconclusive"
    assert all("experiment 'mine' failed at d=" in line and "ZeroDivisionError" in line for line in verdict.missing)
    assert verdict.missing


@pytest.mark.parametrize("wrong", ["nan", "shape", "list"])
def test_nan_and_wrong_shapes_never_reach_a_result(wrong):
    def simulate(draw, *, d):
        made = {
            "nan": torch.full((draw.replicas,), math.nan),
            "shape": torch.ones(draw.replicas, 2),
            "list": [1.0] * (draw.replicas + 1),
        }
        return made[wrong]

    declare("1/d", simulate=simulate)
    with pytest.raises(ValueError, match="experiment 'mine'"):
        check("mine")
