"""The transformer and the bigram task: patterns, read-outs, gradients, the generator's laws, bad input."""

import math

import numpy as np
import pytest
import torch
from scipy.stats import chisquare
from support.draws import CPU, generator

from asymp.models.tasks.bigrams import BigramLaw, BigramTask, shakespeare_bigrams, text_bigrams, uniform_bigrams
from asymp.models.transformer import Shape, Transformer
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.samplers.transformers.induction_head import sample_induction_attention


def made(replicas=2, **options):
    shape = Shape(**{"vocabulary": 7, "length": 6, "d": 8, **options})
    return Transformer(shape, replicas=replicas, generator=generator(), device=CPU, dtype=torch.float64)


MODELS = [
    {},
    {"layers": 1},
    {"heads": 3, "mlp": 16},
    {"heads": 2, "head_dim": 4, "mlp": 16, "norm": True},
    {"attention": "linear", "positions": False},
    {"layers": 1, "residual": False, "queries": "last", "positions": False, "heads": 3, "head_dim": 2, "outputs": 5},
]


@pytest.mark.parametrize("options", MODELS)
def test_the_fast_pass_and_the_read_out_agree(options):
    model = made(**options)
    tokens = torch.randint(7, (2, 3, 6), generator=generator(1))
    reading = model.read(tokens)
    assert torch.allclose(model(tokens), reading.logits, atol=1e-12)
    for pattern in reading.attention:
        if model.shape.attention == "softmax":
            assert torch.allclose(pattern.sum(-1), torch.ones_like(pattern.sum(-1)))
        if pattern.shape[-2] == pattern.shape[-1]:
            assert (torch.triu(pattern, 1) == 0).all()


def test_the_future_does_not_matter():
    model = made(heads=2, head_dim=4, mlp=16, norm=True)
    tokens = torch.randint(7, (2, 3, 6), generator=generator(1))
    changed = tokens.clone()
    changed[..., 4:] = (changed[..., 4:] + 1) % 7
    assert torch.allclose(model(tokens)[:, :, :4], model(changed)[:, :, :4])
    assert not torch.allclose(model(tokens)[:, :, 4:], model(changed)[:, :, 4:])


def test_without_positions_the_last_token_sees_a_bag():
    model = made(layers=1, positions=False)
    tokens = torch.randint(7, (2, 3, 6), generator=generator(1))
    shuffled = tokens.clone()
    shuffled[..., :5] = tokens[..., [3, 0, 4, 1, 2]]
    assert torch.allclose(model(tokens)[:, :, -1], model(shuffled)[:, :, -1])
    with_positions = made(layers=1)
    assert not torch.allclose(with_positions(tokens)[:, :, -1], with_positions(shuffled)[:, :, -1])


def test_one_head_by_hand_in_plain_loops():
    model = made(replicas=1, layers=1)
    E, P, KQ, OV, U = (model[n][0].detach().numpy() for n in ("tokens", "positions", "KQ1", "OV1", "unembed"))
    tokens = [3, 1, 4, 1, 5, 2]
    x = [E[z] + P[t] for t, z in enumerate(tokens)]
    scores = [x[5] @ KQ[0] @ x[k] / math.sqrt(8) for k in range(6)]
    weights = np.exp(scores) / np.exp(scores).sum()
    expected = U @ (x[5] + OV[0] @ sum(w * v for w, v in zip(weights, x, strict=True)))
    found = model(torch.tensor(tokens)[None, None])[0, 0, -1].detach().numpy()
    assert found == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("name", ["KQ1", "OV2", "tokens"])
def test_gradients_by_finite_differences(name):
    model = made(replicas=1)
    (parameter,) = model.train_only([name])
    assert [n for n, p in model.named_parameters() if p.requires_grad] == [name]
    tokens = torch.randint(7, (1, 2, 6), generator=generator(1))
    model(tokens).square().mean().backward()
    place = (0,) * (parameter.dim() - 1) + (3,)
    h, values = 1e-5, []
    for sign in (1, -1):
        with torch.no_grad():
            parameter[place] += sign * h
            values.append(model(tokens).square().mean().item())
            parameter[place] -= sign * h
    # Central differences: rounding 1e-16/h and h^2.
    assert parameter.grad[place].item() == pytest.approx((values[0] - values[1]) / (2 * h), abs=1e-7)


def test_replicas_do_not_see_each_other():
    model = made()
    tokens = torch.randint(7, (2, 3, 6), generator=generator(1))
    model(tokens)[0].sum().backward()
    assert (model["KQ1"].grad[1] == 0).all() and (model["KQ1"].grad[0] != 0).any()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"d": 0}, "d must be"),
        ({"layers": 0}, "layers must"),
        ({"attention": "hard"}, "attention must"),
        ({"queries": "last"}, "queries"),
    ],
)
def test_impossible_shapes_are_told(options, words):
    with pytest.raises(ValueError, match=words):
        made(**options)


