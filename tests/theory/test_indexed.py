"""Formulas of vectors and matrices against plain loops."""

import math

import numpy as np
import pytest
import sympy

from asymp.theory.indexed import evaluate

i, j, k, z = sympy.symbols("i j k z", integer=True)
p, t, u, e, x = (sympy.IndexedBase(name) for name in "ptuex")
beta = sympy.Symbol("beta")
RANDOM = np.random.default_rng(0)


def total(body, *over):
    return sympy.Sum(body, *((index, 1, sympy.oo) for index in over))


def test_a_sum_of_outer_products_for_every_replica():
    P, T, U, E = RANDOM.random((2, 3)), RANDOM.random((2, 3, 4)), RANDOM.random((2, 4, 5)), RANDOM.random((2, 3, 6))
    expr = total(p[z] * (1 - t[z, k]) * u[k, i] * e[z, j], z, k)
    found = evaluate(expr, {"p": P, "t": T, "u": U, "e": E}, indices=("i", "j"))
    wanted = np.zeros((2, 5, 6))
    for r in range(2):
        for a in range(5):
            for b in range(6):
                wanted[r, a, b] = sum(
                    P[r, c] * (1 - T[r, c, m]) * U[r, m, a] * E[r, c, b] for c in range(3) for m in range(4)
                )
    assert found.shape == wanted.shape
    assert np.abs(found - wanted).max() < 1e-13


def test_functions_of_sums_and_a_plain_symbol_for_every_replica():
    """Softmax attention, written with the index of the inner sum under another name."""
    X, Q, B = RANDOM.normal(size=(3, 4, 2)), RANDOM.normal(size=(3, 2)), np.array([0.5, 1.0, 2.0])
    q = sympy.IndexedBase("q")
    score = total(x[k, j] * q[j], j)
    other = total(x[z, j] * q[j], j)
    expr = total(x[k, i] * sympy.exp(beta * score), k) / total(sympy.exp(beta * other), z)
    found = evaluate(expr, {"x": X, "q": Q, "beta": B}, indices=("i",))
    for r in range(3):
        scores = [math.exp(B[r] * sum(X[r, n, c] * Q[r, c] for c in range(2))) for n in range(4)]
        for c in range(2):
            wanted = sum(s * X[r, n, c] for n, s in enumerate(scores)) / sum(scores)
            assert math.isclose(found[r, c], wanted, rel_tol=1e-13)


def test_a_sum_over_an_index_that_the_term_does_not_have_is_a_multiple():
    found = evaluate(
        total(p[z] + 1, z) + total(beta, k) * 0 + total(t[z, k], z, k),
        {"p": np.ones(3), "t": np.ones((3, 2)), "beta": 1.0},
    )
    assert found == 3 + 3 + 6
    assert evaluate(
        total(total(p[z], z) * beta, k) + t[i, k],
        {"p": np.ones(3), "t": np.ones((1, 2)), "beta": 2.0},
        indices=("i", "k"),
    ).tolist() == [[13.0, 13.0]]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"p": np.ones(3)}, "the formula needs t"),
        ({"p": np.ones(3), "t": np.ones((4, 2))}, "the index z is of length"),
        ({"p": np.ones(3), "t": np.ones(3)}, "t has 2 indices"),
        ({"p": np.ones(3), "t": np.ones((3, 2))}, "free indices k"),
    ],
)
def test_arrays_that_do_not_fit_are_one_sentence(given, words):
    with pytest.raises(ValueError, match=words):
        evaluate(total(p[z] * t[z, k], z), given)
