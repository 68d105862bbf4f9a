"""Trained transformers of section 5: what they are shown and how they are read, by plain loops; the published sizes run."""

import math

import numpy as np
import pytest
import torch
from support.draws import how

from asymp.models.transformer import Shape, Transformer
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.samplers.transformers import global_before_context, induction_probes, k_hop
from asymp.montecarlo.samplers.transformers import in_context_denoising as denoising
from asymp.montecarlo.samplers.transformers import three_gradient_steps as stepped
from asymp.montecarlo.samplers.transformers.training import Optimiser, train
from asymp.reports import claims
from asymp.reports.kinds.on_draws import Ratio
from asymp.theory import laws


def test_stages_train_one_matrix_after_the_other():
    stages = [induction_probes.stage(step, 7) for step in range(7)]
    assert stages == ["OV2", "OV2", "OV2", "KQ2", "KQ2", "KQ1", "KQ1"]
    shape = Shape(vocabulary=5, length=4, d=6)
    model = Transformer(shape, zero=induction_probes.ORDER, **how())
    tokens = torch.randint(5, (1, 3, 4), **how(1))

    def draw(_):
        return tokens, tokens, torch.ones_like(tokens, dtype=torch.bool)

    for only in induction_probes.ORDER:
        before = {name: p.detach().clone() for name, p in model.named_parameters()}
        names = induction_probes.ORDER
        train(model, draw, steps=2, names=names, optimiser=Optimiser(), stage=lambda _, only=only: only)
        changed = {name for name, p in model.named_parameters() if not torch.equal(p, before[name])}
        assert changed == {only}
    found = induction_probes.sample_joint_gain(Draw(2, **how(2)), steps=3, N=5, T=6, K=2, d=8, batch=4)
    assert found.shape == (2,) and (found.abs() <= 1).all()


@pytest.mark.parametrize("pair", [("OV2", "KQ2"), ("KQ2", "KQ1"), ("KQ1", "OV2")])
def test_a_training_that_ends_at_the_first_onset_says_the_same_as_one_that_goes_on(pair):
    first, second = pair
    small = {"N": 6, "T": 8, "K": 2, "d": 16, "batch": 16, "steps": 30, "every": 1}
    found = induction_probes.sample_probe_order(Draw(6, **how(5)), first=first, second=second, **small)
    looks = induction_probes.trained_induction(Draw(6, **how(5)), look=induction_probes.probe_margins, **small)[2]
    margins = torch.stack(looks).numpy()
    when = [[next((t for t in range(31) if run[t] > 1), 31) for run in margins[:, r].T] for r in range(6)]
    at = [dict(zip(induction_probes.ORDER, onsets, strict=True)) for onsets in when]
    assert (found <= 1).tolist() == [run[first] <= run[second] for run in at]
    assert any(run[first] != run[second] for run in at)


def test_attention_at_the_right_temperature_is_bayes_rule():
    x, y = denoising._batch(Draw(1, **how(3)), 6, 5, 3, 0.7)
    eye = torch.eye(3, dtype=torch.float64)[None]
    guess = denoising._guess(x, y, eye / 0.49, eye)[0].numpy()
    for b in range(6):
        points, seen = x[0, b].numpy(), y[0, b].numpy()
        density = [math.exp(-sum((seen - p) ** 2) / (2 * 0.49)) for p in points]
        best = sum(w * p for w, p in zip(density, points, strict=True)) / sum(density)
        assert guess[b] == pytest.approx(best, rel=1e-9)
    assert np.allclose((x**2).sum(-1), 3)


def test_training_finds_the_denoiser():
    given = {"sigma": 1.5, "d": 4, "context": 4, "batch": 64}
    excess = Ratio(denoising.sample_trained_denoiser, laws["in-context-denoising:excess"])
    # a ratio a/b comes as 2 a/(a + b)
    shares = [excess(Draw(2, **how(4)), **given, of="excess", steps=steps) for steps in (0, 150)]
    untrained, trained = (share / (2 - share) for share in shares)
    # The posterior mean is the best of all: nothing is below 1 but by the chance of 2048 contexts, about 2 %.
    assert (trained > 0.95).all() and (trained < untrained / 1.5).all()
    with pytest.raises(ValueError, match="of must be"):
        denoising.sample_trained_denoiser(Draw(2, **how()), **given, of="loudness", steps=1)


@pytest.mark.parametrize("K", [1, 2, 5])
def test_hops_by_a_loop(K):
    tokens, answers = k_hop.hop_sequences(Draw(2, **how(5)), 5, K, batch=20)
    assert tokens.shape == (2, 20, 6)
    for row, answer in zip(tokens.flatten(0, 1).tolist(), answers.flatten().tolist(), strict=True):
        f, x = row[:5], row[5]
        assert sorted(f) == list(range(5))
        for _ in range(K):
            x = f[x]
        assert x == answer


def test_hops_are_learned_one_by_one(monkeypatch):
    learned = k_hop.sample_trained_hops(Draw(2, **how(6)), K=1, layers=1, N=4, d=32, steps=300, batch=64)
    assert (learned > 0.9).all()
    asked = []
    plain = k_hop.hop_sequences
    monkeypatch.setattr(
        k_hop, "hop_sequences", lambda draw, N, K, **given: asked.append(K) or plain(draw, N, K, **given)
    )
    small = {"N": 3, "d": 4, "batch": 4, "layers": 2}
    k_hop.sample_trained_hops(Draw(1, **how(7)), K=5, curriculum=True, steps=8, **small)
    assert asked == [1, 1, 2, 2, 4, 4, 5, 5, 5]
    asked.clear()
    k_hop.sample_trained_hops(Draw(1, **how(7)), K=5, steps=2, **small)
    assert asked == [5, 5, 5]


