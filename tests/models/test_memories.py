"""The memories other than the linear one, each against its formula written out in loops."""

import itertools
import math

import pytest
import torch

from asymp.models import (
    Attention,
    Dense,
    Given,
    Hebbian,
    HermiteMLP,
    Hopfield,
    LookupMLP,
    LowRank,
    ReluMLP,
    TwoInputMLP,
)
from asymp.models.hermite_mlp import hermite

# Sums of at most a few hundred products of numbers of order ten: relative rounding below 1e-13.
CLOSE = {"rtol": 1e-12, "atol": 1e-12}


def numbers(*shape, seed=0):
    return torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def signs(*shape, seed=0):
    drawn = torch.randint(2, shape, generator=torch.Generator().manual_seed(seed))
    return 2.0 * drawn.to(torch.float64) - 1


E_, U_ = numbers(2, 5, 4, seed=1), numbers(2, 3, 6, seed=2)
TARGETS = torch.tensor([[0, 1, 2, 0, 1], [2, 2, 1, 0, 0]])


def test_low_rank_scores_are_those_of_the_matrix():
    G = numbers(2, 6, 3, seed=3)
    memory = LowRank(G).store(E_, U_, TARGETS)
    for r in range(2):
        W = G[r] @ G[r].T @ sum(torch.outer(U_[r, TARGETS[r, x]], E_[r, x]) for x in range(5))
        torch.testing.assert_close(memory.score(E_)[r], (U_[r] @ W @ E_[r].T).T, **CLOSE)


def test_hermite_polynomials_are_orthonormal():
    # Gauss quadrature with 20 nodes is exact up to degree 39.
    import numpy as np

    x, w = np.polynomial.hermite_e.hermegauss(20)
    table = torch.stack([hermite(torch.tensor(x), k) for k in range(6)])
    gram = table @ torch.diag(torch.tensor(w / math.sqrt(2 * math.pi))) @ table.T
    torch.testing.assert_close(gram, torch.eye(6, dtype=torch.float64), rtol=0, atol=1e-11)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_hermite_layer_is_one_gradient_step(k):
    # The step is the gradient of sum_x u_f(x) . sum_i v_i s(w_i . e_x) in w_i; the answer its first-order effect.
    w, v = numbers(2, 7, 4, seed=4), numbers(2, 7, 6, seed=5)
    memory = HermiteMLP(w, v, k=k).store(E_, U_, TARGETS)
    activation = {1: lambda t: t, 2: lambda t: t**2 / 2, 3: lambda t: (t**3 / 3 - t) / math.sqrt(2)}[k]
    for r in range(2):
        moved = w[r].clone().requires_grad_()
        total = sum(U_[r, TARGETS[r, x]] @ (v[r].T @ activation(moved @ E_[r, x])) for x in range(5))
        (step,) = torch.autograd.grad(total, moved)
        torch.testing.assert_close(memory.moved[r].detach(), step, **CLOSE)
        for z in range(5):
            _, effect = torch.func.jvp(lambda t: v[r].T @ activation(t @ E_[r, z]), (w[r],), (step,))  # noqa: B023
            torch.testing.assert_close(memory.score(E_)[r, z].detach(), U_[r] @ effect / 7, **CLOSE)


def test_two_inputs_are_the_double_sum():
    w, v = numbers(1, 9, 3, seed=6), numbers(1, 9, 3, seed=7)
    pairs, outputs, targets = numbers(1, 6, 6, seed=8), numbers(1, 4, 5, seed=9), torch.tensor([0, 1, 2, 3, 0, 1])
    memory = TwoInputMLP(w, v, p=2).store(pairs, outputs, targets)

    def feature(i, x):
        a, b = w[0, i] @ pairs[0, x, :3], v[0, i] @ pairs[0, x, 3:]
        return (a**2 - 1) * (b**2 - 1) / 2

    for z, y in itertools.product(range(6), range(4)):
        wanted = sum(
            feature(i, z) * feature(i, x) * (outputs[0, y] @ outputs[0, targets[x]]) for i in range(9) for x in range(6)
        )
        torch.testing.assert_close(memory.score(pairs)[0, z, y].detach(), wanted / 9, **CLOSE)


@pytest.mark.parametrize("diagonal", ["zero", "kept"])
def test_hopfield_is_its_matrix(diagonal):
    patterns, states = signs(2, 5, 8, seed=10), signs(2, 3, 8, seed=11)
    memory = Hopfield(diagonal=diagonal).store(patterns)
    for r, s in itertools.product(range(2), range(3)):
        W = patterns[r].T @ patterns[r]
        if diagonal == "zero":
            W = W - torch.diag(torch.diag(W))
        x = states[r, s]
        h = W @ x
        assert torch.equal(memory.step(states)[r, s], torch.where(h == 0, x, torch.sign(h)))
        assert memory.energy(states)[r, s] == -(x @ h)


def test_a_matrix_that_is_given_is_used_as_it_stands():
    V = numbers(2, 6, 4, seed=27)
    memory = Given(V).store(E_, U_, TARGETS)
    for r in range(2):
        torch.testing.assert_close(memory.score(E_)[r].detach(), (U_[r] @ V[r] @ E_[r].T).T, **CLOSE)


@pytest.mark.parametrize("k", [2, 3, 4, "exponential"])
def test_dense_bits_go_to_the_lower_energy(k):
    patterns, states = signs(1, 6, 7, seed=12), signs(1, 4, 7, seed=13)
    memory = Dense(k).store(patterns)
    moved = memory.step(states)
    for s, i in itertools.product(range(4), range(7)):
        up, down = states[:, s : s + 1].clone(), states[:, s : s + 1].clone()
        up[..., i], down[..., i] = 1.0, -1.0
        gap = float(memory.energy(down) - memory.energy(up))
        # whole numbers below 7^4 * 6 for a degree; exponentials are compared beyond their rounding
        if abs(gap) > (1e-12 if k == "exponential" else 0):
            assert moved[0, s, i] == math.copysign(1, gap)
        elif k != "exponential":
            assert moved[0, s, i] == states[0, s, i]


