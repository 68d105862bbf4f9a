"""Laws of section 4 against differentiation, iteration and small networks."""

import itertools
import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
import sympy

from asymp.theory import laws

RNG = np.random.default_rng(4)


def near(found, wanted, digits):
    with mp.workdps(digits + 10):
        return abs(mp.mpf(found) - wanted) <= abs(mp.mpf(wanted)) * mp.mpf(10) ** -digits


def matrix(rows, columns, seed):
    """Entries that are exact in binary, so that 50 digits mean something."""
    rng = np.random.default_rng(seed)
    return [[mp.mpf(int(v)) / 8 for v in row] for row in rng.integers(-12, 13, size=(rows, columns))]


def dot(a, b):
    return mp.fsum(x * y for x, y in zip(a, b, strict=True))


def scores(U, W, x):
    hidden = [dot(row, x) for row in W]
    return [dot(u, hidden) for u in U]


def log_sum_exp(s):
    return mp.log(mp.fsum(mp.exp(v) for v in s))


def derivative(loss, W, i, j, digits=45):
    """d loss/d W_ij by a central difference: step 10^-dps/3 leaves an error of its square."""
    with mp.workdps(3 * digits):
        h = mp.mpf(10) ** -digits
        ends = []
        for sign in (1, -1):
            moved = [list(row) for row in W]
            moved[i][j] += sign * h
            ends.append(loss(moved))
        return (ends[0] - ends[1]) / (2 * h)


def test_the_gradient_with_noisy_inputs_and_an_output_that_never_occurs():
    X, labels, M, d = matrix(4, 2, 5), [0, 1, 1, 0], 3, 2
    U, W = matrix(M, d, 10), matrix(d, d, 6)

    def loss(V):
        return mp.fsum(log_sum_exp(scores(U, V, x)) - scores(U, V, x)[y] for x, y in zip(X, labels, strict=True)) / 4

    def soft(k, x, V):
        s = scores(U, V, x)
        return mp.exp(s[k] - log_sum_exp(s))

    zero = [[mp.mpf(0)] * d for _ in range(d)]
    with mp.workdps(70):
        for V in (W, zero):
            for i, j in itertools.product(range(d), range(d)):
                total = mp.mpf(0)
                for k in range(M):
                    share = mp.mpf(labels.count(k)) / 4
                    own = [x[j] for x, y in zip(X, labels, strict=True) if y == k]
                    mu = mp.fsum(own) / len(own) if own else mp.mpf(7)
                    a = mp.fsum(soft(k, x, V) * x[j] for x in X) / 4
                    row = laws["gradient-noisy-inputs"].evaluate(a=a, p=share, mu=mu, digits=55)
                    if own:
                        by_source = laws["gradient-noisy-inputs:row"].evaluate(
                            p=share, mu_hat=a / share, mu=mu, digits=55
                        )
                        assert near(by_source, row, 50)
                    else:
                        assert row != 0  # the erratum: the row of an output without samples does not vanish
                    total += row * U[k][i]
                assert near(total, derivative(loss, V, i, j), 50)
    with pytest.raises(ValueError, match="use gradient-noisy-inputs"):
        laws["gradient-noisy-inputs:row"](p=0, mu_hat=1, mu=1)


def two_tokens():
    """Loss of N = M = d = 2 in the entries of W, with e_2 = (a, sqrt(1-a^2)); the frequency of token 1 is p."""
    a, p = sympy.symbols("a p", real=True)
    w = sympy.symbols("w0:4", real=True)
    W = sympy.Matrix(2, 2, w)
    inputs = (sympy.Matrix([1, 0]), sympy.Matrix([a, sympy.sqrt(1 - a**2)]))
    loss = 0
    for x, share in ((0, p), (1, 1 - p)):
        s = W * inputs[x]
        loss += share * (sympy.log(sympy.exp(s[0]) + sympy.exp(s[1])) - s[x])
    return loss, w, W, inputs, a, p


