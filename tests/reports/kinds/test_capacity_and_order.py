"""Capacities and orders: true ones are supported, wrong ones refuted, and what could not decide stays open."""

import math

import pytest
import torch

from asymp.montecarlo import experiment
from asymp.reports import check, claim
from asymp.reports.grid import Grid
from asymp.reports.judging import judge_parts
from asymp.reports.kinds import Capacity
from asymp.theory import Param, law, real

ITEMS = 64


def recall(draw, *, n, d):
    """Each of 64 items is recalled with probability 1/2 at n = 3 d^1.5, by construction; sharper than a logistic curve."""
    chance = 1 / (1 + (n / (3 * d**1.5)) ** 4)
    drawn = draw.uniform(shape=(ITEMS,))
    return (drawn < chance).double().mean(1)


def capacity_claim(expression, relation="~", *, variable=None, **options):
    made = law("cap", expression, relation=relation, params={"d": Param(real(1), (4, 1024))})
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
    made = law("cap", f"d**({exponent})", relation="~", params={"d": Param(real(1), (4, 1024))})
    sizes = {}
    for d in (16, 32, 64, 128, 256, 512):
        N = next(n for n in range(2, 10**5) if n * math.log(n) >= 40 * d)
        sizes[d] = [round(N * 2 ** (k / 4)) for k in range(-4, 5)]
    cells = [{"d": d, "n": n} for d, row in sizes.items() for n in row]
    only = Capacity(
        "only",
        "",
        law=made,
        experiment=experiment("logarithmic", logarithmic),
        grid=Grid(cells, replicas=256),
        variable="d",
        margin=0.1,
        families=("power", "corrected"),
        omega=(0.9, 2.1),
        size="n",
        counted=counted,
    )
    measured = [(cell, only.experiment.run(replicas=256, seed=0, **cell)) for cell in cells]
    verdict = judge_parts([only], [measured], budget=1e-5)["only"]
    assert verdict.outcome == outcome, verdict.evidence.words
    assert "corrected with the exponent 0.9 to 2.1" in verdict.evidence.words
    if counted is not None:
        for cell in verdict.evidence.points:
            d = cell.params["d"]
            # the interval of N log N holds 40 d; the largest N is a whole number below the crossing
            per = 40 * d if exponent else 40
            assert cell.low * 0.99 <= per <= cell.high * 1.01


def test_an_equality_that_rounding_breaks_is_an_order_that_holds():
    made = law("half", "-0.5 + 0*d", relation="<=", params={"d": Param(real(1), (1, 10))})

    def rounded(draw, *, d):
        # a few units in the last place above -1/2
        return -0.5 + 1e-16 * torch.arange(draw.replicas, device=draw.device, dtype=torch.float64)

    def above(draw, *, d):
        return torch.full((draw.replicas,), -0.5 + 1e-9, device=draw.device, dtype=torch.float64)

    for simulate, outcome in ((rounded, "supported"), (above, "refuted")):
        claim("half", law=made, experiment=experiment("half", simulate), kind="order", grid=[{"d": 2}], replicas=24)
        assert check("half").outcome == outcome


def test_sizes_that_do_not_enclose_the_capacity_leave_it_open():
    capacity_claim("3*d**1.5", grid=[{"d": 64, "n": n} for n in (10, 20, 40, 80, 160, 200)])
    verdict = check("cap")
    assert verdict.outcome == "inconclusive"
    assert "do not enclose" in verdict.parts["source"].evidence.words


@pytest.mark.parametrize("missing", [{"size": None}, {"grid": None}, {"threshold": 1.5}])
def test_a_capacity_needs_its_size_and_grid(missing):
    with pytest.raises(ValueError, match="needs size=|threshold must"):
        capacity_claim("3*d**1.5", **missing)


def ordered(share):
    def simulate(draw, *, d):
        """A ratio that is below 1 in a share of the runs."""
        below = draw.uniform() < share
        return torch.where(below, 0.5, 2.0).double()

    return simulate


def order_claim(share, relation="<=", replicas=24):
    made = law("ord", "1 + 0*d", relation=relation, params={"d": Param(real(1), (4, 64))})
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
    assert ten.parts["source"].evidence.needed == math.ceil(math.log2(2 / 1e-3)) == 11
    order_claim(1.0, replicas=11)
    assert check("ord").outcome == "supported"


def test_an_order_needs_a_side():
    with pytest.raises(ValueError, match="is an order, so its law's relation"):
        order_claim(1.0, "~")
