"""Learnability by count matrices against the direct way, token by token, and plain loops."""

import math

import numpy as np
import pytest
import torch
from scipy.stats import chisquare
from support.draws import how

from asymp.montecarlo.draws import Draw
from asymp.montecarlo.samplers.transformers import attention_learnability as counted
from asymp.montecarlo.samplers.transformers.attention_learnability import (
    attention_spread_experiment,
    learned_attention_experiment,
    sample_attention_spread,
    sample_planted_accuracy,
)


def sequences_of(counts, labels):
    """A sequence of tokens with these counts, the label first."""
    rows = []
    for row, label in zip(counts.long().tolist(), labels.tolist(), strict=True):
        row[label] -= 1
        rows.append([label, *(z for z, k in enumerate(row) for _ in range(k))])
    return rows


def test_the_attention_vector_by_loops_over_tokens():
    d, N, T, n = 4, 5, 6, 7
    drawn = counted._Planted(Draw(1, **how(1)).alone, d=d, N=N, T=T, n=n, balanced=False)
    E, U, trigger = drawn.E.numpy(), drawn.U.numpy(), drawn.trigger.numpy()
    X, u = [], []
    for tokens in sequences_of(drawn.counts, drawn.labels):
        assert len(tokens) == T
        X.append([E[z] + (t == 0) * trigger for t, z in enumerate(tokens)])
        u.append(U[tokens[0]] - U.mean(0))
    W = sum(np.outer(u[i], np.mean(X[i], axis=0)) for i in range(n)) / n
    w = sum((u[i] @ W @ x) * (x - np.mean(X[i], axis=0)) for i in range(n) for x in X[i]) / (n * T)
    assert drawn.attention().numpy() == pytest.approx(w, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("of", ["signal", "noise"])
def test_both_ways_have_one_law(of):
    # Means of 400 and 400: a difference of 6 standard errors has probability 2e-9.
    given = {"d": 16, "N": 12, "T": 5, "n": 40, "of": of}
    a, b = (e.run(**given, replicas=400) for e in (attention_spread_experiment, learned_attention_experiment))
    assert abs(a.mean - b.mean) < 6 * math.hypot(a.stderr, b.stderr)


def test_counts_are_multinomial_beside_the_label():
    labels = torch.arange(4000) % 5
    counts = counted._counts(Draw(1, **how(2)).alone, labels, 5, 9).long()
    assert (counts.sum(1) == 9).all()
    others = counts.clone()
    others[torch.arange(4000), labels] -= 1
    assert (others >= 0).all()
    # Totals over sequences: 32000 uniform tokens; and one token's count in a sequence is binomial(8, 1/5). 1e-8 each.
    assert chisquare(others.sum(0).numpy()).pvalue > 1e-8
    seen = np.bincount(others[:, 2].numpy(), minlength=9)
    law = np.array([math.comb(8, k) * 0.2**k * 0.8 ** (8 - k) for k in range(9)])
    pooled, expected = np.append(seen[:5], seen[5:].sum()), 4000 * np.append(law[:5], law[5:].sum())
    assert chisquare(pooled, expected).pvalue > 1e-8


def test_hard_attention_by_a_loop():
    E = torch.randn(6, 3, dtype=torch.float64, generator=how(4)["generator"])
    trigger = torch.randn(3, dtype=torch.float64, generator=how(5)["generator"])
    scores = torch.tensor([0.5, 2.0, -1.0, 0.9, 0.1, 1.5], dtype=torch.float64)
    labels = torch.tensor([0, 2, 1, 4])
    counts = counted._counts(Draw(1, **how(6)).alone, labels, 6, 4)
    found = counted._attended(counts, labels, scores, torch.tensor(1.2, dtype=torch.float64), E, trigger)
    for row, tokens in zip(found, sequences_of(counts, labels), strict=True):
        best = max(range(4), key=lambda t: scores[tokens[t]].item() + 1.2 * (t == 0))
        expected = E[tokens[best]] + (trigger if best == 0 else 0)
        assert torch.allclose(row, expected)


def test_a_short_context_in_many_dimensions_is_learnt():
    # T = 1: attention has nothing to choose; N = 4 tokens in 256 dimensions: one step on the values is enough.
    assert (sample_planted_accuracy(Draw(3, **how(7)), d=256, N=4, T=1, n=200) == 1).all()
    # One sequence teaches one label of 64 (and the centred others are all alike): nearly everything is wrong.
    assert (sample_planted_accuracy(Draw(3, **how(8)), d=64, N=64, T=8, n=1) < 0.2).all()


@pytest.mark.parametrize("options", [{"of": "loudness"}, {"d": 0}, {"N": 1.5}, {"T": 0}, {"n": 0}])
def test_bad_input_is_told_in_one_sentence(options):
    with pytest.raises(ValueError, match="must be"):
        sample_attention_spread(Draw(1, **how()), **{"d": 4, "N": 3, "T": 2, "n": 5, **options})
