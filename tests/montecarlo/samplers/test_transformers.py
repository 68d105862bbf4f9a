"""Experiments on transformers against plain loops, exact enumeration and closed forms of small cases."""

import itertools
import math

import numpy as np
import pytest
import torch
from support.draws import CPU, generator

from asymp.montecarlo.draws import Draw
from asymp.montecarlo.samplers.transformers.attention_learnability import sample_learned_attention
from asymp.montecarlo.samplers.transformers.factual_recall_attention import logit_variance_experiment
from asymp.montecarlo.samplers.transformers.hallucination_phase import (
    learning_time_experiment,
    plateau_loss_experiment,
    sample_conserved_drift,
    sample_plateau_loss,
)
from asymp.montecarlo.samplers.transformers.in_context_denoising import best_temperature_experiment
from asymp.montecarlo.samplers.transformers.k_hop import _schedule, fewest_layers_experiment
from asymp.montecarlo.samplers.transformers.three_gradient_steps import (
    _logits,
    _sequences,
    sample_step_entry,
    step_entry_experiment,
    three_step_accuracy_experiment,
)


def test_the_flow_starts_at_chance_and_passes_the_plateau():
    # S = 4, R = 2, D = 2: the first loss is log(R D), the plateau log D = log 2 (S exceeds R sqrt((D-1)/(R-1)) = 2).
    assert plateau_loss_experiment.run(S=8, R=2, D=2, replicas=1).mean == pytest.approx(math.log(2), rel=0.05)
    drawn = sample_conserved_drift(Draw(1, generator(), CPU), S=8, R=2, D=2)
    difference = drawn["measured"] - drawn["w"] ** 2
    assert (difference - difference[:, :1]).abs().max() < 1e-10
    early, late = (learning_time_experiment.run(S=8, R=2, D=2, P=P, replicas=1).mean for P in (0.6, 0.9))
    assert early < late
    # A tenth of the start delays the first token by log 10 over its rate, sqrt(1/D - 1/(R D))/R = 1/4.
    delay = [learning_time_experiment.run(S=8, R=2, D=2, P=0.6, init=init, replicas=1).mean for init in (1e-4, 1e-5)]
    assert delay[1] - delay[0] == pytest.approx(4 * math.log(10), rel=0.01)
    with pytest.raises(ValueError, match="multiple of D"):
        sample_plateau_loss(Draw(1, generator(), CPU), S=5, R=2, D=2)


def every_sequence(N, T):
    """All sequences of the three-step task with their probabilities, from the definition."""
    for q, y, at in itertools.product(range(N), range(N), range(2, T)):
        free = [s for s in range(1, T) if s not in (at - 1, at)]
        for rest in itertools.product([z for z in range(N) if z != q], repeat=len(free)):
            z = dict(zip(free, rest, strict=True)) | {at - 1: q, at: y, T: q}
            yield [z[s] for s in range(1, T + 1)], y, 1 / (N * N * (T - 2) * (N - 1) ** len(free))


def test_sequences_and_the_first_step_by_enumeration():
    N, T = 3, 4
    gradient, total = np.zeros((N, N)), 0.0
    for z, y, p in every_sequence(N, T):
        total += p
        mean = np.bincount(z, minlength=N) / T
        gradient += p * np.outer(np.eye(N)[y] - 1 / N, mean)
    assert total == pytest.approx(1)
    found = step_entry_experiment.run(N=N, T=T, matrix="OV2", replicas=64)
    assert abs(found.mean - np.trace(gradient) / N) < 6 * found.stderr
    z, y = _sequences(Draw(1, generator(), CPU).alone, 5, 6, 200)
    for row, target in zip(z.tolist(), y.tolist(), strict=True):
        assert any(row[t] == row[-1] and row[t + 1] == target for t in range(4))


def test_the_end_state_finds_the_token_after_the_last_one():
    large = 60.0
    previous = torch.diag(torch.full((4,), large, dtype=torch.float64), -1)
    eye = large * torch.eye(6, dtype=torch.float64)
    logits = _logits(torch.tensor([[0, 3, 5, 1, 3]]), 6, previous, eye, eye)
    assert int(logits.argmax()) == 5
    # By enumeration, ties shared equally.
    N, T, right = 3, 4, 0.0
    previous, eye = (
        torch.diag(torch.full((T - 1,), large, dtype=torch.float64), -1),
        large * torch.eye(N, dtype=torch.float64),
    )
    for z, y, p in every_sequence(N, T):
        logits = _logits(torch.tensor([z]), N, previous, eye, eye)[0]
        best = logits >= logits.max() - 1e-6
        right += p * float(best[y]) / float(best.sum())
    found = three_step_accuracy_experiment.run(N=N, T=T, replicas=64)
    assert abs(found.mean - right) < 6 * found.stderr


def test_learned_attention_in_plain_loops():
    d, N, T, n = 3, 4, 2, 5
    found = sample_learned_attention(Draw(1, generator(9), CPU), d=d, N=N, T=T, n=n)
    g = generator(9)
    E, U = (Draw(N, g, CPU).gaussian((d,)).numpy() for _ in range(2))
    trigger = Draw(1, g, CPU).alone.gaussian((d,)).numpy()
    z = torch.randint(N, (n, T), generator=g).numpy()
    at = torch.randint(T, (n,), generator=g).numpy()
    X = [[E[z[i, t]] + (t == at[i]) * trigger for t in range(T)] for i in range(n)]
    u = [U[z[i, at[i]]] - U.mean(0) for i in range(n)]
    W = sum(np.outer(u[i], np.mean(X[i], axis=0)) for i in range(n)) / n
    w = sum((u[i] @ W @ X[i][t]) * (X[i][t] - np.mean(X[i], axis=0)) for i in range(n) for t in range(T)) / (n * T)
    assert found.item() == pytest.approx(w @ trigger, rel=1e-10)


@pytest.mark.parametrize(("K", "layers"), [(1, 1), (2, 2), (3, 2), (4, 3), (5, 3), (7, 3), (8, 4)])
def test_shortest_schedules(K, layers):
    # L layers make at most 2^L - 1 hops, and any number up to that.
    assert len(_schedule(K)) == layers
    assert fewest_layers_experiment.run(K=K, N=9, replicas=4).values.tolist() == [layers] * 4


def test_a_best_temperature_needs_contexts_in_doubt():
    # Half the distance of two points is sqrt(2 * 16)/2 = 2.8, 4.7 times the noise: of 4096 contexts hardly one is in doubt.
    with pytest.raises(ValueError, match=r"sigma must be so large, .* got sigma=0.6, d=16, draws=4096"):
        best_temperature_experiment.run(sigma=0.6, d=16, replicas=1)


def test_logits_of_facts_in_plain_numbers():
    # The answer's logit is |u|^2 twice plus R + D - 2 overlaps: variance 4 Var|u|^2 + (R + D - 2)/d, Var|u|^2 = 2/d.
    R, D, d = 3, 2, 10
    found = logit_variance_experiment.run(R=R, D=D, d=d, output="answer", replicas=2**14)
    # Given u the overlaps have variance |u|^2/d, of mean 1/d.
    assert abs(found.mean - (8 / d + (R + D - 2) / d)) < 6 * found.stderr


@pytest.mark.parametrize("options", [{"matrix": "W"}, {"N": 1}, {"T": 2}, {"entry": "corner"}])
def test_bad_input_is_told_in_one_sentence(options):
    with pytest.raises(ValueError, match="must be"):
        sample_step_entry(Draw(1, generator(), CPU), **{"N": 4, "T": 5, "matrix": "OV2", **options})
