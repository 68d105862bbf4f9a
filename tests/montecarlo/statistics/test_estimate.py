"""Estimate: summaries, early stopping, bad input, and a sample of the calibration of its intervals."""

import json
import math

import numpy as np
import pytest

from asymp.montecarlo import experiment, find_capacity, missing_mass, train_memory
from asymp.montecarlo.calibrate.means import bounded_table, mean_cells, means_text
from asymp.montecarlo.estimate import Estimate, look_times
from asymp.montecarlo.intervals import anytime_interval, mean_interval


def blocks(draw, size=64):
    while True:
        yield draw(size)


def test_summaries():
    est = Estimate(np.array([0.0, 0.5, 1.0, 0.5]), bounds=(0, 1))
    assert est.mean == 0.5
    assert est.stderr == pytest.approx(math.sqrt((0.25 + 0.25) / 3 / 4))
    assert est.replicas == 4
    low, high = est.interval(0.9)
    assert 0 <= low < 0.5 < high <= 1
    mirror = Estimate(1 - est.values, bounds=(0, 1)).interval(0.9)
    assert mirror == pytest.approx((1 - high, 1 - low), abs=1e-12)  # the same bets, with the sides exchanged


def test_text_shows_the_standard_error_in_the_last_digit():
    rng = np.random.default_rng(0)
    est = Estimate(rng.normal(0.0384, 0.01, 1000), kurtosis=3)
    place = round(-math.floor(math.log10(est.stderr)))
    shown = f"{est.mean:.{place}f}({round(est.stderr * 10**place)}), 95 % interval ["
    assert str(est).startswith(shown)
    assert str(est).endswith("], 1000 replicas")
    assert str(Estimate(np.array([400.0, 500.0]))).startswith("450(50)")
    assert str(Estimate(np.array([0.25]))).startswith("0.25, ")
    # A standard error of 0.0098 rounds to one digit as 0.01, not as "10" in the third place.
    assert str(Estimate(np.array([0.5 - 0.0098, 0.5 + 0.0098]))).startswith("0.50(1)")


def test_json_carries_sufficient_statistics():
    est = Estimate(np.array([0.25, 0.5]), bounds=(0, 1))
    found = json.loads(json.dumps(est.to_json()))
    assert found["replicas"] == 2
    assert found["sum"] == 0.75
    assert found["sum_squares"] == 0.3125
    assert found["bounds"] == [0, 1]
    assert json.loads(json.dumps(Estimate(np.array([1.0])).to_json(), allow_nan=False))["interval"] == [None, None]


def test_values_are_kept_and_cannot_be_changed():
    source = np.array([0.0, 1.0])
    est = Estimate(source, bounds=(0, 1))
    source[0] = 0.7
    assert est.values[0] == 0
    with pytest.raises(ValueError, match="read-only"):
        est.values[0] = 1


def test_rounding_beyond_a_bound_is_forgiven():
    est = Estimate(np.array([1 + 2.0**-52, -(2.0**-60)]), bounds=(0, 1))
    assert list(est.values) == [1, 0]


@pytest.mark.parametrize(
    ("values", "bounds", "message"),
    [
        ([], None, "at least one value"),
        ([[0.1]], None, "one-dimensional"),
        ([0.1, math.nan], None, "finite"),
        ([0.1, math.inf], (0, 1), "finite"),
        ([0.1, 1.5], (0, 1), "in the bounds"),
        ([0.1, 1 + 1e-9], (0, 1), "in the bounds"),
        ([0.1], (1, 0), "low < high"),
        ([0.1], (-math.inf, math.inf), "at least one finite"),
        ([0.1], (0, math.nan), "low < high"),
        ([-0.1], (0, math.inf), "in the bounds"),
    ],
)
def test_bad_values_are_refused(values, bounds, message):
    with pytest.raises(ValueError, match=message):
        Estimate(np.array(values, dtype=float), bounds=bounds)


def test_looks_are_halves_of_the_budget():
    assert look_times(1000) == (32, 63, 125, 250, 500, 1000)
    assert look_times(20) == (20,)
    assert len(look_times(10**9)) == 10
    assert look_times(10**6)[0] == 1954


def test_until_stops_at_the_first_narrow_look():
    rng = np.random.default_rng(1)
    est = Estimate.until(blocks(lambda n: (rng.random(n) < 0.5) * 1.0), rel_error=0.1, replicas=20_000, bounds=(0, 1))
    low, high = est.interval()
    assert (high - low) / 2 <= 0.1 * est.mean
    looks = look_times(20_000)
    assert est.replicas in looks[:-1]
    before = Estimate(est.values[: looks[looks.index(est.replicas) - 1]], bounds=(0, 1), sequential=True, budget=20_000)
    wide = before.interval()
    assert (wide[1] - wide[0]) / 2 > 0.1 * before.mean
    # Ten looks or fewer share 5 %: wider than an interval that did not look, and no wider than the level 1 - 0.05/15.
    plain = mean_interval(est.values, bounds=(0, 1), level=0.95)
    widest = mean_interval(est.values, bounds=(0, 1), level=1 - 0.05 / 15)
    assert plain[1] - plain[0] < high - low < widest[1] - widest[0]


