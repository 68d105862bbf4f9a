"""Identities of arrays: theory's formula on the simulation's draws, right to rounding whatever the shape, and wrong ones not."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
import sympy
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from support.own_claims import measured, statement

from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.running.source import source_hash
from asymp.montecarlo.samplers.capacity.attention_retrieval import retrieval_step_experiment
from asymp.montecarlo.samplers.training.backward_vector import backward_vector_experiment, sample_backward_vector
from asymp.montecarlo.samplers.training.gradient_as_memory import gradient_memory_experiment
from asymp.montecarlo.samplers.training.gradient_noisy_inputs import noisy_inputs_experiment
from asymp.montecarlo.samplers.training.memory_matrix import argmax_agreement_experiment
from asymp.montecarlo.samplers.training.sgd_approximation import map_ratio_experiment
from asymp.montecarlo.samplers.transformers.hallucination_phase import conserved_drift_experiment
from asymp.montecarlo.samplers.transformers.in_context_denoising import trained_denoiser_experiment
from asymp.reports import claims
from asymp.reports.kinds import Constant, Entrywise
from asymp.theory import law, laws
from asymp.theory.param import Param, real

# The identities hold in exact arithmetic. Sums of at most some hundred products of numbers of order one have rounding errors
# of order 1e-15, and an array whose largest entry is a thousandth of that order still leaves 1e-12.
ROUNDING = 1e-12
SIZES, SEEDS = st.integers(1, 12), st.integers(0, 2**31 - 1)


NOISY = {"d": SIZES, "M": st.integers(2, 8), "more": SIZES, "bag": st.integers(1, 6), "samples": st.integers(8, 40)}
# From d = 3 on: the layer norm of two numbers is +-1 whatever they are, so that its gradient is nothing but rounding.
DEEP = {"d": st.integers(3, 10), "depth": st.integers(1, 3), "samples": SIZES}
SHAPES = [
    (["gradient-as-memory", "gradient-as-memory:source"], gradient_memory_experiment,
     {"d": SIZES, "N": SIZES, "M": st.integers(2, 12)}),
    (["gradient-noisy-inputs:source"], noisy_inputs_experiment, NOISY),
    (["backward-vector"], backward_vector_experiment, {**DEEP, "positions": st.integers(2, 5)}),
    (["backward-vector:source"], backward_vector_experiment, {**DEEP, "positions": st.just(1)}),
    (["attention-retrieval:source"], retrieval_step_experiment,
     {"d": SIZES, "N": SIZES, "beta": st.sampled_from([0.1, 0.5, 1.0, 2.0])}),
]  # fmt: skip


@pytest.mark.parametrize(("ids", "base", "shape"), SHAPES)
def test_an_identity_holds_to_rounding_whatever_the_shape(ids, base, shape):
    @settings(max_examples=25 if "depth" in shape else 50)
    @given(setting=st.fixed_dictionaries(shape), seed=SEEDS)
    def holds(setting, seed):
        if "more" in setting:  # all tokens of a bag but the first are irrelevant
            setting["tokens"] = setting["M"] + setting.pop("more")
        for id in ids:
            compared = statement(Entrywise, laws[id], base).experiment
            assert compared.run(replicas=2, seed=seed, **setting).values.max() < ROUNDING

    holds()


def test_a_network_whose_units_are_all_off_has_no_gradient_and_no_deviation():
    # the first of these networks of two dimensions gives W the gradient 0: a share of nothing is not a number
    compared = statement(Entrywise, laws["backward-vector:source"], backward_vector_experiment).experiment
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
    return statement(Entrywise, made, experiment("product", sample_product, block=8), [{"n": 4}])


def judged(one):
    return one.judge(measured(one), level=1e-5)


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


def test_what_is_kept_depends_on_the_routines_that_evaluate_the_law():
    # else a changed routine would be judged by the values that the old one gave
    one = next(p for p in claims["sgd-approximation"].parts if p.name == "batches")
    changed = one.with_law(replace(one.law, numeric=lambda **values: -one.law.numeric(**values)))
    assert source_hash(one.experiment.sample) is not None
    assert source_hash(one.experiment.sample) != source_hash(changed.experiment.sample)


def test_a_law_of_the_ledger_travels_by_its_name():
    compared = statement(Entrywise, laws["gradient-as-memory:source"], gradient_memory_experiment).experiment
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
    one = statement(Constant, right, base, [setting])
    assert one.predicted(setting) == 1
    found = one.experiment.run(replicas=8, **setting)
    assert 0.8 < found.mean < 1.25
    drawn = [s for s in right.expr.atoms(sympy.Indexed) if str(s.base) in ("G", "x")]
    for entry in drawn:
        wrong = right.but("wrong", lambda entry=entry: right.expr.xreplace({entry: -entry}))
        changed = one.with_law(wrong).experiment.run(replicas=8, **setting)
        assert abs(changed.mean / found.mean - 1) > 0.15, entry


def test_a_formula_of_the_wrong_sign_is_refuted_by_its_ratio():
    # a law that says less than nothing is as far off as a share of 0 to 2 can be, in every replica
    right = laws["sgd-approximation:source"]
    wrong = right.but("wrong", lambda: -right.expr)
    one = statement(Constant, wrong, map_ratio_experiment, [MEMORIES])
    assert one.judge(measured(one, 24), level=1e-5).p_value < 1e-5


def test_a_condition_of_a_law_of_arrays_speaks_of_the_setting():
    one = statement(Constant, laws["sgd-approximation:source"], map_ratio_experiment, [MEMORIES])
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
    one = statement(Entrywise, laws[id], base, [setting])
    assert judged(one).shown
    for wrong in one.wrong_laws():
        assert judged(wrong.statement([])).p_value < 1e-9, wrong.how
