"""A Draw: shapes, the order of its numbers, their laws; and what an experiment takes and accepts of a sampler.

Stochastic comparisons have fixed seeds and a false-failure probability below 1e-8 each.
"""

import numpy as np
import pytest
import torch
from scipy import stats

from asymp.montecarlo import experiment
from asymp.montecarlo.draws import Draw

CPU = torch.device("cpu")


def draw(replicas=5, seed=0):
    return Draw(replicas, torch.Generator().manual_seed(seed), CPU)


CALLS = [
    lambda d: d.uniform(shape=(3,)),
    lambda d: d.normal((3,)),
    lambda d: d.exponential((3,)),
    lambda d: d.simplex((3,)),
    lambda d: d.integers(7, (3,)),
    lambda d: d.signs((3,)),
    lambda d: d.choice(torch.ones(4), (3,)),
    lambda d: d.permutation(3),
    lambda d: d.gaussian((3,)),
    lambda d: d.sphere((3,)),
    lambda d: d.zeros((3,)),
]


@pytest.mark.parametrize("call", CALLS)
def test_the_first_dimension_counts_the_replicas(call):
    assert call(draw()).shape == (5, 3)
    assert call(draw().alone).shape == (3,)
    assert call(draw().of(2)).shape == (2, 3)
    assert torch.equal(call(draw(seed=3)), call(draw(seed=3)))


def test_replicas_in_groups():
    whole = draw(7)
    assert [part.replicas for part in whole.batches(3)] == [3, 3, 1]
    assert [part.replicas for part in whole.equal_batches(6)] == [4, 3]
    assert [part.normal((2,)).shape for part in whole.each()] == [(2,)] * 7
    # one stream: what the groups draw follows on what was drawn before
    parts = [part.uniform() for part in draw(7).batches(3)]
    assert torch.equal(torch.cat(parts), draw(7).uniform())


def test_numbers_have_their_laws():
    d = draw(20_000)
    assert stats.kstest(d.uniform(-1, 3), "uniform", args=(-1, 4)).pvalue > 1e-9
    assert stats.kstest(d.exponential(), "expon").pvalue > 1e-9
    # the first of three uniform points of a simplex is Beta(1, 2)
    points = d.simplex((3,))
    torch.testing.assert_close(points.sum(1), torch.ones(20_000, dtype=torch.float64))
    assert stats.kstest(points[:, 0], "beta", args=(1, 2)).pvalue > 1e-9
    counts = torch.bincount(d.choice(torch.tensor([2.0, 0.0, 1.0, 5.0])), minlength=4).numpy()
    assert counts[1] == 0
    assert stats.chisquare(counts[[0, 2, 3]], 20_000 * np.array([2, 1, 5]) / 8).pvalue > 1e-9
    orders = d.permutation(3)
    assert torch.equal(orders.sort(1).values, torch.arange(3).expand(20_000, 3))
    places = torch.bincount(orders @ torch.tensor([9, 3, 1])).numpy()
    assert stats.chisquare(places[places > 0]).pvalue > 1e-9 and (places > 0).sum() == 6
    assert set(d.signs().tolist()) == {-1.0, 1.0}
    assert set(d.integers(5, low=3).tolist()) == {3, 4}


def by_tensor(draw, *, d):
    return draw.uniform() / d


def by_array(draw, *, d):
    return draw.uniform().numpy() / d


def by_list(draw, *, d):
    return (draw.uniform() / d).tolist()


def test_other_libraries_draw_from_generators_and_seeds_of_their_own_that_follow_from_the_blocks():
    def numbers():
        d = draw(4)
        return [d.seed(), d.seed(), *d.numpy().random(2), *d.numpy().random(2)]

    assert numbers() == numbers() and len(set(numbers())) == 6
    assert all(0 <= seed < 2**32 for seed in numbers()[:2])


def test_a_shape_may_be_one_number_and_probabilities_a_list():
    assert torch.equal(draw(4).uniform(shape=3), draw(4).uniform(shape=(3,)))
    assert torch.equal(draw(4).choice([1, 2]), draw(4).choice(torch.tensor([1.0, 2.0])))


@pytest.mark.parametrize("probabilities", [[0.5, -0.1], [0.0, 0.0], [], [[0.5, 0.5]], [1.0, float("nan")]])
def test_places_are_drawn_with_probabilities_only(probabilities):
    with pytest.raises(ValueError, match="must be numbers >= 0"):
        draw(4).choice(probabilities)


def test_a_shape_may_be_a_number_of_numpys():
    assert draw(4).normal(np.int64(3)).shape == (4, 3)


def test_a_sampler_returns_a_tensor_an_array_or_a_list():
    found = [experiment("same", sample).run(d=2, replicas=100).values for sample in (by_tensor, by_array, by_list)]
    assert (found[0] == found[1]).all() and (found[0] == found[2]).all()


@pytest.mark.parametrize("returned", [3.0, [1.0, 2.0], torch.zeros(64, 1), None, "text", object()])
def test_anything_else_is_refused_in_one_sentence(returned):
    with pytest.raises(ValueError, match=r"a tensor, an array or a list of draw.replicas values, shape \(64,\); got"):
        experiment("bad", lambda draw: returned, block=64).run(replicas=1)


@pytest.mark.parametrize(
    "sample",
    [lambda *, d, replicas, generator, device: d, lambda **params: 1, lambda: 1, lambda *, draw, d: d],
    ids=["as in 0.1", "keywords only", "nothing", "draw as a keyword"],
)
def test_a_sampler_that_takes_no_draw_is_refused_in_one_sentence(sample):
    with pytest.raises(ValueError, match="must take `draw` first") as told:
        experiment("old", sample)
    assert "\n" not in str(told.value)


async def waits(draw):
    return draw.uniform()


@pytest.mark.parametrize("sample", [3, waits])
def test_a_sampler_that_is_no_plain_function_is_refused(sample):
    with pytest.raises(ValueError, match="must be a plain function"):
        experiment("bad", sample)


def test_parameters_are_the_samplers_own():
    made = experiment("x", by_tensor)
    assert made.parameters == ("d",) and not made.takes_any
    more = experiment("y", lambda draw, *, d, **rest: draw.uniform())
    assert more.parameters == ("d",) and more.takes_any
