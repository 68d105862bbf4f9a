"""Capacities and orders: true ones are supported, wrong ones refuted, and what could not decide stays open."""

import math

import pytest
import torch

from asymp.montecarlo import experiment
from asymp.reports import check, claim
from asymp.theory import law

ITEMS = 64


def recall(*, n, d, replicas, generator, device):
    """Each of 64 items is recalled with probability 1/2 at n = 3 d^1.5, by construction; sharper than a logistic curve."""
    chance = 1 / (1 + (n / (3 * d**1.5)) ** 4)
    drawn = torch.rand(replicas, ITEMS, generator=generator, device=device, dtype=torch.float64)
    return (drawn < chance).double().mean(1)


def capacity_claim(expression, relation="~", *, variable=None, **options):
    made = law("cap", expression, relation=relation, domain={"d": (1, "oo")}, typical={"d": (4, 1024)})
    grid = [
        {"d": d, "n": max(1, round(3 * d**1.5 * 2 ** (k / 4)))}
        for d in (16, 32, 64, 128, 256, 512)
        for k in range(-4, 5)
    ]
    given = {"grid": grid, "size": "n", "replicas": 256, "families": ("power", "corrected"), **options}
    return claim("cap", law=made, experiment=experiment("cap", recall), kind="capacity", variable=variable, **given)


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
    capacity_claim(expression, relation, variable=variable)
    verdict = check("cap", preset="standard")
    assert verdict.outcome == outcome, str(verdict)


def test_sizes_that_do_not_enclose_the_capacity_leave_it_open():
    capacity_claim("3*d**1.5", grid=[{"d": 64, "n": n} for n in (10, 20, 40, 80, 160, 200)])
    verdict = check("cap")
    assert verdict.outcome == "inconclusive"
    assert "do not enclose" in verdict.parts["source"].judgement.words


@pytest.mark.parametrize("missing", [{"size": None}, {"grid": None}, {"threshold": 1.5}])
def test_a_capacity_needs_its_size_and_grid(missing):
    with pytest.raises(ValueError, match="needs size=|threshold must"):
        capacity_claim("3*d**1.5", **missing)


def ordered(share):
    def simulate(*, d, replicas, generator, device):
        """A ratio that is below 1 in a share of the runs."""
        below = torch.rand(replicas, generator=generator, device=device, dtype=torch.float64) < share
        return torch.where(below, 0.5, 2.0).double()

    return simulate


def order_claim(share, relation="<=", replicas=24):
    made = law("ord", "1 + 0*d", relation=relation, domain={"d": (1, "oo")}, typical={"d": (4, 64)})
    grid = [{"d": 4}, {"d": 64}]
    return claim(
        "ord", law=made, experiment=experiment("ord", ordered(share)), kind="order", grid=grid, replicas=replicas
    )


@pytest.mark.parametrize(
    ("share", "relation", "outcome"),
    [(1.0, "<=", "supported"), (0.0, "<=", "refuted"), (0.0, ">=", "supported"), (0.8, "<=", "inconclusive")],
)
def test_an_order_holds_in_every_run_or_is_reversed(share, relation, outcome):
    order_claim(share, relation)
    assert check("ord", preset="standard").outcome == outcome


def test_too_few_runs_to_refute_are_open_even_if_all_agree():
    # A user's budget is 1e-3 over two points: 2^-11 < 5e-4, so that eleven runs can refute and ten cannot.
    order_claim(1.0, replicas=10)
    ten = check("ord")
    assert ten.outcome == "inconclusive"
    assert ten.parts["source"].judgement.needed == math.ceil(math.log2(2 / 1e-3)) == 11
    order_claim(1.0, replicas=11)
    assert check("ord").outcome == "supported"


def test_an_order_needs_a_side():
    with pytest.raises(ValueError, match="is an order, so its law's relation"):
        order_claim(1.0, "~")