def test_the_largest_safe_step_is_two_over_the_curvature_at_the_start():
    loss, w, _, _, a, p = two_tokens()
    start = dict.fromkeys(w, 0)
    H = sympy.hessian(loss, w).subs(start)
    for overlap, share in ((Fraction(9, 10), Fraction(3, 4)), (Fraction(-1, 2), Fraction(3, 5)), (0, Fraction(1, 2))):
        numbers = {a: sympy.Rational(overlap), p: sympy.Rational(share)}
        with mp.workdps(60):
            entries = H.subs(numbers).evalf(60)
            top = max(mp.eigsy(mp.matrix(4, 4) + mp.matrix(entries.tolist()), eigvals_only=True))
            assert near(laws["oscillation"].evaluate(a=overlap, p=share, digits=50), 2 / top, 48)
    # Elsewhere the curvature is smaller.
    away = sympy.lambdify((a, p, *w), sympy.hessian(loss, w), "numpy")
    for _ in range(200):
        point, overlap = RNG.normal(size=4) * 2, RNG.uniform(-0.95, 0.95)
        top = np.linalg.eigvalsh(np.array(away(overlap, 0.75, *point), dtype=float)).max()
        assert 2 / top >= laws["oscillation"](a=overlap, p=0.75) * (1 - 1e-9)


def steps_to_accuracy(eta, a, p, most=2000):
    """Steps after which both tokens are right for good, and whether the loss ever rose; plain gradient descent on W."""
    a = np.asarray(a, dtype=float)
    e = np.stack([np.stack([np.ones_like(a), np.zeros_like(a)]), np.stack([a, np.sqrt(1 - a**2)])])
    W = np.zeros((2, 2, *a.shape))
    last, rose, before = np.zeros(a.shape, int), np.zeros(a.shape, bool), np.full(a.shape, math.log(2))
    for k in range(1, most + 1):
        gradient = np.zeros_like(W)
        for x, share in ((0, p), (1, 1 - p)):
            s = np.einsum("ij...,j...->i...", W, e[x])
            miss = 1 / (1 + np.exp(np.clip(s[x] - s[1 - x], -700, 700)))
            sign = np.array([1.0, -1.0]) if x == 0 else np.array([-1.0, 1.0])
            gradient -= share * miss * np.einsum("i,j...->ij...", sign, e[x])
        W = W - eta * gradient
        margins = [(1 if x == 0 else -1) * np.einsum("j...,j...->...", W[0] - W[1], e[x]) for x in (0, 1)]
        last = np.where((margins[0] <= 0) | (margins[1] <= 0), k, last)
        loss = p * np.logaddexp(0, -margins[0]) + (1 - p) * np.logaddexp(0, -margins[1])
        rose |= loss > before + 1e-13
        before = loss
    return last + 1, rose


def test_large_steps_are_faster_where_the_source_says_and_not_everywhere():
    a = np.linspace(-0.99, 0.99, 199)
    small, quiet = steps_to_accuracy(1, a, 0.75)
    large, loud = steps_to_accuracy(10, a, 0.75)
    assert (large <= laws["oscillation:source"](a=0.5) * small).all()
    assert not quiet.any() and loud.any()
    assert [(int(large[i]), int(small[i])) for i in (149, 189, 198)] == [(2, 4), (6, 26), (71, 261)]
    # Both are right at once where the first step's margin of the rare token is positive, and not beyond.
    np.testing.assert_array_equal(small == 1, laws["oscillation:first-step"](a=a, p=0.75, eta=1, token="rare") > 0)
    # The erratum.
    small, _ = steps_to_accuracy(1, a, 0.55)
    large, _ = steps_to_accuracy(10, a, 0.55)
    assert (int(large[-1]), int(small[-1])) == (62, 40)
    assert a[large > small].min() == pytest.approx(0.77, abs=1e-9)


def test_steps_below_the_largest_safe_one_never_raise_the_loss():
    for overlap in (0.3, 0.9, -0.9):
        edge = laws["oscillation"](a=overlap, p=0.75)
        assert not steps_to_accuracy(0.999 * edge, overlap, 0.75, most=300)[1]
