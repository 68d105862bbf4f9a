"""Capacities and orders: true ones are supported, wrong ones refuted, and what could not decide stays open."""

import math

import numpy as np
import pytest
import torch
from support.own_claims import claim_of_d, law_of_d, measured, outcome_of, statement, verdict_of

from asymp.montecarlo import Estimate, experiment
from asymp.reports.kinds import Capacity, Order
from asymp.reports.page.figure import caption
from asymp.reports.page.figure_data import figure_data

DIMENSIONS = (16, 32, 64, 128, 256, 512)
FAMILIES = ("power", "corrected")
ITEMS = 64


def around(middle):
    """Nine sizes from half to twice a capacity."""
    return [max(1, round(middle * 2 ** (k / 4))) for k in range(-4, 5)]


def recall(draw, *, n, d):
    """Each of 64 items is recalled with probability 1/2 at n = 3 d^1.5, by construction; sharper than a logistic curve."""
    chance = 1 / (1 + (n / (3 * d**1.5)) ** 4)
    drawn = draw.uniform(shape=(ITEMS,))
    return (drawn < chance).double().mean(1)


def capacity_claim(expression, relation="~", **options):
    grid = [{"d": d, "n": n} for d in DIMENSIONS for n in around(3 * d**1.5)]
    given = {"grid": grid, "size": "n", "families": FAMILIES, **options}
    return claim_of_d(expression, relation, "capacity", simulate=recall, bounds=(0, 1), **given)


@pytest.mark.parametrize(
    ("expression", "relation", "variable", "outcome"),
    [
        ("3*d**1.5", "~", None, "supported"),
        ("3*d**1.5", "=", None, "supported"),
        ("3.75*d**1.5", "~", None, "refuted"),
        ("2.25*d**1.5", "~", None, "refuted"),
        ("3.3*d**1.5", "<=", None, "supported"),
        ("2.7*d**1.5", "<=", None, "refuted"),
        ("2.7*d**1.5", ">=", None, "supported"),
        ("3.3*d**1.5", ">=", None, "refuted"),
        ("d**1.5", "~", "d", "supported"),
        ("d**1.7", "~", "d", "refuted"),
        ("d**1.3", "~", "d", "refuted"),
    ],
)
def test_right_and_wrong_capacities(expression, relation, variable, outcome):
    verdict = verdict_of(capacity_claim(expression, relation, variable=variable))
    assert verdict.outcome == outcome, str(verdict)


def logarithmic(draw, *, n, d):
    """Half of 64 items at n log n = 40 d, by construction."""
    size = torch.tensor(float(n), dtype=torch.float64, device=draw.device)
    chance = 1 / (1 + (size * size.log() / (40 * d)) ** 4)
    drawn = draw.uniform(shape=(ITEMS,))
    return (drawn < chance).double().mean(1)


@pytest.mark.parametrize(
    ("exponent", "counted", "outcome"),
    [
        (1, lambda params, N: N * math.log(N), "supported"),
        (1.2, lambda params, N: N * math.log(N), "refuted"),
        (0.8, lambda params, N: N * math.log(N), "refuted"),
        # N alone grows like d/log d: slopes log N/(1 + log N), .83 to .88 at these sizes, far from 1
        (1, None, "refuted"),
        # counted per dimension nothing grows
        (0, lambda params, N: N * math.log(N) / params["d"], "supported"),
    ],
)
def test_a_capacity_is_counted_with_its_logarithm(exponent, counted, outcome):
    largest = {d: next(n for n in range(2, 10**5) if n * math.log(n) >= 40 * d) for d in DIMENSIONS}
    only = statement(
        Capacity,
        law_of_d(f"d**({exponent})", "~"),
        experiment("logarithmic", logarithmic),
        [{"d": d, "n": n} for d in DIMENSIONS for n in around(largest[d])],
        variable="d",
        families=FAMILIES,
        omega=(0.9, 2.1),
        size="n",
        counted=counted,
    )
    verdict = outcome_of(only, measured(only, replicas=256))
    assert verdict.outcome == outcome, verdict.evidence.words
    assert "corrected with the exponent 0.9 to 2.1" in verdict.evidence.words
    if counted is not None:
        for cell in verdict.evidence.points:
            d = cell.params["d"]
            # the interval of N log N holds 40 d; the largest N is a whole number below the crossing
            per = 40 * d if exponent else 40
            assert cell.low * 0.99 <= per <= cell.high * 1.01


