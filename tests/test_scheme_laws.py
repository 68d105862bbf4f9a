"""Laws that the claims on weight schemes put in the place of others, and the replicas that their cells take."""

import math

import numpy as np
import pytest
from scipy.special import stdtr

from asymp.reports import claims
from asymp.reports.sized import cells_of, replicas_of
from asymp.theory import laws


def test_the_error_of_one_input_with_two_outputs_is_a_student_tail() -> None:
    # P(t_d > q sqrt(d/(S - q^2))): the overlap of two outputs on the sphere cancels. The law is good to 1e-3.
    law = laws["exact-recall-error:item"]
    for q, d, S in ((1, 20, 2), (0.7, 12, 9.0), (1, 50, 40)):
        wanted = stdtr(d, -q * math.sqrt(d / (S - q**2)))
        assert law(q=q, d=d, S=S, M=2, outputs="sphere") == pytest.approx(wanted, rel=5e-3)


def test_the_error_of_one_input_by_drawing_its_overlaps() -> None:
    # Given U and |e|: overlaps of e_x with the sums of the classes are gaussian. 2e5 draws: a standard error of 1e-3 at
    # 0.3, of which 5.5 and the law's own 1e-3 are allowed (false failures below 4e-8).
    q, d, S, M, n = 1.0, 12, 12.0, 3, 200_000
    rng = np.random.default_rng(4)
    U = rng.normal(size=(n, M, d)) / math.sqrt(d)
    r = np.sqrt(rng.chisquare(d, size=n) / d)
    D = np.array([S / M - q**2, S / M, S / M])
    h = rng.normal(size=(n, M)) * np.sqrt(D / d)
    h[:, 0] += q * r
    scores = np.einsum("nyd,ncd,nc->ny", U, U, h)
    missed = (scores.argmax(1) != 0).mean()
    error = math.sqrt(missed * (1 - missed) / n)
    found = laws["exact-recall-error:item"](q=q, d=d, S=S, M=M)
    assert abs(found - missed) < 5.5 * error + 2e-3 * missed
    with pytest.raises(ValueError, match="part of its class"):
        laws["exact-recall-error:item"](q=2, d=9, S=4, M=2)


def test_the_source_of_the_power_scheme_takes_infinitely_many_inputs_where_their_weights_can_be_summed() -> None:
    law = laws["power-scheme:source"]
    assert law(alpha=2, rho=1, d=16, N=math.inf) == pytest.approx(0.5)
    assert float(law.exponent("d", alpha=2, rho=1, N=math.inf)) == -0.25
    with pytest.raises(ValueError, match="2 rho alpha must exceed 1"):
        law(alpha=2, rho=0.2, d=16, N=math.inf)


def test_the_least_error_is_that_of_the_best_weights_as_a_bound() -> None:
    least, best = laws["optimal-scheme:least"], laws["optimal-scheme"]
    assert least.relation == ">=" and best.relation == "~"
    assert least(alpha=1.5, M=3, d=200) == best(alpha=1.5, M=3, d=200)
    # Equal weights on the best number of inputs are weights too.
    assert least(alpha=1.5, M=3, d=200) < laws["threshold-scheme:best"](alpha=1.5, M=3, d=200)


def test_cells_carry_their_replicas() -> None:
    table = {"quick": [({"d": 1}, 10), ({"d": 2}, 20)], "standard": [({"d": 1}, 100)]}
    assert cells_of(table)["quick"] == [{"d": 1}, {"d": 2}]
    assert cells_of(table)["paper"] == [{"d": 1}]
    counts = replicas_of(table)
    assert [counts["quick"](cell) for cell in ({"d": 1}, {"d": 2}, {"d": 7})] == [10, 20, 20]
    assert counts["paper"]({"d": 1}) == 400


@pytest.mark.parametrize(
    "id", ["exact-recall-error", "finite-memory-upper", "minimax", "optimal-scheme", "power-scheme", "threshold-scheme"]
)
def test_every_preset_has_cells_and_replicas(id: str) -> None:
    for part in claims[id].parts:
        for preset in ("quick", "standard", "paper"):
            cells = part.cells(preset, {})
            assert cells
            assert all(part.replicas_at(preset, cell) >= 7 for cell in cells)


def test_the_exact_law_is_judged_against_memories_that_are_formed() -> None:
    routes = {cell["route"] for part in claims["exact-recall-error"].parts for cell in part.cells("standard", {})}
    assert routes == {"naive", "factored"}