def test_wrong_names_and_values_are_told():
    model = made()
    with pytest.raises(ValueError, match="no parameter 'W'"):
        model.set("W", torch.zeros(1))
    with pytest.raises(ValueError, match="must have the shape"):
        model.set("KQ1", torch.zeros(3))
    with pytest.raises(ValueError, match="finite"):
        model.set("KQ1", torch.full((2, 1, 8, 8), math.nan))
    with pytest.raises(ValueError, match="tokens must have"):
        model(torch.zeros(2, 3, 9, dtype=torch.long))


def test_the_chain_follows_its_law():
    # Chi-square of free transitions against pi_b, budget 1e-7, from a law that is far from uniform.
    following = torch.rand(5, 5, generator=generator(2), dtype=torch.float64) + 0.05
    law = BigramLaw(torch.full((5,), 0.2, dtype=torch.float64), following / following.sum(1, keepdim=True))
    task = BigramTask(law, length=12, triggers=1)
    drawn = task.draw(replicas=1, batch=4000, generator=generator(3), device=CPU)
    z, after = drawn.tokens[..., :-1], drawn.tokens[..., 1:]
    trigger = int(drawn.triggers[0, 0, 0])
    for token in range(5):
        seen = np.bincount(after[z == token].numpy(), minlength=5)
        if token != trigger:
            assert chisquare(seen, law.following[token].numpy() * seen.sum()).pvalue > 1e-7
    first = np.bincount(drawn.tokens[..., 0].flatten().numpy(), minlength=5)
    assert chisquare(first).pvalue > 1e-7
    # After the trigger comes the sequence's own output, always.
    own = drawn.outputs.expand(1, 4000, 11)
    assert (after[z == trigger] == own[z == trigger]).all()
    assert chisquare(np.bincount(drawn.outputs.flatten().numpy(), minlength=5)).pvalue > 1e-7


def test_in_context_positions_by_a_loop():
    task = BigramTask(uniform_bigrams(6), length=10, triggers=2, choice="random")
    drawn = task.draw(replicas=1, batch=50, generator=generator(4), device=CPU)
    for tokens, mask, triggers in zip(
        drawn.tokens[0].tolist(), drawn.in_context[0].tolist(), drawn.triggers[0].tolist(), strict=True
    ):
        assert len(set(triggers)) == 2
        for t, (z, flag) in enumerate(zip(tokens, mask, strict=True)):
            assert flag == (z in triggers and z in tokens[:t] and t < 9)


def test_noise_takes_the_place_of_outputs():
    task = BigramTask(uniform_bigrams(8), length=10, triggers=1, noise=0.5, noise_token=7)
    drawn = task.draw(replicas=1, batch=2000, generator=generator(5), device=CPU)
    z, after = drawn.tokens[..., :-1], drawn.tokens[..., 1:]
    at = z == int(drawn.triggers[0, 0, 0])
    own = drawn.outputs.expand(1, 2000, 9)[at]
    noisy = (after[at] == 7)[own != 7].double()
    # A share of 1/2 of some 2000: 6 standard deviations are 7 %.
    assert abs(noisy.mean().item() - 0.5) < 0.07
    assert ((after[at] == 7) | (after[at] == own)).all()


def test_shakespeare_and_a_text_of_ones_own(tmp_path):
    law = shakespeare_bigrams()
    assert law.N == 65 and law.following.shape == (65, 65)
    assert law.symbols[int(law.first.argmax())] == " "
    path = tmp_path / "mine.txt"
    path.write_text("abab" * 5 + "b", encoding="utf-8")
    own = text_bigrams(path)
    # ab ten times, ba nine times, bb once.
    assert own.symbols == ("a", "b")
    assert own.following.tolist() == [[0, 1], [pytest.approx(0.9), pytest.approx(0.1)]]
    with pytest.raises(ValueError, match=r"^text must be .*'missing.txt' cannot be read"):
        text_bigrams(tmp_path / "missing.txt")


@pytest.mark.parametrize(
    "options", [{"triggers": 0}, {"triggers": 9}, {"choice": "some"}, {"noise": 2.0}, {"length": 1}]
)
def test_impossible_tasks_are_told(options):
    with pytest.raises(ValueError, match="must"):
        BigramTask(uniform_bigrams(6), **{"length": 8, "triggers": 2, **options})


def test_attention_of_an_untrained_induction_head_is_uniform():
    """Key-query matrices start at 0: position t reads t + 1 positions alike, so that the one before it has 1/(t + 1)."""
    still = {"T": 12, "steps": 1, "optimiser": {"name": "sgd", "lr": 1e-12}}
    previous = sample_induction_attention(Draw(2, generator(), CPU), of="previous", **still)
    assert previous.tolist() == pytest.approx([sum(1 / (t + 1) for t in range(1, 12)) / 11] * 2, rel=1e-6)
    # A trigger at position t that was seen before has between one and t followers among t + 1 positions.
    after = sample_induction_attention(Draw(2, generator(), CPU), of="after", **still)
    assert ((after > 1 / 12) & (after < 11 / 12)).all()
    with pytest.raises(ValueError, match="of must be"):
        sample_induction_attention(Draw(2, generator(), CPU), of="next", **still)