def test_sizes_that_do_not_enclose_the_capacity_leave_it_open():
    verdict = verdict_of(capacity_claim("3*d**1.5", grid=[{"d": 64, "n": n} for n in (10, 20, 40, 80, 160, 200)]))
    assert verdict.outcome == "inconclusive"
    assert "do not enclose" in verdict.parts["source"].evidence.words
    assert verdict.parts["source"].evidence.scale is not None


def test_without_a_fit_nothing_is_compared_with_a_law_whose_constant_is_open():
    # At d = 512 no size holds, and three sizes are too few for an exponent: none is fitted,
    # and d^1.5 without its constant says nothing about a capacity.
    grid = [{"d": d, "n": n} for d in (16, 32, 64, 512) for n in (around(3 * d**1.5) if d < 512 else (60_000, 90_000))]
    made = capacity_claim("d**1.5", variable="d", grid=grid)
    own = verdict_of(made).parts["source"]
    assert own.outcome == "inconclusive" and "do not enclose" in own.evidence.words
    assert figure_data(made.leading, own, {}, {}) is None and own.evidence.summary().margins is None
    assert caption(made.leading, own, None) == own.evidence.words
    assert own.evidence.summary().measured == "not enclosed by the sizes measured"


def order_claim(values, relation="<=", below=1, **options):
    """A claim that the values of a simulation are on one side of a number, in at least three of four runs."""
    options = {"grid": [{"d": 4}, {"d": 64}], **options}
    return claim_of_d(
        f"{below} + 0*d", relation, "order", bounds=None, simulate=lambda draw, *, d: values(draw), **options
    )


def below_one(share):
    """A ratio that is below 1 in a share of the runs."""
    return lambda draw: torch.where(draw.uniform() < share, 0.5, 2.0).double()


@pytest.mark.parametrize(
    ("share", "relation", "outcome"),
    [
        (1.0, "<=", "supported"),
        (0.0, "<=", "refuted"),
        (0.0, ">=", "supported"),
        (0.8, "<=", "supported"),
        (0.75, "<=", "inconclusive"),
        (0.7, "<=", "refuted"),
    ],
)
def test_an_order_holds_in_three_of_four_runs_or_does_not(share, relation, outcome):
    assert verdict_of(order_claim(below_one(share), relation)).outcome == outcome


@pytest.mark.parametrize(("above", "outcome"), [(0.0, "supported"), (1e-9, "refuted")])
def test_an_equality_that_rounding_breaks_is_an_order_that_holds(above, outcome):
    def values(draw):  # a few units in the last place above -1/2, and what is to be seen
        return above - 0.5 + 1e-16 * draw.integers(64).double()

    assert verdict_of(order_claim(values, below=-0.5)).outcome == outcome


def test_too_few_runs_to_refute_are_open_even_if_all_agree():
    # One look at one of two points may spend 1e-3/32 of a user's budget: 4^-7 is above that and 4^-8 below.
    part = statement(Order, None, cells=[{"d": 4}, {"d": 64}], below=1.0)
    seven, eight = (
        part.judge([(c, Estimate(values=np.zeros(n))) for c in part.cells("quick", {})], level=1e-3 / 16)
        for n in (7, 8)
    )
    assert (seven.could_refute, eight.could_refute, eight.needed) == (False, True, 8)


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        (lambda: capacity_claim("3*d**1.5", size=None), "needs size="),
        (lambda: capacity_claim("3*d**1.5", grid=None), "needs size="),
        (lambda: capacity_claim("3*d**1.5", threshold=1.5), "threshold must"),
        (lambda: order_claim(below_one(1.0), "~"), "is an order, so its law's relation"),
    ],
)
def test_a_capacity_needs_its_size_and_grid_and_an_order_a_side(declared, words):
    with pytest.raises(ValueError, match=words):
        declared()
