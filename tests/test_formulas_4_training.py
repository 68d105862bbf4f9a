"""The laws of steps, stopping, optimisers, two tokens and memory matrices against naive routes."""

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


# Steps, stopping, batches


def test_the_evenness_of_the_weights_by_plain_iteration():
    with mp.workdps(60):
        for gamma, M in ((mp.mpf(10), 5), (mp.mpf(3) / 2, 2), (mp.mpf(30), 40)):
            q, first = mp.mpf(0), None
            for n in range(1, 301):
                q += gamma / (1 + mp.exp(q) / (M - 1))
                first = first or q
                if n in (1, 2, 17, 300):
                    values = {"gamma": gamma, "M": M, "n": n}
                    assert near(laws["step-size"].evaluate(**values, digits=50), q / first, 48)
                    assert q / first <= laws["step-size:plateau"].evaluate(**values, digits=30) * (
                        1 + mp.mpf(10) ** -29
                    )
    # The numbers of the erratum.
    assert [round(laws["step-size"](gamma=10, M=5, n=n), 2) for n in (1000, 10_000)] == [1.33, 1.61]
    for id, values in (("step-size:large", {"d": 10, "N": 100}), ("step-size:late", {"d": 200, "N": 100})):
        with pytest.raises(ValueError, match="d must"):
            laws[id](**values)


def test_the_best_stopping_time_is_that_of_the_error_at_large_d():
    from asymp.theory.sgd.stopping_time import best_stopping, stopping_limit

    limit = stopping_limit(alpha=2, M=5)
    assert limit.tau == pytest.approx(1.5212, abs=1e-4)
    assert limit.constant == pytest.approx(1.3242, abs=1e-4)
    assert limit.constant > 1.2655  # no weights beat the best ones
    d = 10**5
    best = best_stopping(alpha=2, M=5, d=d)
    # Corrections to the limit fall like a power of 1/d; the minimum is flat, so the error is closer than the time.
    assert laws["over-optimisation"](tau=limit.tau, alpha=2, d=d) == pytest.approx(best.gamma_T, rel=2e-2)
    assert laws["over-optimisation:error"](c=limit.constant, alpha=2, d=d) == pytest.approx(best.error, rel=1e-2)
    assert laws["over-optimisation"].exponent("d", alpha=2) == 2
    assert near(laws["over-optimisation"].evaluate(tau=1, alpha=2, d=10, digits=40), 100 * mp.mpf(math.pi) ** 2 / 6, 14)


def test_the_late_error_is_that_of_equal_weights():
    with mp.workdps(60):
        found = laws["over-optimisation:late"].evaluate(d=10, N=40, M=2, digits=50)
        assert near(found, mp.erfc(mp.sqrt(mp.mpf(20) / 40) / 2) / 2, 49)
    # Three equal scores of noise and no signal: the law at d -> 0 would be 1 - 1/M; at d M/N = 1e-8 within 1e-4 of it.
    assert laws["over-optimisation:late"](d=1, N=3 * 10**8, M=3) == pytest.approx(2 / 3, abs=1e-4)
    assert laws["over-optimisation:late"](d=[10, 20], N=40, M=5).shape == (2,)


def test_the_margin_of_a_pass_in_batches_is_bounded():
    N = M = 6
    rng = np.random.default_rng(8)
    for eta, B in ((0.5, 1), (3.0, 4), (20.0, 16), (2.0, 64)):
        samples = rng.choice(N, size=64, p=np.arange(1, 7) / 21)
        g = np.zeros((N, M))  # orthonormal embeddings: scores are the entries of W
        for batch in samples.reshape(-1, B):
            soft = np.exp(g - g.max(axis=1, keepdims=True))
            soft /= soft.sum(axis=1, keepdims=True)
            for x in batch:
                g[x] += eta / B * (np.eye(M)[x] - soft[x])
        for x in range(N):
            margin = g[x, x] - max(np.delete(g[x], x))
            bound = laws["batch-size:margin"](eta=eta, n=int((samples == x).sum()), B=B)
            assert margin <= bound * (1 + 1e-13)
            if B == 64:
                assert margin == pytest.approx(bound, rel=1e-13)


def test_sign_descent_moves_by_lr_and_entries_by_lr_over_d():
    d, lr = 12, 0.7
    steps = [lr / d * np.sign(RNG.normal(size=(d, d))) for _ in range(9)]
    assert np.linalg.norm(steps[0]) == pytest.approx(laws["adam:step"](d=d, lr=lr), rel=1e-14)
    assert np.abs(sum(steps)).max() <= laws["adam:entry"](d=d, lr=lr, n=9) * (1 + 1e-14)


