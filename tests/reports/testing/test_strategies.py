"""Strategies stay inside the domain of a law, span a factor of ten in sizes, and the property test sees wrong laws."""

import math
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, find, given, settings
from support.own_claims import claim_of_d
from support.stages import stages_against

from asymp.reports import claims, drawn_cells, parameters
from asymp.reports.claims import index
from asymp.reports.testing.strategies import SIZES, narrow
from asymp.theory import Param, integer, law, laws, real
from asymp.theory.sources import Condition


def draws(strategy, count):
    """What Hypothesis draws from a strategy in `count` examples."""
    seen = []

    @settings(max_examples=count, suppress_health_check=[HealthCheck.filter_too_much])
    @given(value=strategy)
    def drawn(value):
        seen.append(value)

    drawn()
    return seen


@pytest.mark.parametrize("module", sorted({id.split(":")[0] for id in laws}))
def test_every_law_accepts_what_is_drawn_for_it(module):
    for id in (id for id in laws if id.split(":")[0] == module):
        for values in draws(parameters(laws[id]), 8):
            laws[id].validate(**values)


def test_sizes_span_a_factor_of_ten_and_conditions_hold():
    ordered = law(
        "test",
        "M/N",
        relation="=",
        params={"N": Param(integer(1), (5, 8)), "M": Param(integer(1), (2, 20)), "b": Param(real(0, 1), (0.25, 0.5))},
        conditions=(Condition(lambda v: v["N"] >= v["M"], "N must be at least M"),),
    )
    seen = draws(parameters(ordered), 300)
    assert all(values["N"] >= values["M"] and 0.25 <= values["b"] <= 0.5 for values in seen)
    sizes = [values["N"] for values in seen]
    assert min(sizes) == 5 and max(sizes) >= 45, "5 to 8 is widened to 5 to 50"
    assert len({repr(v) for v in seen}) > 100


def test_values_may_be_fixed():
    values = find(parameters(laws["missing-mass:asymptotic"], alpha=2), lambda values: True)
    assert values["alpha"] == 2
    with pytest.raises(ValueError, match="did you mean 'alpha'"):
        parameters(laws["missing-mass:asymptotic"], alfa=2)


@pytest.mark.parametrize("id", ["missing-mass", "finite-memory-lower", "score-variance", "near-orthogonality"])
def test_drawn_cells_have_the_names_of_the_grid_and_wide_sizes(id):
    for part in claims[id].parts:
        seen = [cell for cells in draws(drawn_cells(part), 150) for cell in cells]
        names = {frozenset(cell) for cell in part.cells("quick", {})}
        assert {frozenset(cell) for cell in seen} <= names
        for name in SIZES & set(seen[0]):
            values = [cell[name] for cell in seen if cell.get(name, float("inf")) < float("inf")]
            assert not values or max(values) >= 8 * min(values), (id, part.name, name)


def sample(draw, *, d):
    # uniform with the mean 1/d, but twice that beyond d = 100
    noise = draw.uniform()
    return 2 * noise * (1 + (d > 100)) / d


@pytest.fixture
def wrong_beyond_100():
    return claim_of_d("1/d", simulate=sample, grid=[{"d": 8}, {"d": 8000}]).parts[0]


def test_the_property_sees_a_wrong_law_and_shrinks_to_the_smallest_setting(wrong_beyond_100):
    def refuted(cells):
        return len(looks := stages_against(wrong_beyond_100, cells, level=1e-9)) == 3 and looks[-1].against

    # Digits shrink one by one, the first first: it stands for a factor of 1000^(1/64) = 1.114.
    [cell] = find(drawn_cells(wrong_beyond_100), refuted)
    assert 101 <= cell["d"] <= 113


def test_the_stages_stop_early_for_a_right_law_and_their_levels_multiply(wrong_beyond_100):
    part = wrong_beyond_100
    # a right law goes on with probability 1 % each time: never in 10 settings, up to 10 %, twice up to 0.4 %, ...
    looks = [stages_against(part, [{"d": d}], level=1e-9) for d in range(10, 20)]
    assert sum(len(found) for found in looks) <= 14
    wrong = stages_against(part, [{"d": 200}], level=1e-9)
    assert [look.replicas for look in wrong] == [128, 1024, 8192]
    assert math.prod(look.level for look in wrong) == pytest.approx(1e-9)
    with pytest.raises(ValueError, match="level"):
        stages_against(part, [{"d": 10}], level=0.05)


def test_only_claims_that_train_models_or_speak_of_a_published_grid_draw_a_size_over_less_than_ten():
    """No claim becomes narrow unnoticed: whoever restricts a size has to say so here, and why it draws in another way."""
    trained = {"induction-head", "induction-probes", "induction-weights", "hallucination-phase", "step-size"}
    published = {"training-grid", "batch-size", "adam", "layer-norm", "sgd-approximation", "over-optimisation"}
    assert {id for id, *_ in narrow()} <= trained | published | {"learned-inputs", "bits-per-parameter"}
    assert all(high < 10 * low and reason for _, _, (low, high), reason in narrow())
    assert all(part.draw.reason for id in index() for part in claims[id].parts if part.draw is not None)


def test_a_range_that_was_made_smaller_is_noticed(monkeypatch):
    (sharp,) = (part for part in claims["error-map"].parts if part.name == "sharp")
    small = replace(sharp.draw, ranges={"N": (20, 200), "M": (2, 8)})
    monkeypatch.setitem(sharp.__dict__, "draw", small)
    assert [(size, ends) for id, size, ends, _ in narrow() if id == "error-map"] == [("M", (2, 8))]
