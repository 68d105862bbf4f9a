"""Values that are not independent draws are found out; independent ones, also discrete and heavy-tailed, are not accused."""

import numpy as np
import pytest

from asymp.montecarlo import experiment
from asymp.montecarlo.independence import dependence
from asymp.montecarlo.running.series import Series

BLOCK = 64
RIGHT = {
    "normal": lambda rng, n: rng.normal(size=n),
    "coins": lambda rng, n: rng.integers(0, 2, n).astype(float),
    "rare": lambda rng, n: (rng.random(n) < 0.01).astype(float),
    "heavy": lambda rng, n: np.exp(3 * rng.normal(size=n)),
    "constant": lambda rng, n: np.ones(n),
}


@pytest.mark.parametrize("law", RIGHT)
@pytest.mark.parametrize("block", [1, 2, 8, BLOCK])
def test_independent_values_are_not_accused(law, block):
    # a false alarm has probability 1e-6 each
    for seed in range(100):
        assert dependence(RIGHT[law](np.random.default_rng(seed), 16 * BLOCK), block) == ""


def test_a_generator_that_begins_again_in_every_block_or_worker_is_found():
    rng = np.random.default_rng(0)
    one = rng.normal(size=BLOCK)
    assert "blocks of values came out equal" in dependence(np.tile(one, 2), BLOCK)
    twice = np.concatenate([rng.normal(size=8 * BLOCK)] * 2)
    assert "blocks of values came out equal" in dependence(twice, BLOCK)
    coins = np.tile(rng.integers(0, 2, BLOCK), 4).astype(float)
    assert "blocks of values came out equal" in dependence(coins, BLOCK)
    # a block of 8 values has to come twice more; with two values, once is an accident
    assert "blocks of values came out equal" in dependence(np.tile(one[:8], 3), 8)
    assert dependence(np.array([0.0, 1.0] * 8), 2) == ""


def test_replicas_that_share_randomness_are_found():
    rng = np.random.default_rng(1)
    values = rng.normal(size=(8, BLOCK)) + rng.normal(size=(8, 1))
    assert "share randomness" in dependence(values.ravel(), BLOCK)
    assert dependence(values.ravel(), 1) == ""  # replicas that were drawn one by one


def uniform(draw, *, n, p):
    return draw.uniform()


def test_two_blocks_that_have_one_stream_by_chance_are_no_fault_of_the_sampler():
    # torch's generator keeps 32 bits of a seed: of 4096 blocks two have the same in one setting of five hundred
    series = Series(experiment("ols-rate-plain", uniform), {"n": 20, "p": 10})
    assert series.stream(163) == series.stream(2703) != series.stream(164)
    one, other = (next(series.experiment.blocks(first_block=at, **series.params)) for at in (163, 2703))
    assert (one == other).all()
    values = np.random.default_rng(0).random((2704, 8))
    values[[163, 2703]] = one
    assert "blocks of values came out equal" in dependence(values.ravel(), 8)
    assert dependence(values.ravel(), 8, series.stream) == ""
    values[1200:1208] = values[:8]  # blocks with streams of their own
    assert "blocks of values came out equal" in dependence(values.ravel(), 8, series.stream)
