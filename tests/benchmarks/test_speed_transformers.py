"""The baselines of the transformers' speed figures compute what the product computes, and draw what it draws."""

import numpy as np
import pytest
import torch
from scipy.stats import chi2_contingency
from support.draws import how

from asymp.models.tasks.bigrams import BigramLaw, BigramTask, Following, shakespeare_bigrams
from asymp.models.tasks.facts import FactTask
from asymp.models.transformer import Shape, Transformer
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.samplers.transformers.facts_trained import fact_model
from asymp.montecarlo.samplers.transformers.training import Optimiser, masked_loss, train
from speed.transformer_baselines import PlainTransformer, bigram_token_loop, plain_steps, same_weights
from speed.transformer_figures import fact_steps


def pair(d=8, heads=2, length=6, vocabulary=7):
    """The plain model and ours with the same weights, in float64."""
    torch.manual_seed(1)
    plain = PlainTransformer(vocabulary=vocabulary, length=length, d=d, layers=2, heads=heads).double()
    shape = Shape(
        vocabulary=vocabulary, length=length, d=d, layers=2, heads=heads, head_dim=d // heads, mlp=4 * d, norm=True
    )
    ours = Transformer(shape, dtype=torch.float64, **how())
    for name, value in same_weights(plain, d, heads).items():
        ours.set(name, value)
    return plain, ours


def test_the_plain_model_is_the_same_function_and_its_steps_are_the_same_steps():
    # Adam divides by the size of the gradient: rounding of 1e-16 may become 1e-8 in a weight; three steps, 1e-6 in all.
    plain, ours = pair()
    tokens = torch.randint(7, (3, 6), **how(2))
    assert torch.allclose(plain(tokens), ours(tokens[None])[0], atol=1e-12)
    batches = [torch.randint(7, (4, 7), **how(n)) for n in range(3)]
    losses = plain_steps(plain, batches)
    waiting, seen = iter(batches), []

    def draw(_):
        tokens = next(waiting)[None]
        mask = torch.ones_like(tokens[..., 1:], dtype=torch.bool)
        seen.append(masked_loss(ours(tokens[..., :-1]), tokens[..., 1:], mask).item())
        return tokens[..., :-1], tokens[..., 1:], mask

    names = [name for name, _ in ours.named_parameters()]
    train(ours, draw, steps=3, names=names, optimiser=Optimiser("adam", 1e-2))
    assert seen == pytest.approx(losses, abs=1e-6)
    for name, value in same_weights(plain, 8, 2).items():
        assert torch.allclose(ours[name][0], value, atol=1e-6), name


@pytest.mark.parametrize("m", [0, 6])
def test_dense_and_table_steps_are_the_same_steps(m):
    task = FactTask(5, 4, 2, 7)
    facts = task.facts(replicas=1, **how(3))
    drawn = [task.draw(facts, batch=16, **how(n)) for n in range(3)]
    batches = [(x.tokens, x.answers) for x in drawn]
    losses = []
    for dense in (True, False):
        model = fact_model(Draw(1, **how(4)), task, d=6, H=3, d_h=2, m=m).double()
        losses.append(fact_steps(model, task, batches, dense=dense))
    assert losses[0] == pytest.approx(losses[1], abs=1e-6)
    assert losses[0][0] != losses[0][2]


def test_the_token_loop_has_the_law_of_the_generator():
    # Frequencies of pairs of neighbours at two places of the chain: chi-square at 1e-8 each, triggers included.
    following = torch.rand(5, 5, dtype=torch.float64, generator=how(5)["generator"]) + 0.05
    first = torch.tensor([0.1, 0.3, 0.2, 0.25, 0.15], dtype=torch.float64)
    task = BigramTask(BigramLaw(first, following / following.sum(1, keepdim=True)), length=6, triggers=2)
    theirs = np.array(bigram_token_loop(task, batch=3000, seed=6))
    ours = task.draw(replicas=1, batch=6000, **how(7)).tokens[0].numpy()
    assert theirs.shape == (3000, 6)
    for t in (0, 3):
        pairs = [np.bincount(x[:, t] * 5 + x[:, t + 1], minlength=25) for x in (theirs, ours)]
        assert chi2_contingency(np.stack(pairs)).pvalue > 1e-8
    # Outputs belong to the sequence: the same trigger is followed by the same token.
    for row in theirs[:200]:
        for q in (1, 3):
            assert len({row[t + 1] for t in range(5) if row[t] == q}) <= 1


def naive_next(following, z, u):
    """The first entry whose cumulative probability exceeds u, by a loop."""
    total = 0.0
    for j, p in enumerate(following[z].tolist()):
        total += p
        if total > u:
            return j
    return len(following) - 1


@pytest.mark.parametrize("guided", [True, False])
def test_following_tokens_by_a_loop(guided):
    law = shakespeare_bigrams().following
    chains = Following(law)
    if not guided:
        chains.guide = None  # the route of a GPU: the search alone
    z = torch.randint(65, (400,), **how(8))
    u = torch.rand(3, 400, dtype=torch.float64, generator=how(9)["generator"])
    u[0, :4] = torch.tensor([0.0, 0.5, 1 - 2**-30, 1 / 512], dtype=torch.float64)
    walk = chains.walk(u)
    for t in range(3):
        found = walk.free(t, z).tolist()
        expected = [naive_next(law, a, b) for a, b in zip(z.tolist(), u[t].tolist(), strict=True)]
        assert found == expected
