"""Factual recall: the generator's laws, token tables against the dense pass, training, and that runs are independent."""

import math

import numpy as np
import pytest
import torch
from scipy.stats import chisquare
from support.draws import how

from asymp.models.tasks.facts import FactTask, token_counts
from asymp.models.transformer import Shape, Transformer
from asymp.models.transformer.tables import table_logits
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.samplers.transformers.facts_trained import (
    fact_model,
    fact_names,
    sample_trained_facts,
)

BUDGET = 1e-8


def uniform(values, count):
    """The p-value of uniformity over 0..count-1."""
    seen = np.bincount(np.asarray(values), minlength=count)
    assert len(seen) == count
    return chisquare(seen).pvalue


@pytest.mark.parametrize("task", [FactTask(5, 3, 4, 7), FactTask(2, 6, 3, 5, noise=4), FactTask(3, 2, 2, 3)])
def test_sequences_follow_the_stated_laws(task):
    """Nine chi-squares a task at 1e-8: three tasks fail by chance with probability below 3e-7."""
    S, R, T = task.S, task.R, task.T
    facts = task.facts(replicas=2, **how(1))
    drawn = task.draw(facts, batch=20_000, **how(2))
    tokens = drawn.tokens.flatten(0, 1).numpy()
    subjects, relations, answers = (x.flatten().numpy() for x in (drawn.subjects, drawn.relations, drawn.answers))
    replica = np.repeat([0, 1], 20_000)
    assert (tokens[:, -1] == task.vocabulary - 1).all()
    assert (answers == facts.numpy()[replica, subjects, relations]).all()
    body = tokens[:, :-1]
    is_subject, is_relation = body < S, (body >= S) & (body < S + R)
    is_noise = (body >= S + R) & (body < task.vocabulary - 1)
    assert (is_subject.sum(1) == 1).all() and (is_relation.sum(1) == 1).all()
    assert (is_noise.sum(1) == T - 3).all()
    assert (body[is_subject] == subjects).all() and (body[is_relation] == S + relations).all()
    # The pair (s, r) is uniform, so is the pair of places over the (T-1)(T-2) ordered ones, and one does not tell the other.
    assert uniform(subjects * R + relations, S * R) > BUDGET
    first, second = is_subject.argmax(1), is_relation.argmax(1)
    places = first * (T - 2) + second - (second > first)
    assert uniform(places, (T - 1) * (T - 2)) > BUDGET
    assert uniform((subjects * R + relations) * (T - 1) + first, S * R * (T - 1)) > BUDGET
    if T > 3:
        noise = np.where(is_noise, body - S - R, -1)
        assert uniform(noise[is_noise], task.noise_tokens) > BUDGET
        # Noise tokens are independent of their neighbours in the sequence: pairs of the first two in a sequence.
        if T > 4:
            pairs = np.array([row[row >= 0][:2] for row in noise])
            assert uniform(pairs[:, 0] * task.noise_tokens + pairs[:, 1], task.noise_tokens**2) > BUDGET