def test_the_gain_of_layer_norm_by_differentiation():
    x, y = sympy.symbols("x y", real=True)
    eps = sympy.Symbol("epsilon", positive=True)
    h = sympy.Symbol("h", positive=True)
    normed = sympy.Matrix([x, y]) / sympy.sqrt(x**2 + y**2 + eps)
    jacobian = normed.jacobian([x, y]).subs({x: h, y: 0})
    for entry, direction in ((jacobian[0, 0], "radial"), (jacobian[1, 1], "tangent")):
        wanted = laws["layer-norm:gain"](h=h, epsilon=eps, direction=direction)
        assert sympy.simplify(entry - wanted) == 0
    assert jacobian[0, 1] == jacobian[1, 0] == 0


def test_the_published_grid():
    grid = laws["training-grid"]
    published = {
        "sgd": [0.0638, 0.0307, 0.0183],
        "adam": [0.0984, 0.0458, 0.0284],
        "adam-norm": [0.0815, 0.0255, 0.0143],
        "all-learned": [0.0020, 0.0015, 0.0012],
    }
    for setting, errors in published.items():
        np.testing.assert_allclose(grid(d=[10, 100, 1000], setting=setting), errors, rtol=1e-15)
    np.testing.assert_allclose(laws["training-grid:deviation"](d=[10, 100, 1000]), [0.0167, 0.0037, 0.0024], rtol=1e-15)
    ratio = np.array(published["adam-norm"]) / published["adam"]
    np.testing.assert_allclose(laws["layer-norm:published"](d=[10, 100, 1000]), ratio, rtol=1e-14)
    assert (ratio <= laws["layer-norm"](d=10, B=1024, lr=1)).all()
    assert near(grid.evaluate(d=100, digits=50), mp.mpf(307) / 10_000, 14)
    with pytest.raises(ValueError, match="one of the published sizes"):
        grid(d=50)
    with pytest.raises(ValueError, match="setting must be one of"):
        grid(d=10, setting="sign")


# Two tokens


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


def test_the_margins_after_the_first_step_by_differentiation():
    loss, w, W, inputs, a, p = two_tokens()
    eta = sympy.Symbol("eta", positive=True)
    step = {v: -eta * sympy.diff(loss, v).subs(dict.fromkeys(w, 0)) for v in w}
    for x, token in ((0, "frequent"), (1, "rare")):
        s = W.subs(step, simultaneous=True) * inputs[x]
        wanted = laws["oscillation:first-step"](eta=eta, a=a, p=p, token=token)
        assert sympy.simplify(s[x] - s[1 - x] - wanted) == 0
    edge = laws["oscillation:threshold"](p=p)
    assert sympy.simplify(laws["oscillation:first-step"](eta=eta, a=edge, p=p)) == 0


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
    # Both are right at once below the threshold, and not above.
    np.testing.assert_array_equal(small == 1, a < laws["oscillation:threshold"](p=0.75))
    # The erratum.
    small, _ = steps_to_accuracy(1, a, 0.55)
    large, _ = steps_to_accuracy(10, a, 0.55)
    assert (int(large[-1]), int(small[-1])) == (62, 40)
    assert a[large > small].min() == pytest.approx(0.77, abs=1e-9)


def test_steps_below_the_largest_safe_one_never_raise_the_loss():
    for overlap in (0.3, 0.9, -0.9):
        edge = laws["oscillation"](a=overlap, p=0.75)
        assert not steps_to_accuracy(0.999 * edge, overlap, 0.75, most=300)[1]


# The memory matrix


def test_the_memory_matrix_is_the_softmax():
    M = 5
    s = [mp.mpf(v) / 4 for v in (3, -2, 7, 0, 1)]
    with mp.workdps(60):
        weights = [mp.exp(v) for v in s]
        wanted = [v / mp.fsum(weights) for v in weights]
        lse = mp.log(mp.fsum(weights))
        row = [laws["memory-matrix"].evaluate(s=v, lse=lse, digits=50) for v in s]
        assert all(near(found, exact, 48) for found, exact in zip(row, wanted, strict=True))
        assert max(row) == row[2] >= laws["memory-matrix:argmax"](M=M)
        q = mp.mpf(9) / 4
        exact = mp.exp(q) / (mp.exp(q) + M - 1)
        assert near(laws["memory-matrix:scheme"].evaluate(q=q, M=M, digits=50), exact, 48)
    with pytest.raises(ValueError, match="s must be at most lse"):
        laws["memory-matrix"](s=2, lse=1)


IDS = [
    "gradient-as-memory",
    "gradient-noisy-inputs",
    "backward-vector",
    "one-step-memory",
    "one-step-filter",
    "one-step-population",
    "sgd-map-as-power",
    "sgd-approximation",
    "step-size",
    "over-optimisation",
    "batch-size",
    "adam",
    "layer-norm",
    "training-grid",
    "oscillation",
    "memory-matrix",
]


def test_every_erratum_of_these_laws_names_a_law_that_exists():
    own = [id for id in laws if id.split(":")[0] in IDS]
    assert {id.split(":")[0] for id in own} == set(IDS)
    assert all(erratum.corrected_by in own for id in own for erratum in laws[id].errata)
