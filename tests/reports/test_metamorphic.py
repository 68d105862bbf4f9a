"""Metamorphic properties of the recall error, in theory and in simulation: what must not change it, and what moves it.

Theory comes with its numerical uncertainty `.error`; two values agree if they differ by at most three times the sum of
theirs. Simulations are compared by the standard errors of two independent estimates: 6.5 of them are exceeded with
probability 8e-11 each, less than 1e-7 over all examples here.
"""

import math

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from asymp import montecarlo, theory
from asymp.montecarlo.draws import Draw, derive_seed
from asymp.montecarlo.samplers.recall.error import recall_error_experiment

pytestmark = pytest.mark.slow

SIGMAS = 6.5
REPLICAS = 2048
EXAMPLES = 10


@st.composite
def memories(draw):
    """A memory: probabilities, weights, targets (every class has an input), and a dimension."""
    N, M = draw(st.integers(4, 40)), draw(st.integers(2, 4))
    assume(N >= M)
    alpha, rho = draw(st.sampled_from((0.5, 1.0, 2.0))), draw(st.sampled_from((0.0, 0.5, 1.0)))
    p = np.arange(1, N + 1.0) ** -alpha
    p /= p.sum()
    shift = draw(st.integers(0, M - 1))
    return {
        "p": p.tolist(),
        "weights": (p**rho).tolist(),
        "targets": [(i + shift) % M for i in range(N)],
        "N": N,
        "M": M,
        "d": draw(st.sampled_from((4, 8, 16, 40))),
        "outputs": draw(st.sampled_from(("gaussian", "sphere"))),
    }


def in_theory(one, other):
    """How much larger the error of one memory is than that of another, and what of it is uncertain."""
    a, b = theory.recall_error(**one, rel_error=1e-2), theory.recall_error(**other, rel_error=1e-2)
    return a.value - b.value, 3 * (a.error + b.error) + 1e-12


def in_simulation(one, other):
    """The same from two independent simulations."""
    a, b = (
        montecarlo.recall_error(**memory, replicas=REPLICAS, seed=derive_seed("metamorphic", seed))
        for seed, memory in enumerate((one, other), 1)
    )
    return a.mean - b.mean, SIGMAS * math.hypot(a.stderr, b.stderr) + 1e-12


BOTH = pytest.mark.parametrize("difference", [in_theory, in_simulation], ids=["theory", "montecarlo"])


def relabelled(memory, data):
    """The same memory with other names for its outputs."""
    names = data.draw(st.permutations(range(memory["M"])))
    return {**memory, "targets": [names[t] for t in memory["targets"]]}


def scaled(memory, data):
    """The same memory with all weights multiplied by a factor."""
    factor = data.draw(st.sampled_from((1e-3, 0.5, 3.0, 1e4)))
    return {**memory, "weights": [factor * w for w in memory["weights"]]}


def permuted(memory, data):
    """The same memory with its inputs permuted within each class."""
    order = list(range(memory["N"]))
    for y in range(memory["M"]):
        members = [i for i in order if memory["targets"][i] == y]
        for i, j in zip(members, data.draw(st.permutations(members)), strict=True):
            order[i] = j
    return {**memory, **{name: [memory[name][i] for i in order] for name in ("p", "weights")}}


def renamed(memory, data):
    """The same memory with its inputs in another order."""
    order = data.draw(st.permutations(range(memory["N"])))
    return {**memory, **{name: [memory[name][i] for i in order] for name in ("p", "weights", "targets")}}


@BOTH
@pytest.mark.parametrize("change", [relabelled, scaled, permuted, renamed])
@settings(max_examples=EXAMPLES)
@given(memory=memories(), data=st.data())
def test_what_is_the_same_memory_has_the_same_error(difference, change, memory, data):
    larger, uncertain = difference(memory, change(memory, data))
    assert abs(larger) <= uncertain


@BOTH
@settings(max_examples=EXAMPLES)
@given(memory=memories())
def test_permuting_weights_across_inputs_does_change_it(difference, memory):
    # A check that these tests can fail: the heaviest weight on the rarest input of a steep law.
    p = np.arange(1, memory["N"] + 1.0) ** -2
    p /= p.sum()
    steep = {**memory, "d": 40, "p": p.tolist(), "weights": p.tolist()}
    larger, uncertain = difference({**steep, "weights": steep["weights"][::-1]}, steep)
    assert larger > uncertain


@settings(max_examples=EXAMPLES)
@given(memory=memories(), power=st.sampled_from((-10, -1, 1, 8)))
def test_scaling_by_a_power_of_two_changes_no_bit_of_a_simulation(memory, power):
    # scores are linear in the weights, and a power of two is exact in binary: every comparison comes out the same
    scaled = {**memory, "weights": [2.0**power * w for w in memory["weights"]]}

    def values(memory, route):
        generator = torch.Generator().manual_seed(3)
        sample = recall_error_experiment.sample
        return sample(Draw(64, generator, torch.device("cpu")), **memory, route=route)

    for route in ("naive", "factored"):
        assert torch.equal(values(memory, route), values(scaled, route))


@BOTH
@settings(max_examples=EXAMPLES)
@given(memory=memories())
def test_more_dimensions_mean_fewer_errors(difference, memory):
    # interference has variance S/d around the weight: with the dimension it shrinks and nothing else moves
    larger, uncertain = difference({**memory, "d": 4 * memory["d"]}, memory)
    assert larger <= uncertain


@BOTH
@settings(max_examples=EXAMPLES)
@given(memory=memories())
def test_more_memories_of_equal_weight_mean_more_errors_on_the_old_ones(difference, memory):
    # the same p on the same first inputs, and as many new ones that nobody asks for but that interfere
    N, M = memory["N"], memory["M"]
    equal = {**memory, "weights": [1.0] * N}
    crowded = {
        **equal,
        "N": 2 * N,
        "p": [*memory["p"], *[0.0] * N],
        "weights": [1.0] * (2 * N),
        "targets": [*memory["targets"], *((t + 1) % M for t in memory["targets"])],
    }
    larger, uncertain = difference(equal, crowded)
    assert larger <= uncertain
