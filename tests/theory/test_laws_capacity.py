"""Laws of section 2 that no claim simulates: naive simulations, exact quadrature, and inequalities."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import gammaln

from asymp.theory import laws
from asymp.theory.laws.capacity.mlp_capacity import variance


def sphere(rng, n, d):
    v = rng.standard_normal((n, d))
    return v / np.linalg.norm(v, axis=1, keepdims=True)


def test_at_the_square_of_d_nearly_all_is_lost():
    rng, d, N = np.random.default_rng(0), 32, laws["injective-capacity:source"](d=32)
    e, u = sphere(rng, 1024, d), sphere(rng, 1024, d)
    assert N == 1024 > 10 * laws["injective-capacity"](d=32)
    assert np.mean((u @ (u.T @ e) @ e.T).argmax(0) != np.arange(1024)) > 0.95


def test_mlp_variances_by_exact_quadrature_on_the_circle():
    # d = 2, three items: embeddings on a regular 9-gon (exact to degree 8), neurons by Gauss-Hermite rules (degree 15).
    # Given embeddings g is a mean over m independent neurons: E g^2 = E[g_1^2]/m + (1 - 1/m) E[E[g_1]^2].
    angle = 2 * np.pi * np.arange(9) / 9
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    node, weight = np.polynomial.hermite_e.hermegauss(8)
    w = np.array(list(product(node, repeat=2)))
    mass = np.array(list(product(weight, repeat=2))).prod(1) / weight.sum() ** 2
    triples = np.array([[circle[0], circle[i], circle[j]] for i in range(9) for j in range(9)])  # z first, by rotation
    for k in (1, 2, 3):
        he = [np.ones_like, lambda t: t, lambda t: (t**2 - 1) / np.sqrt(2)][k - 1]
        h = he(np.einsum("aix,nx->ain", triples, w))
        beta = h[:, :1] * h * np.einsum("aix,ax->ai", triples, triples[:, 0])[:, :, None]
        along = np.einsum("aix,nx->ain", triples, w)
        for output, y in (("target", 0), ("other", 1)):
            alpha = along[:, y : y + 1] * along
            one = [np.einsum("ain,n->ai", s, mass) for s in (alpha, beta)]
            two = [np.einsum("ain,ajn,n->aij", s, s, mass) for s in (alpha, beta)]
            mean = np.einsum("ai,bi->", *one) / 81**2
            same = np.einsum("aij,bij->", *two) / 81**2
            different = np.einsum("ai,aj,bi,bj->", one[0], one[0], one[1], one[1], optimize=True) / 81**2
            for m in (1, 5):
                wanted = same / m + (1 - 1 / m) * different - mean**2
                formula, sizes = variance(k=str(k), output=output), {"d": 2, "m": m, "N": 3}
                found = float(formula.subs({s: sizes[s.name] for s in formula.free_symbols}))
                assert found == pytest.approx(wanted, rel=1e-10)


def test_hopfield_energy_without_a_diagonal_is_exact_for_every_state():
    rng, rises = np.random.default_rng(0), 0
    for N, d in ((2, 5), (3, 4), (5, 6)):
        for _ in range(10):
            xi = rng.choice([-1, 1], (N, d))
            W = xi.T @ xi - N * np.eye(d, dtype=int)
            for state in product((-1, 1), repeat=d):
                x = np.array(state)
                field = W @ x
                after = np.where(field == 0, x, np.sign(field))
                change = -after @ W @ after + x @ W @ x
                flipped = after != x
                A, B = np.abs(field[flipped]).sum(), np.sum((xi @ (after - x)) ** 2)
                bound = laws["hopfield-energy:zero-diagonal-corrected"](N=N, F=flipped.sum(), A=A)
                assert change == bound - B <= bound
                rises += change > 0
    assert rises > 0
    xi = np.array([[-1, 1, -1, -1], [1, 1, 1, -1], [1, -1, -1, -1]])  # the example of the erratum
    W, x = xi.T @ xi - 3 * np.eye(4), -np.ones(4)
    after = np.sign(W @ x)
    assert after.tolist() == [1, 1, -1, 1] and -x @ W @ x == 0 and -after @ W @ after == 12
    one = x * [-1, 1, 1, 1]  # one bit at a time
    assert -one @ W @ one + x @ W @ x == laws["hopfield-energy:asynchronous"](h=abs((W @ x)[0])) < 0


def test_the_bound_of_the_lemma_is_kept_as_often_as_it_says():
    # at every size: by the exact union bound, or the lemma says nothing
    for d, P in product((2, 3, 8, 50, 1000), (2, 5, 100, 10**5)):
        t = laws["quasi-orthogonality:source"](P=P, d=d)
        if t < 1:
            exact = laws["quasi-orthogonality:random"](P=P, d=d, t=t)
            assert exact >= laws["quasi-orthogonality:probability"](P=P, d=d)


def test_two_inputs_of_a_lookup_layer_fire_together_with_probability_at_most_one_half():
    for d, b in ((20, 0.3), (40, 0.5), (200, 0.25)):
        N = math.floor(laws["lookup-mlp"](d=d, b=b))
        front = math.exp(gammaln(d / 2) - gammaln((d - 1) / 2)) / math.sqrt(math.pi)
        tail = quad(lambda c, d=d, front=front: front * (1 - c * c) ** ((d - 3) / 2), b, 1)[0]
        assert N * (N - 1) / 2 * tail <= 0.5