def test_dense_of_degree_two_is_a_hopfield_net_without_diagonal():
    patterns, states = signs(3, 9, 12, seed=14), signs(3, 5, 12, seed=15)
    assert torch.equal(Dense(2).store(patterns).step(states), Hopfield().store(patterns).step(states))


def test_attention_is_the_gradient_step_and_goes_downhill():
    memory = Attention(0.7).store(numbers(2, 6, 5, seed=16))
    x = numbers(2, 3, 5, seed=17).requires_grad_()
    (slope,) = torch.autograd.grad(memory.energy(x).sum(), x)
    torch.testing.assert_close((x - slope).detach(), memory.step(x).detach(), **CLOSE)
    assert (memory.energy(memory.step(x)) <= memory.energy(x)).all()


def test_lookup_is_the_sum_over_neurons():
    inputs = torch.nn.functional.normalize(numbers(2, 5, 4, seed=18), dim=-1)
    memory = LookupMLP(0.2).store(inputs, U_, TARGETS)
    for r, z in itertools.product(range(2), range(5)):
        answer = sum(U_[r, TARGETS[r, x]] * max(0.0, float(inputs[r, x] @ inputs[r, z]) - 0.2) for x in range(5))
        torch.testing.assert_close(memory.score(inputs)[r, z].detach(), U_[r] @ answer, **CLOSE)


def test_relu_layer_and_its_loss():
    first, second, bias = numbers(2, 3, 4, seed=20), numbers(2, 6, 3, seed=21), numbers(2, 3, seed=22)
    memory = ReluMLP(first, second, bias).store(E_, U_, TARGETS)
    losses = []
    for r in range(2):
        scores = torch.stack([U_[r] @ (second[r] @ (first[r] @ e + bias[r]).clamp(min=0)) for e in E_[r]])
        torch.testing.assert_close(memory.score(E_)[r].detach(), scores, **CLOSE)
        losses.append(torch.nn.functional.cross_entropy(2 * scores, TARGETS[r]))
    torch.testing.assert_close(memory.cross_entropy(2.0).detach(), torch.stack(losses), **CLOSE)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: LowRank(numbers(2, 6, 0)), "factor must have"),
        (lambda: HermiteMLP(numbers(1, 2, 3), numbers(1, 2, 3), k=0), "k must be an integer >= 1"),
        (lambda: HermiteMLP(numbers(1, 2, 3), numbers(1, 4, 3)), r"values must have the shape \(replicas, m, d_out\)"),
        (lambda: HermiteMLP(numbers(1, 0, 3), numbers(1, 0, 3)), "directions must have .* none of them 0"),
        (lambda: HermiteMLP(numbers(1, 2, 3) * math.inf, numbers(1, 2, 3)), "directions must be finite"),
        (lambda: HermiteMLP(numbers(2, 2, 3), numbers(2, 2, 6)).store(E_, U_, TARGETS), "directions must have"),
        (lambda: LowRank(numbers(2, 6, 3) / 0), "factor must be finite"),
        (lambda: LowRank(numbers(2, 5, 3)).store(E_, U_, TARGETS), "factor must have"),
        (lambda: TwoInputMLP(numbers(1, 0, 3), numbers(1, 0, 3)), "directions must have .* none of them 0"),
        (lambda: TwoInputMLP(numbers(1, 2, 3), numbers(1, 2, 4)), "other_directions must have"),
        (lambda: TwoInputMLP(numbers(2, 3, 3), numbers(2, 3, 3)).store(E_, U_, TARGETS), "inputs must be .* pairs"),
        (lambda: ReluMLP(numbers(1, 0, 3), numbers(1, 3, 0)), "first must have .* none of them 0"),
        (lambda: ReluMLP(numbers(1, 2, 3), numbers(1, 3, 2), numbers(1, 3)), "bias must have"),
        (lambda: ReluMLP(numbers(2, 3, 4), numbers(2, 5, 3)).store(E_, U_, TARGETS), "second must have"),
        (lambda: Given(numbers(2, 6, 4) * math.nan), "weight must be finite"),
        (lambda: Given(numbers(2, 4, 6)).store(E_, U_, TARGETS), "weight must have"),
        (lambda: Hebbian(numbers(4)).store(E_, U_, TARGETS), "weights must have the shape"),
        (lambda: Hebbian(numbers(5) * math.inf), "weights must be finite"),
        (lambda: TwoInputMLP(numbers(1, 2, 3), numbers(1, 2, 3), p=0), "p must be an integer >= 1"),
        (lambda: Dense(1), "k must be an integer >= 2"),
        (lambda: Hopfield(diagonal="none"), "diagonal must be"),
        (lambda: Attention(0.0), "beta must be a number > 0"),
        (lambda: Attention(math.nan), "beta must be a number > 0"),
        (lambda: LookupMLP(1.0), "b must lie in"),
        (lambda: Hopfield().store(signs(1, 3, 4), signs(1, 3, 4, seed=1)), "answers with the pattern itself"),
        (lambda: LookupMLP(0.5).store(E_, U_, TARGETS + 1), "targets must lie in"),
        (lambda: LookupMLP(0.5).store(E_ * math.nan, U_, TARGETS), "finite"),
        (lambda: ReluMLP(numbers(1, 2, 3), numbers(1, 3, 4)), "second must have"),
    ],
)
def test_bad_input_is_named(make, said):
    with pytest.raises(ValueError, match=said):
        make()