@pytest.mark.parametrize("layer", ["feed-forward", "attention"])
def test_shares_and_needed_samples_by_loops(layer):
    drawn = global_before_context._Drawn(Draw(1, **how(9)).alone, layer, 7, 3, 0.4)
    drawn.more(5)
    drawn.more(6)
    outputs, weights = drawn.outputs.tolist(), drawn.weights.tolist()
    for m in (1, 4, 11):
        total = 0.0
        for row in weights:
            scores = [sum(w for o, w in zip(outputs[:m], row[:m], strict=True) if o == k) for k in range(7)]
            top = [k for k in range(7) if scores[k] == max(scores)]
            total += (0 in top) / len(top)
        assert drawn.share(m) == pytest.approx(total / len(weights))
    # The first sample is the noise token with probability a, and with feed-forward weights then on top for good.
    found = global_before_context.sample_needed_samples(Draw(40, **how(10)), layer=layer, N=7, a=0.4, T=3)
    assert (found >= 1).all() and found.max() < 200
    if layer == "feed-forward":
        # Known after one sample with probability 0.4: 40 runs, 5 standard deviations are 0.39.
        assert abs((found == 1).double().mean().item() - 0.4) < 0.39


@pytest.mark.parametrize("layer", ["feed-forward", "attention"])
def test_what_one_step_has_learned_by_counting_every_output(layer):
    # few tokens and short contexts, so that outputs tie, and contexts have nothing in common, in some of the draws
    m, N, T, replicas, state = 4, 5, 2, 400, how(16)["generator"].get_state()
    found = global_before_context.sample_noise_learned(Draw(replicas, **how(16)), layer=layer, m=m, N=N, T=T, a=0.4)
    again = torch.Generator()
    again.set_state(state)
    out = torch.randint(1, N, (replicas, m), generator=again)
    out[torch.rand(replicas, m, dtype=torch.float64, generator=again) < 0.4] = 0
    weights = torch.ones(replicas, m)
    if layer == "attention":
        seen = torch.randint(N, (replicas, m, T), generator=again)
        fresh = torch.randint(N, (replicas, T), generator=again)
        weights = (seen[..., None] == fresh[:, None, None, :]).sum((2, 3))
    wanted = []
    for row, given in zip(out.tolist(), weights.tolist(), strict=True):
        scores = [sum(w for o, w in zip(row, given, strict=True) if o == k) for k in range(N)]
        top = [k for k in range(N) if scores[k] == max(scores)]
        wanted.append((0 in top) / len(top))
    assert found.tolist() == wanted
    assert len(set(wanted)) > 3 and ((1 / N in wanted) == (layer == "attention"))


def test_overlaps_of_contexts_by_a_loop():
    g = how(11)
    drawn = global_before_context._Drawn(Draw(1, **g).alone, "attention", 5, 4, 0.5)
    state = g["generator"].get_state()
    drawn.more(3)
    again = torch.Generator()
    again.set_state(state)
    torch.rand(3, dtype=torch.float64, generator=again)
    torch.randint(1, 5, (3,), generator=again)
    contexts = torch.randint(5, (12,), generator=again).view(3, 4).tolist()
    for i, context in enumerate(contexts):
        for f in (0, 17):
            assert drawn.weights[f, i].item() == sum(drawn.counts[f, z].item() for z in context)


def test_noise_training_sees_the_noise_token():
    drawn = global_before_context.noise_task(6, 12, 1.0).draw(replicas=1, batch=30, **how(12))
    after = drawn.tokens[..., 1:][drawn.tokens[..., :-1] == 0]
    assert (after == 5).all()
    # All noise: the noise token is known at once, the output has no share to reach (1 - a = 0).
    given = {"N": 6, "T": 12, "d": 16, "batch": 16}
    onset = global_before_context.sample_noise_training(
        Draw(2, **how(13)), of="onset", a=0.5, steps=20, every=5, **given
    )
    assert (onset > 0).all()
    gain = global_before_context.sample_noise_training(Draw(2, **how(14)), of="truncation", a=0.5, steps=4, **given)
    assert gain.shape == (2,) and (gain.abs() <= 1).all()
    with pytest.raises(ValueError, match="of must be"):
        global_before_context.sample_noise_training(Draw(2, **how()), of="loudness", steps=1, **given)


def test_three_steps_taken_find_the_output_at_infinite_width():
    # The ideal end state is right with probability about 0.86 here (enumerated by its second route); chance is 1/8.
    found = stepped.sample_stepped_accuracy(Draw(2, **how(15)), N=8, T=6, sequences=2**14)
    assert (found > 0.75).all()
    narrow = stepped.sample_stepped_accuracy(Draw(2, **how(16)), N=8, T=6, d=2, sequences=2**12)
    assert (narrow < found).all()
    with pytest.raises(ValueError, match="free must be"):
        stepped.sample_stepped_accuracy(Draw(1, **how()), N=8, T=6, free="some")


# The first cell of `paper` of each trained part, one run of it for 20 steps. The basic model's cells have 30 times the cost
# of the full model's, which comes first.
PAPER = [
    ("induction-head", "one-layer"),
    ("factual-recall-attention", "dimension-not-heads"),
    ("factual-recall-mlp", "heads-not-width"),
    ("factual-recall-mlp", "facts-slope"),
    ("k-hop", "curriculum"),
    ("in-context-denoising", "source"),
]


@pytest.mark.parametrize(("id", "name"), PAPER)
def test_the_first_published_cell_runs(id, name):
    part = next(p for p in claims[id].parts if p.name == name)
    cell = {**part.grid["paper"][0], "steps": 20}
    found = part.experiment.sample(Draw(1, **how(17)), **cell)
    assert found.shape == (1,) and np.isfinite(np.asarray(found)).all()
