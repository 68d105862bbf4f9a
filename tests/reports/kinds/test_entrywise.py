"""Identities of arrays: theory's formula on the simulation's draws, right to rounding whatever the shape, and wrong ones not."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
import sympy
import torch
from hypothesis import given
from hypothesis import strategies as st

from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.running.provenance import source_hash
from asymp.montecarlo.samplers.capacity.attention_retrieval import retrieval_step_experiment
from asymp.montecarlo.samplers.training.backward_vector import backward_vector_experiment, sample_backward_vector
from asymp.montecarlo.samplers.training.gradient_as_memory import gradient_memory_experiment
from asymp.montecarlo.samplers.training.gradient_noisy_inputs import noisy_inputs_experiment
from asymp.montecarlo.samplers.training.memory_matrix import argmax_agreement_experiment
from asymp.montecarlo.samplers.training.sgd_approximation import map_ratio_experiment
from asymp.montecarlo.samplers.transformers.hallucination_phase import conserved_drift_experiment
from asymp.montecarlo.samplers.transformers.in_context_denoising import trained_denoiser_experiment
from asymp.reports.grid import Grid
from asymp.reports.kinds import Constant, Entrywise
from asymp.theory import law, laws
from asymp.theory.param import Param, real

# The identities hold in exact arithmetic. Sums of at most some hundred products of numbers of order one have rounding errors
# of order 1e-15, and an array whose largest entry is a thousandth of that order still leaves 1e-12.
ROUNDING = 1e-12
SIZES, SEEDS = st.integers(1, 12), st.integers(0, 2**31 - 1)


def statement(id, base, grid=({"d": 2},)):
    return Entrywise(
        "source",
        "an identity",
        law=laws[id],
        experiment=base,
        grid=Grid(list(grid), replicas=16),
    )


def largest(id, base, *, replicas=2, seed=0, **setting):
    """The largest share by which the law is off."""
    return statement(id, base).experiment.run(replicas=replicas, seed=seed, **setting).values.max()


@given(d=SIZES, N=SIZES, M=st.integers(2, 12), seed=SEEDS)
def test_the_gradient_is_a_memory_whatever_the_shape(d, N, M, seed):
    for id in ("gradient-as-memory", "gradient-as-memory:source"):
        assert largest(id, gradient_memory_experiment, d=d, N=N, M=M, seed=seed) < ROUNDING


@given(d=SIZES, M=st.integers(2, 8), more=SIZES, bag=st.integers(1, 6), samples=st.integers(8, 40), seed=SEEDS)
def test_the_gradient_with_bags_of_tokens_whatever_the_shape(d, M, more, bag, samples, seed):
    # all tokens of a bag but the first are irrelevant
    setting = {"d": d, "M": M, "tokens": M + more, "bag": bag, "samples": samples}
    assert largest("gradient-noisy-inputs:source", noisy_inputs_experiment, **setting, seed=seed) < ROUNDING


# From d = 3 on: the layer norm of two numbers is +-1 whatever they are, so that its gradient is nothing but rounding.
@given(d=st.integers(3, 10), depth=st.integers(1, 3), positions=st.integers(2, 5), samples=SIZES, seed=SEEDS)
def test_the_gradient_inside_a_deep_network_whatever_the_shape(d, depth, positions, samples, seed):
    setting = {"d": d, "depth": depth, "samples": samples, "seed": seed, "replicas": 1}
    assert largest("backward-vector", backward_vector_experiment, positions=positions, **setting) < ROUNDING
    assert largest("backward-vector:source", backward_vector_experiment, positions=1, **setting) < ROUNDING


@given(d=SIZES, N=SIZES, beta=st.sampled_from([0.1, 0.5, 1.0, 2.0]), seed=SEEDS)
def test_a_step_on_the_energy_is_attention_whatever_the_shape(d, N, beta, seed):
    assert largest("attention-retrieval:source", retrieval_step_experiment, d=d, N=N, beta=beta, seed=seed) < ROUNDING


def test_a_network_whose_units_are_all_off_has_no_gradient_and_no_deviation():
    # the first of these networks of two dimensions gives W the gradient 0: a share of nothing is not a number
    compared = statement("backward-vector:source", backward_vector_experiment).experiment
    values = next(compared.blocks(seed=20261116, first_block=7, d=2, depth=4, positions=1))
    assert values[0] == 0
    assert values.max() < ROUNDING


def test_a_deep_network_needs_every_use_of_the_matrix():
    draw = Draw(8, torch.Generator().manual_seed(1), torch.device("cpu"))
    drawn = {name: v.numpy() for name, v in sample_backward_vector(draw, d=8, depth=2, positions=5).items()}
    last = np.einsum("rsi,rsj,raij->ra", drawn["g"][:, :, -1], drawn["x"][:, :, -1], drawn["D"]) / 8
    assert np.abs(last - drawn["measured"]).max(1).min() > 1e-3


def sample_product(draw, *, n):
    a, b = draw.normal((n,)), draw.normal((n, 3))
    return {"measured": a[:, :, None] * b, "a": a, "b": b}


def product(formula):
    made = law(
        "product",
        formula,
        relation="=",
        params={"a": Param(real(), indices="i"), "b": Param(real(), indices="ij")},
        indices="ij",
        quantity="c_ij",
    )
    base = experiment("product", sample_product, block=8)
    return Entrywise(
        "source",
        "c is the product",
        law=made,
        experiment=base,
        grid=Grid([{"n": 4}], replicas=16),
    )


def judged(one):
    cells = [(cell, one.experiment.run(replicas=16, **cell)) for cell in one.cells("quick", {})]
    return one.judge(cells, level=1e-5)


def test_a_users_own_identity_is_shown_and_a_wrong_sign_is_rejected():
    right, wrong = judged(product("a[i]*b[i, j]")), judged(product("-a[i]*b[i, j]"))
    assert right.shown and right.p_value == 1
    assert not wrong.shown and wrong.p_value < 1e-9


@pytest.mark.parametrize("formula", ["a[i]*b[i, j]", "a[i]*(b[i, j] + a[i]) - a[i]**2"])
def test_every_wrong_law_that_is_generated_is_rejected(formula):
    for wrong in product(formula).wrong_laws():
        assert judged(wrong.statement([])).p_value < 1e-9, wrong.how


def test_a_statement_about_another_law_compares_with_that_law():
    right, wrong = product("a[i]*b[i, j]"), product("a[i]*b[i, j] + 1")
    assert judged(wrong.with_law(right.law)).shown
    assert not judged(right.with_law(wrong.law)).shown


def test_what_is_kept_depends_on_the_sampler_and_on_the_formula():
    one, same, other = (product(f).experiment.sample for f in ("a[i]*b[i, j]", "b[i, j]*a[i]", "2*a[i]*b[i, j]"))
    assert source_hash(one) is not None
    assert source_hash(one) == source_hash(same) != source_hash(other)


def test_equal_symbols_that_were_spelt_otherwise_before_change_nothing():
    # SymPy hands out the first of equal symbols again; workers have made others before than the command that sends to them
    code = """