def test_until_ends_with_the_budget():
    est = Estimate.until(blocks(np.zeros), rel_error=0.1, replicas=1000, bounds=(0, 1))
    assert est.replicas == 1000
    # The last look has a quarter of 5 %, half of that above: (1 - p)^n = 0.05/8.
    assert est.interval() == (0, pytest.approx(1 - (0.05 / 8) ** (1 / 1000)))


def test_sequential_without_a_budget_is_valid_at_any_moment():
    x = np.random.default_rng(2).random(77)
    est = Estimate(x, bounds=(0, 1), sequential=True)
    assert est.interval(0.9) == anytime_interval(x, bounds=(0, 1), level=0.9)


def test_until_refuses_bad_input():
    with pytest.raises(ValueError, match="rel_error"):
        Estimate.until(blocks(np.zeros), rel_error=0, replicas=10, bounds=(0, 1))
    with pytest.raises(ValueError, match="replicas"):
        Estimate.until(blocks(np.zeros), rel_error=0.1, replicas=0, bounds=(0, 1))
    with pytest.raises(ValueError, match="must not end"):
        Estimate.until([np.zeros(64)], rel_error=0.1, replicas=1000, bounds=(0, 1))
    with pytest.raises(ValueError, match="finite"):
        Estimate.until(blocks(lambda n: np.full(n, math.nan)), rel_error=0.1, replicas=1000, bounds=(0, 1))


def test_the_laws_of_the_calibration_have_the_means_they_declare():
    rng = np.random.default_rng(3)
    for cell in mean_cells():
        law = cell.law
        drawn = law.draw(rng, 40_000)
        # 6 standard errors: P < 2e-9 each for the normal; rare spikes and p = 0.001 have 40 events or more, Poisson.
        assert abs(drawn.mean() - law.mean) < 6.5 * law.sd / 200, cell.name
        assert drawn.std() == pytest.approx(law.sd, rel=0.6 if law.mean < 0.02 else 0.1)


def test_calibration_sample():
    """Ten studies a cell. Misses over all cells: P(Bin(320, 0.05) >= 41) < 1e-7; in one: P(Bin(10, 0.05) >= 8) = 2e-9.

    The cell at level 0.99 only helps. Full table: `bounded_table(600)`.
    """
    rows = bounded_table(studies=10, seed=1)
    missed = [round((1 - row.coverage) * row.studies) for row in rows]
    assert len(rows) == 32
    assert sum(missed) < 41
    assert max(missed) < 8
    # Ten looks at most, each at 0.05/12 or more: z = 2.87 against 1.96, so 1.46 times Clopper-Pearson's; 1.5 is the figure.
    assert all(row.ratio <= 1.5 for row in rows if row.binary)
    assert all(row.width > row.floor for row in rows)
    assert "worst cell" in means_text(rows)


RUNS = {
    "experiment": lambda **how: experiment("u", lambda draw: draw.uniform()).run(replicas=8, **how).values,
    "missing mass": lambda **how: missing_mass(alpha=2, T=50, replicas=8, **how).values,
    "trained memory": lambda **how: train_memory(alpha=2, N=4, M=2, d=4, T=4, lr=1, replicas=8, **how).scores.ravel(),
    "capacity": lambda **how: find_capacity(
        lambda N, replicas, seed: np.random.default_rng(seed).binomial(50, np.exp(-N / 400), replicas) / 50,
        stop=2000, threshold=0.5, replicas=64, **how,
    ).capacity,
}  # fmt: skip


@pytest.mark.parametrize("name", RUNS)
def test_a_generator_may_stand_in_the_place_of_a_seed_as_spec_7_says(name):
    def run(**how):
        return np.atleast_1d(RUNS[name](**how))

    first = np.random.default_rng(3)
    assert np.array_equal(run(rng=5), run(seed=5))
    one, other = run(rng=first), run(rng=first)
    assert not np.array_equal(one, other) and np.array_equal(one, run(rng=np.random.default_rng(3)))
    refused = {
        "seed or rng, not both": {"seed": 1, "rng": 2},
        "rng must be": {"rng": "x"},
        "seed must be": {"seed": 1.5},
    }
    for words, how in refused.items():
        with pytest.raises(ValueError, match=words):
            run(**how)