def test_facts_are_uniform_over_the_answers_of_their_relation():
    task = FactTask(6, 5, 3, 4)
    facts = task.facts(replicas=400, **how(3)).numpy()
    assert facts.shape == (400, 6, 5)
    assert (facts // 3 == np.arange(5)).all()
    assert uniform(facts[:, :, 2].ravel() - 6, 3) > BUDGET
    # Every replica has facts of its own.
    assert len({row.tobytes() for row in facts}) == 400


def test_the_generator_by_a_loop_over_tokens():
    """The per-token loop of the bench has the same law: places and noise, two-sample chi-squares at 1e-8 each."""
    from scipy.stats import chi2_contingency

    from speed.transformer_baselines import facts_token_loop

    task = FactTask(4, 3, 2, 6)
    facts = task.facts(replicas=1, **how(4))
    ours = task.draw(facts, batch=8000, **how(5)).tokens[0].numpy()
    theirs, answers = facts_token_loop(task, facts[0].tolist(), batch=4000, seed=6)
    theirs = np.array(theirs)
    assert theirs.shape == (4000, 6) and len(answers) == 4000
    for place in range(5):
        table = np.stack([np.bincount(x[:, place], minlength=task.vocabulary) for x in (ours, theirs)])
        assert chi2_contingency(table[:, table.sum(0) > 0]).pvalue > BUDGET
    for row, answer in zip(theirs, answers, strict=True):
        s = row[row < 4][0]
        r = row[(row >= 4) & (row < 7)][0] - 4
        assert answer == facts[0, s, r]


SHAPES = [(3, 2, 0), (1, 5, 7), (4, 3, 6)]


@pytest.mark.parametrize(("H", "d_h", "m"), SHAPES)
def test_token_tables_give_the_dense_logits_and_gradients(H, d_h, m):
    # float64 and scores of order one: rounding of some hundred terms, 1e-13.
    task = FactTask(4, 3, 2, 9)
    shape = Shape(
        vocabulary=task.vocabulary, length=9, d=6, layers=1, heads=H, head_dim=d_h, mlp=m, residual=False,
        positions=False, queries="last", outputs=task.outputs,
    )  # fmt: skip
    model = Transformer(shape, replicas=3, dtype=torch.float64, **how(7))
    if m:
        model.set("bias1", torch.randn(3, m, dtype=torch.float64, generator=how(8)["generator"]))
    drawn = task.draw(task.facts(replicas=3, **how(9)), batch=5, **how(10))
    names = fact_names(model)
    gradients = []
    for dense in (True, False):
        model.train_only(names)
        model.zero_grad(set_to_none=True)
        counts = token_counts(drawn.tokens, task.vocabulary, torch.float64)
        logits = model(drawn.tokens)[:, :, 0] if dense else table_logits(model, counts)
        logits.square().sum().backward()
        gradients.append([logits.detach(), *(model[name].grad.clone() for name in names)])
    for a, b in zip(*gradients, strict=True):
        assert torch.allclose(a, b, rtol=1e-10, atol=1e-12)
    assert all((g != 0).any() for g in gradients[0][1:])


def test_counts_by_a_loop():
    tokens = torch.tensor([[[0, 2, 2, 3], [1, 1, 1, 3]]])
    expected = [[[row.count(z) for z in range(4)] for row in tokens[0].tolist()]]
    assert token_counts(tokens, 4).tolist() == expected


def test_large_scores_stay_finite():
    task = FactTask(3, 2, 2, 5)
    model = fact_model(Draw(1, **how(11)), task, d=4, H=2, d_h=2, m=0)
    model.set("Q1", 1e3 * model["Q1"].detach())
    drawn = task.draw(task.facts(replicas=1, **how(12)), batch=64, **how(13))
    assert torch.isfinite(table_logits(model, token_counts(drawn.tokens, task.vocabulary))).all()


def test_runs_do_not_see_each_other():
    # A run's gradient does not depend on the other runs of its model.
    task = FactTask(4, 3, 2, 5)
    model = fact_model(Draw(3, **how(15)), task, d=8, H=2, d_h=2, m=4)
    parameters = model.train_only(fact_names(model))
    drawn = task.draw(task.facts(replicas=3, **how(16)), batch=8, **how(17))
    table_logits(model, token_counts(drawn.tokens, task.vocabulary))[1].square().sum().backward()
    for parameter in parameters:
        assert (parameter.grad[[0, 2]] == 0).all()
    assert any((parameter.grad[1] != 0).any() for parameter in parameters)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"S": 0}, "S must be"), ({"R": 2.5}, "R must be"), ({"T": 2}, "T must be"), ({"noise": 0}, "noise must be"),
        ({"H": 0}, "H must be"), ({"m": -1}, "m must be"), ({"steps": -1}, "steps must be"), ({"lr": math.nan}, "lr must be"),
        ({"batch": 0}, "batch must be"),
    ],
)  # fmt: skip
def test_bad_input_is_told_in_one_sentence(options, words):
    with pytest.raises(ValueError, match=words):
        sample_trained_facts(Draw(1, **how()), **{"S": 3, "steps": 1, **options})


@pytest.mark.parametrize("change", [{"residual": True, "queries": "all"}, {"positions": True}, {"head_dim": None}])
def test_tables_are_refused_where_tokens_are_not_everything(change):
    plain = {"residual": False, "queries": "last", "positions": False, "head_dim": 2}
    model = Transformer(Shape(vocabulary=5, length=4, d=4, layers=1, **{**plain, **change}), **how())
    with pytest.raises(ValueError, match="token tables take"):
        table_logits(model, torch.ones(1, 2, 5))
    fine = Transformer(Shape(vocabulary=5, length=4, d=4, layers=1, **plain), **how())
    with pytest.raises(ValueError, match="counts must have the shape"):
        table_logits(fine, torch.ones(1, 2, 6))