import sys, sympy
if len(sys.argv) > 1:
    A, init = sympy.Symbol("A", integer=True, positive=True), sympy.Symbol("init", positive=True)
    kept = init**2*(A - 1)
from asymp.reports import claims
from asymp.montecarlo.running.provenance import source_hash
part = next(p for p in claims["hallucination-phase"].parts if p.name == "conserved")
print(source_hash(part.experiment.sample))
"""
    plain, spelt = (
        subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True).stdout
        for words in ((), ("spelt",))
    )
    assert plain == spelt


def test_a_law_of_the_ledger_travels_by_its_name():
    compared = statement("gradient-as-memory:source", gradient_memory_experiment).experiment
    again = pickle.loads(pickle.dumps(compared))
    assert again.sample.law is laws["gradient-as-memory:source"]
    assert np.array_equal(again.run(d=2, N=3, M=2, replicas=4).values, compared.run(d=2, N=3, M=2, replicas=4).values)


MEMORIES = {"alpha": 2.0, "N": 20, "M": 3, "d": 60, "gamma": 2.0, "T": 12, "memories": 40}
DENOISED = {"sigma": 1.5, "d": 4, "context": 4, "batch": 64, "steps": 150, "of": "excess"}
ON_DRAWS = [
    ("sgd-approximation:source", map_ratio_experiment, MEMORIES),
    ("in-context-denoising:excess", trained_denoiser_experiment, DENOISED),
]


@pytest.mark.parametrize(("id", "base", "setting"), ON_DRAWS)
def test_a_constant_of_arrays_is_measured_over_the_formula_on_the_draws(id, base, setting):
    # with any part of the formula's inside changed in sign the ratio is far from that of the right formula
    right = laws[id]
    grid = Grid([setting], replicas=16)
    one = Constant("source", "on draws", law=right, experiment=base, grid=grid)
    assert one.predicted(setting) == 1
    found = one.experiment.run(replicas=8, **setting)
    assert 0.8 < found.mean < 1.25
    drawn = [s for s in right.expr.atoms(sympy.Indexed) if str(s.base) in ("G", "x")]
    for entry in drawn:
        wrong = right.but("wrong", lambda entry=entry: right.expr.xreplace({entry: -entry}))
        changed = one.with_law(wrong).experiment.run(replicas=8, **setting)
        assert abs(changed.mean / found.mean - 1) > 0.15, entry


def test_a_condition_of_a_law_of_arrays_speaks_of_the_setting():
    one = Constant(
        "source",
        "on draws",
        law=laws["sgd-approximation:source"],
        experiment=map_ratio_experiment,
        grid=Grid([MEMORIES], replicas=4),
    )
    one.validate(MEMORIES)
    with pytest.raises(ValueError, match="d must be at least N"):
        one.validate({**MEMORIES, "d": 5})


SMALL = {"S": 8, "R": 2, "D": 2}
ROWS = {"N": 6, "M": 3, "d": 4, "scale": 3.0, "embeddings": "gaussian"}


@pytest.mark.parametrize(
    ("id", "base", "setting"),
    [
        ("memory-matrix:agreement", argmax_agreement_experiment, ROWS),
        ("hallucination-phase:conserved", conserved_drift_experiment, SMALL),
    ],
)
def test_identities_of_rows_and_flows_and_their_wrong_formulas(id, base, setting):
    grid = Grid([setting], replicas=8)
    one = Entrywise("source", "an identity", law=laws[id], experiment=base, grid=grid)
    assert judged(one).shown
    for wrong in one.wrong_laws():
        assert judged(wrong.statement([])).p_value < 1e-9, wrong.how
