"""The models of the sources are one transformer: what the experiments write out by hand, by its forward pass and gradients."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare
from support.draws import CPU, how

from asymp.models.tasks.bigrams import BigramTask, uniform_bigrams
from asymp.models.tasks.planted import PlantedTask
from asymp.models.transformer import Shape, Transformer
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.samplers.transformers import attention_learnability as learnability
from asymp.montecarlo.samplers.transformers import hallucination_phase as hallucination
from asymp.montecarlo.samplers.transformers import three_gradient_steps as three
from asymp.montecarlo.samplers.transformers.induction_weights import induction_head_by_hand


def one_query(vocabulary, length, d, outputs, **options):
    """One layer, one question asked by a vector: no positions, no residual stream."""
    shape = Shape(
        vocabulary=vocabulary, length=length, d=d, layers=1, residual=False, positions=False, causal=False,
        queries="vector", outputs=outputs, **options,
    )  # fmt: skip
    return Transformer(shape, zero=("w1", "OV1"), dtype=torch.float64, **how())


def test_the_planted_model_learns_what_its_two_steps_say():
    """Gradients of the cross-entropy by autograd, against the steps that `learnability` writes out."""
    d, N, T, n = 7, 5, 4, 30
    w, E, trigger = learnability._attention_vector(Draw(1, **how(3)).alone, d=d, N=N, T=T, n=n, balanced=False)
    # The same draws in the same order.
    again = how(3)
    E2, U = (Draw(N, **again).gaussian((d,)) for _ in range(2))
    trigger2 = Draw(1, **again).alone.gaussian((d,))
    assert torch.equal(E, E2) and torch.equal(trigger, trigger2)
    task = PlantedTask(N, T)
    drawn = task.draw(batch=n, **again)
    model = one_query(2 * N, T, d, N)
    model.set("tokens", task.embedded(E, trigger))
    model.set("unembed", U)
    tokens = drawn.marked(N)[None]
    assert torch.allclose(model.read(tokens).attention[0], torch.full((1, n, 1, 1, T), 1 / T, dtype=torch.float64))
    for name in ("OV1", "w1"):
        (parameter,) = model.train_only([name])
        loss = torch.nn.functional.cross_entropy(model(tokens)[0, :, 0], drawn.labels)
        (gradient,) = torch.autograd.grad(loss, parameter)
        # Predictions are uniform up to the size of the first step, which is taken 1e-6 small.
        model.set(name, -1e-6 * gradient)
    assert (-gradient / 1e-6)[0, 0].numpy() == pytest.approx(w.numpy(), rel=1e-4, abs=1e-9)


def test_linear_attention_on_one_hot_tokens_is_the_memory_of_facts():
    S, R, D = 4, 3, 2
    facts = hallucination._Facts(S, R, D, CPU)
    V = torch.randn(R * D, S + R, dtype=torch.float64, generator=how(1)["generator"])
    w = torch.randn(S + R, dtype=torch.float64, generator=how(2)["generator"])
    model = one_query(S + R, 2, S + R, R * D, attention="linear")
    model.set("tokens", torch.eye(S + R, dtype=torch.float64))
    model.set("w1", w[None])
    # Values and outputs together are V: one of the two d x d matrices holds it, the other is 1 where it has rows.
    wide = torch.zeros(S + R, S + R, dtype=torch.float64)
    wide[: R * D] = V
    model.set("OV1", wide[None])
    model.set("unembed", torch.eye(R * D, S + R, dtype=torch.float64))
    tokens = torch.stack([facts.subject, facts.relation], 1)[None]
    state = torch.cat([V, w[None]])
    assert torch.allclose(model(tokens)[0, :, 0], facts.logits(state))
    loss = torch.nn.functional.cross_entropy(model(tokens)[0, :, 0], facts.answer)
    dV, dw = torch.autograd.grad(loss, (model["OV1"], model["w1"]))
    slopes = facts.slope(state, 0.0)
    assert torch.allclose(-dV[0, 0, : R * D], slopes[:-1]) and torch.allclose(-dw[0, 0], slopes[-1])


def blocks(N, T):
    """One-hot blocks: tokens, positions, tokens as layer 1 carries them, outputs."""
    eye = torch.eye(3 * N + T, dtype=torch.float64)
    return eye[:N], eye[N : N + T], eye[N + T : 2 * N + T], eye[2 * N + T :]


def test_three_steps_are_steps_of_the_basic_model_on_one_hot_blocks():
    N, T = 4, 5
    E, P, V, U = blocks(N, T)
    d = 3 * N + T
    shape = Shape(vocabulary=N, length=T, d=d, layers=2)
    model = Transformer(shape, zero=("KQ1", "KQ2", "OV2"), dtype=torch.float64, **how())
    for name, value in (("tokens", E), ("positions", P), ("unembed", U)):
        model.set(name, value)
    model.set("OV1", (V.T @ E)[None])
    g = how(4)["generator"]
    KQ1, KQ2, OV2 = (torch.randn(size, dtype=torch.float64, generator=g) for size in ((T, T), (N, N), (N, N)))
    root = d**0.5  # attention divides scores by sqrt d
    model.set("KQ1", (root * P.T @ KQ1 @ P)[None])
    model.set("KQ2", (root * E.T @ KQ2 @ V)[None])
    model.set("OV2", (U.T @ OV2 @ E)[None])
    z, _ = three._sequences(Draw(1, **how(5)).alone, N, T, 30)
    expected = three._logits(z, N, KQ1, KQ2, OV2)
    assert torch.allclose(model(z[None])[0, :, -1], expected, atol=1e-10)
    # And so are the steps that are taken at any width, here at infinite width.
    taken = three._Model(Draw(1, **how()).alone, N, T, None, "nothing")
    assert torch.allclose(taken.logits(z, KQ1, KQ2, OV2), expected, atol=1e-10)
    # Without simplifications every matrix sees the whole residual stream: positions are carried too, into a block of their own.
    free = three._Model(Draw(1, **how()).alone, N, T, None, "everything")
    shapes = {name: tuple(x.shape) for name, x in free.zeros().items()}
    assert shapes == {"OV2": (N, 2 * (N + T)), "KQ2": (2 * (N + T), 2 * (N + T)), "KQ1": (N + T, N + T)}


def test_a_step_at_finite_width_is_the_step_of_the_matrix():
    """The Gram matrices of `three_steps_trained` against the d x d gradient of the transformer itself, in 9 dimensions."""
    N, T, d = 4, 5, 9
    taken = three._Model(Draw(1, **how(6)).alone, N, T, d, "everything")
    stream, outputs = (Draw(n, **g).gaussian((d,)) for g in [how(6)] for n in (2 * (N + T), N))
    z, y = three._sequences(Draw(1, **how(7)).alone, N, T, 40)
    places = torch.eye(T, dtype=torch.float64).expand(40, -1, -1)
    x = torch.cat([torch.nn.functional.one_hot(z, N).double(), places], 2)
    mask = torch.tril(torch.ones(T, T, dtype=torch.float64))
    carried = (mask / mask.sum(1, keepdim=True)) @ x
    full = torch.cat([x, carried], 2) @ stream
    W = torch.zeros(d, d, dtype=torch.float64, requires_grad=True)
    # The first step: both attentions are uniform.
    loss = torch.nn.functional.cross_entropy(full.mean(1) @ W.T @ outputs.T, y)
    (gradient,) = torch.autograd.grad(loss, W)
    expected = -outputs @ gradient @ stream.T
    found = three._stepped(taken, taken.zeros(), "OV2", [(z, y)])
    assert torch.allclose(found, expected / expected.abs().max(), atol=1e-10)


@settings(max_examples=15, deadline=None, derandomize=True)
@given(N=st.integers(3, 9), T=st.integers(4, 12), seed=st.integers(0, 99))
def test_an_induction_head_by_hand_is_exact_on_one_hot_tokens(N, T, seed):
    """Infinite width and sharp attention: every determined token is right whose trigger was not first, nor an output."""
    eye = torch.eye(3 * N + T, dtype=torch.float64)
    shape = Shape(vocabulary=N, length=T, d=3 * N + T, layers=2)
    model = Transformer(shape, dtype=torch.float64, **how())
    E, P, V, U = blocks(N, T)
    assert len(eye) == len(E) + len(P) + len(V) + len(U)
    for name, value in (("tokens", E), ("positions", P), ("unembed", U)):
        model.set(name, value)
    model.set("OV1", (V.T @ E)[None])
    induction_head_by_hand(model, 50.0)
    drawn = BigramTask(uniform_bigrams(N), length=T, triggers=1).draw(replicas=1, batch=40, **how(seed))
    guess = model(drawn.tokens[..., :-1]).argmax(-1)[0]
    z, asked = drawn.tokens[0], drawn.in_context[0]
    trigger = int(drawn.triggers[0, 0, 0])
    checked = 0
    for row in range(40):
        output = int(drawn.outputs[0, row, 0])
        if int(z[row, 0]) == trigger or output == trigger:
            continue
        for t in range(T - 1):
            if asked[row, t]:
                checked += 1
                assert int(guess[row, t]) == output
    assert checked or N > 4 or T < 8


@settings(max_examples=20, deadline=None, derandomize=True)
@given(
    heads=st.integers(1, 3), head_dim=st.sampled_from([None, 1, 3]), layers=st.integers(1, 3), mlp=st.sampled_from([0, 5]),
    norm=st.booleans(), attention=st.sampled_from(["softmax", "linear"]), seed=st.integers(0, 99),
)  # fmt: skip
def test_properties_of_every_shape(heads, head_dim, layers, mlp, norm, attention, seed):
    """Rows sum to one and are causal; without positions and causality, permuted tokens give permuted logits; read-outs agree."""
    common = {"vocabulary": 6, "d": 4, "layers": layers, "heads": heads, "head_dim": head_dim, "mlp": mlp, "norm": norm}
    tokens = torch.randint(6, (2, 3, 5), **how(seed))
    model = Transformer(
        Shape(length=5, attention=attention, **common), replicas=2, dtype=torch.float64, **how(seed + 1)
    )
    reading = model.read(tokens)
    assert torch.allclose(model(tokens), reading.logits, atol=1e-10)
    assert len(reading.attention) == layers and len(reading.streams) == layers + 1
    for pattern in reading.attention:
        assert (torch.triu(pattern, 1) == 0).all()
        if attention == "softmax":
            assert torch.allclose(pattern.sum(-1), torch.ones((), dtype=torch.float64)) and (pattern >= 0).all()
    bag = Transformer(
        Shape(length=5, attention=attention, positions=False, causal=False, **common),
        replicas=2, dtype=torch.float64, **how(seed + 2),
    )  # fmt: skip
    order = torch.randperm(5, generator=how(seed + 3)["generator"])
    assert torch.allclose(bag(tokens[..., order]), bag(tokens)[:, :, order], atol=1e-9)


@pytest.mark.parametrize("options", [{"head_dim": 2}, {"causal": True}, {"residual": True}, {"layers": 2}])
def test_a_vector_asks_in_one_layer_only(options):
    plain = {"layers": 1, "residual": False, "causal": False, "positions": False}
    with pytest.raises(ValueError, match="queries"):
        Shape(vocabulary=4, length=3, d=4, queries="vector", **{**plain, **options})


def test_planted_sequences_follow_their_law():
    """Four chi-squares at 1e-8: tokens, place, label, and the planted token given its place."""
    drawn = PlantedTask(6, 4).draw(batch=12_000, **how(8))
    own = drawn.tokens.gather(1, drawn.planted[:, None])[:, 0]
    assert torch.equal(drawn.labels, own)
    for values, count in (
        (drawn.tokens.flatten(), 6), (drawn.planted, 4), (drawn.labels, 6), (own * 4 + drawn.planted, 24)
    ):  # fmt: skip
        assert chisquare(np.bincount(values.numpy(), minlength=count)).pvalue > 1e-8
    marked = drawn.marked(6)
    assert ((marked >= 6).sum(1) == 1).all() and torch.equal(marked % 6, drawn.tokens)
    assert torch.equal((marked >= 6).int().argmax(1), drawn.planted)
    even = PlantedTask(6, 4, balanced=True).draw(batch=60, **how(9))
    assert (even.labels.bincount() == 10).all()
    with pytest.raises(ValueError, match="N must be"):
        PlantedTask(0, 3)


def test_random_triggers_and_any_output_law():
    """Triggers in proportion to pi_u, one after the other, and outputs by their trigger's row: chi-squares at 1e-8."""
    first = torch.tensor([0.4, 0.3, 0.2, 0.1], dtype=torch.float64)
    from asymp.models.tasks.bigrams import BigramLaw

    law = BigramLaw(first, torch.full((4, 4), 0.25, dtype=torch.float64))
    outputs = torch.tensor([[1, 2, 3, 4], [4, 3, 2, 1], [1, 1, 1, 7], [5, 3, 1, 1]], dtype=torch.float64) / 10
    task = BigramTask(law, length=4, triggers=2, choice="random", output_law=outputs)
    drawn = task.draw(replicas=1, batch=20_000, **how(10))
    one, two = drawn.triggers[0, :, 0].numpy(), drawn.triggers[0, :, 1].numpy()
    assert (one != two).all()
    p = first.numpy()
    expected = np.array([[0 if i == j else p[i] * p[j] / (1 - p[i]) for j in range(4)] for i in range(4)])
    seen = np.zeros((4, 4))
    np.add.at(seen, (one, two), 1)
    keep = expected > 0
    assert seen[~keep].sum() == 0 and chisquare(seen[keep], 20_000 * expected[keep]).pvalue > 1e-8
    q, o = drawn.triggers.flatten().numpy(), drawn.outputs.flatten().numpy()
    for token in range(4):
        counts = np.bincount(o[q == token], minlength=4)
        assert chisquare(counts, outputs[token].numpy() * counts.sum()).pvalue > 1e-8
    for bad in (outputs[:2], outputs * 2, -outputs):
        with pytest.raises(ValueError, match="output_law must"):
            BigramTask(law, length=4, triggers=1, output_law=bad)
