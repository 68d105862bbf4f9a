"""The laws of gradients and optimisation against naive routes: differentiation, iteration, small networks."""

import itertools
import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
import sympy

from asymp.theory import laws


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


# Gradients


def test_the_gradient_is_a_sum_of_outer_products():
    N, M, d = 3, 4, 2
    E, U, W = matrix(N, d, 1), matrix(M, d, 2), matrix(d, d, 3)
    p = [mp.mpf(1) / 2, mp.mpf(1) / 4, mp.mpf(1) / 4]
    joint = [[mp.mpf(v) / 8 for v in row] for row in ([8, 0, 0, 0], [1, 2, 5, 0], [0, 4, 0, 4])]

    def loss(V):
        total = mp.mpf(0)
        for z in range(N):
            s = scores(U, V, E[z])
            total += p[z] * mp.fsum(joint[z][k] * (log_sum_exp(s) - s[k]) for k in range(M))
        return total

    with mp.workdps(70):
        wanted = [[derivative(loss, W, i, j) for j in range(d)] for i in range(d)]
        found = [[mp.mpf(0)] * d for _ in range(d)]
        for z, k in itertools.product(range(N), range(M)):
            s = scores(U, W, E[z])
            lse = log_sum_exp(s)
            c = laws["gradient-as-memory"].evaluate(p=p[z], s=s[k], lse=lse, t=joint[z][k], digits=55)
            by_source = laws["gradient-as-memory:source"].evaluate(
                p=p[z], p_hat=mp.exp(s[k] - lse), t=joint[z][k], digits=55
            )
            assert near(by_source, c, 50)
            for i, j in itertools.product(range(d), range(d)):
                found[i][j] += c * U[k][i] * E[z][j]
        for i, j in itertools.product(range(d), range(d)):
            assert near(found[i][j], wanted[i][j], 50)


def test_the_gradient_by_symbolic_differentiation_in_the_score():
    # One input, M outputs: d/ds_k of p (log sum exp(s) - s_f), all other scores being s_f - m.
    p, m = sympy.symbols("p m", positive=True)
    for M in (2, 3, 5):
        s = sympy.symbols(f"s0:{M}", real=True)
        loss = p * (sympy.log(sum(sympy.exp(v) for v in s)) - s[0])
        equal = {s[0]: m, **dict.fromkeys(s[1:], 0)}
        by_margin = laws["gradient-as-memory:margin"](p=p, m=m, M=M)
        assert sympy.simplify(sympy.diff(loss, s[0]).subs(equal) - by_margin) == 0
        # A row of the gradient sums to zero.
        assert sympy.simplify(sum(sympy.diff(loss, v) for v in s)) == 0


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
        for V, start in ((W, False), (zero, True)):
            for i, j in itertools.product(range(d), range(d)):
                total = mp.mpf(0)
                for k in range(M):
                    share = mp.mpf(labels.count(k)) / 4
                    own = [x[j] for x, y in zip(X, labels, strict=True) if y == k]
                    mu = mp.fsum(own) / len(own) if own else mp.mpf(7)
                    a = mp.fsum(soft(k, x, V) * x[j] for x in X) / 4
                    row = laws["gradient-noisy-inputs"].evaluate(a=a, p=share, mu=mu, digits=55)
                    if own:
                        by_source = laws["gradient-noisy-inputs:source"].evaluate(
                            p=share, mu_hat=a / share, mu=mu, digits=55
                        )
                        assert near(by_source, row, 50)
                    else:
                        assert row != 0  # the erratum: the row of an output without samples does not vanish
                    if start:
                        mean = mp.fsum(x[j] for x in X) / 4
                        assert near(
                            laws["gradient-noisy-inputs:start"].evaluate(m=mean, M=M, p=share, mu=mu, digits=55),
                            row,
                            50,
                        )
                    total += row * U[k][i]
                assert near(total, derivative(loss, V, i, j), 50)
    with pytest.raises(ValueError, match="use gradient-noisy-inputs"):
        laws["gradient-noisy-inputs:source"](p=0, mu_hat=1, mu=1)


def test_the_backward_vector_inside_a_deep_network():
    # x = tanh(A z), x~ = W x, l = log(1 + sum tanh(x~)^2): dl/dx~ by hand.
    A, W, data = matrix(2, 2, 7), matrix(2, 2, 8), matrix(5, 2, 9)

    def forward(V, z):
        x = [mp.tanh(dot(row, z)) for row in A]
        return x, [dot(row, x) for row in V]

    def loss(V):
        return mp.fsum(mp.log(1 + mp.fsum(mp.tanh(v) ** 2 for v in forward(V, z)[1])) for z in data) / 5

    with mp.workdps(70):
        for i, j in itertools.product(range(2), range(2)):
            backward, inputs = [], []
            for z in data:
                x, out = forward(W, z)
                t = mp.tanh(out[i])
                backward.append(2 * t * (1 - t**2) / (1 + mp.fsum(mp.tanh(v) ** 2 for v in out)))
                inputs.append(x[j])
            g, m = mp.fsum(backward) / 5, mp.fsum(inputs) / 5
            c = dot([b - g for b in backward], [v - m for v in inputs]) / 5
            assert near(
                laws["backward-vector:source"].evaluate(g=g, m=m, c=c, digits=55), derivative(loss, W, i, j), 50
            )
    for id in ("backward-vector", "gradient-as-memory:deviation", "gradient-noisy-inputs:deviation"):
        assert laws[id](d=5) == 0


# One step


def uniform_step(E, U, f, eta):
    """-eta times the gradient at W = 0 of the mean cross-entropy over the rows of E: the softmax is 1/M."""
    N, M = len(E), len(U)
    residual = np.full((N, M), -1 / M)
    residual[np.arange(N), f] += 1
    return eta / N * U.T @ residual.T @ E


def test_one_step_scores_with_orthonormal_embeddings():
    N, M, eta = 6, 3, 2.5
    E, U, f = np.eye(6), np.eye(6)[:M], np.arange(N) % M
    g = (U @ uniform_step(E, U, f, eta) @ E.T).T
    for z, k in itertools.product(range(N), range(M)):
        output = "target" if f[z] == k else "other"
        # Products of a few numbers of order one: rounding of 1e-16 each.
        assert g[z, k] == pytest.approx(laws["one-step-memory"](eta=eta, N=N, M=M, output=output), rel=1e-14)
        assert g[z, k] == pytest.approx(laws["one-step-population"](eta=eta, p=1 / N, M=M, output=output), rel=1e-14)
    assert g[0, 0] - g[0, 1] == pytest.approx(laws["one-step-population:margin"](eta=eta, p=1 / N), rel=1e-14)
    # The source's 1/N is right for M = N, and only there.
    for output in ("target", "other"):
        same = laws["one-step-memory"](eta=eta, N=N, M=N, output=output)
        assert same == pytest.approx(laws["one-step-memory:source"](eta=eta, N=N, output=output), rel=1e-15)
        assert abs(laws["one-step-memory"](eta=eta, N=N, M=M, output=output) - same) > 0.01


def test_the_coefficients_of_a_population_step_are_minus_eta_times_the_gradient():
    eta, M = Fraction(7, 2), 5
    with mp.workdps(60):
        lse = mp.log(5)
        for output, t in (("target", 1), ("other", 0)):
            c = laws["gradient-as-memory"].evaluate(p=Fraction(1, 8), s=0, lse=lse, t=t, digits=50)
            q = laws["one-step-population"].evaluate(eta=eta, p=Fraction(1, 8), M=M, output=output, digits=50)
            assert near(q, -mp.mpf(7) / 2 * c, 48)


def embeddings(kind, replicas, count, d, rng):
    v = rng.standard_normal((replicas, count, d)) / math.sqrt(d)
    return v if kind == "gaussian" else v / np.linalg.norm(v, axis=2, keepdims=True)


@pytest.mark.parametrize(
    ("inputs", "outputs"), [("gaussian", "gaussian"), ("sphere", "gaussian"), ("gaussian", "sphere")]
)
def test_one_step_variances_against_plain_simulation(inputs, outputs):
    # Squared deviations of 400000 replicas in 400 blocks of 1000: the mean of the blocks is normal to high accuracy,
    # 6 standard errors fail with probability 2e-9 each.
    replicas, d, N, M, eta = 400_000, 3, 4, 2, 4.0
    rng = np.random.default_rng(11)
    f = np.arange(N) % M
    E, U = (embeddings(kind, replicas, size, d, rng) for kind, size in ((inputs, N), (outputs, M)))
    residual = np.full((N, M), -1 / M)
    residual[np.arange(N), f] += 1
    # score(k) at z = 0: (eta/N) sum_{x, w} residual_xw (e_x.e_0)(u_k.u_w)
    left = np.einsum("rxi,ri->rx", E, E[:, 0])
    g = eta / N * np.einsum("rx,xw,rwi,rki->rk", left, residual, U, U, optimize=True)
    words = {"inputs": inputs, "outputs": outputs}
    shared = {"d": d, "eta": eta, "N": N, "M": M, **words}
    checks = [
        (g[:, 0], laws["one-step-memory:variance"](n_y=2, output="target", **shared)),
        (g[:, 1], laws["one-step-memory:variance"](n_y=2, output="other", **shared)),
        (g[:, 0] - g[:, 1], laws["one-step-memory:margin-variance"](n_f=2, n_y=2, **shared)),
    ]
    # The filter: W = (eta/n) sum_k u_k (e_k - mean)^T on n = 2 labels, x = e_0 + noise.
    noise = rng.standard_normal((replicas, d)) / math.sqrt(d)
    x = E[:, 0] + noise
    n = 2
    centred = E[:, :n] - E[:, :n].mean(axis=1, keepdims=True)
    h = eta / n * np.einsum("rwi,ri,rwj,rkj->rk", centred, x, U, U, optimize=True)
    for k, output in ((0, "target"), (1, "other")):
        checks.append((h[:, k], laws["one-step-filter:variance"](d=d, eta=eta, N=n, output=output, **words)))
        wanted = laws["one-step-filter"](eta=eta, N=n, output=output)
        assert abs(h[:, k].mean() - wanted) < 6 * h[:, k].std() / math.sqrt(replicas)
    for values, wanted in checks:
        squares = (values - values.mean()) ** 2
        blocks = squares.reshape(400, -1).mean(axis=1)
        assert abs(blocks.mean() - wanted) < 6 * blocks.std(ddof=1) / math.sqrt(400)


def test_noise_in_the_input_leaves_no_trace_in_the_step():
    # x = e_y + p_t over all pairs (y, t): orthonormal e, u and arbitrary p_t.
    N, T, d, eta = 4, 3, 8, 2.0
    E, U, P = np.eye(d)[:N], np.eye(d)[:N], np.random.default_rng(3).normal(size=(T, d))
    P[:, :N] = 0  # so that recall sees no overlap
    X = np.array([E[y] + P[t] for y in range(N) for t in range(T)])
    W = uniform_step(X, U, np.repeat(np.arange(N), T), eta)
    for y, t, k in itertools.product(range(N), range(T), range(N)):
        output = "target" if y == k else "other"
        # 12 samples of order one: rounding of a few 1e-16
        assert U[k] @ W @ (E[y] + P[t]) == pytest.approx(
            laws["one-step-filter"](eta=eta, N=N, output=output), abs=1e-14
        )
    assert laws["one-step-filter:source"](eta=2, N=4) - laws["one-step-filter"](eta=2, N=4) == pytest.approx(
        2 / 16, rel=1e-14
    )


def test_the_accuracy_threshold_solves_its_equation_and_has_its_limits():
    with mp.workdps(50):
        for N, M in ((100, 100), (1000, 7), (500, 500)):
            d = laws["one-step-memory:accuracy"].evaluate(N=N, M=M, digits=40)
            assert near(d**2 / (1 + d / M), 4 * N * mp.log(N * M), 38)
    # Injective: sqrt(8 N log N) (1 + 4 log N/sqrt(8 N log N) + ...): the correction is 2e-3 at N = 10^8.
    N = 10**8
    ratio = laws["one-step-memory:accuracy"](N=N, M=N) / laws["one-step-memory:injective"](N=N)
    assert 0 < ratio - 1 < 1.1 * 4 * math.log(N) / math.sqrt(8 * N * math.log(N))
    # The exact margin variance over the squared mean is 2 (N/(M d) + N/d^2) up to O(M/N) + O(1/sqrt N).
    N, M, d = 10**6, 10**3, 10**4
    exact = laws["one-step-memory:margin-variance"](
        d=d, eta=1, N=N, M=M, n_f=N // M, n_y=N // M, inputs="sphere", outputs="sphere"
    )
    assert exact * N**2 / (2 * (N / (M * d) + N / d**2)) == pytest.approx(1, abs=2e-2)


# The map as a power, and as an approximation


def plain_weights(gamma, M, N):
    """q(x) for n_x = ((N+3)/(x+3))^2, by iterating the map and interpolating."""
    top = ((N + 3) ** 2) // 16 + 2
    table = [mp.mpf(0)]
    for _ in range(top):
        table.append(table[-1] + gamma / (1 + mp.exp(table[-1]) / (M - 1)))
    found = []
    for x in range(1, N + 1):
        n = mp.mpf((N + 3) ** 2) / (x + 3) ** 2
        low = (N + 3) ** 2 // (x + 3) ** 2
        found.append(table[low] + (n - low) * (table[low + 1] - table[low]))
    return found


@pytest.mark.parametrize("fit", ["log-log", "linear", "anchored"])
def test_the_fitted_power_is_the_least_square_to_forty_digits(fit):
    N, M = 40, 5
    with mp.workdps(60):
        gamma = mp.mpf(1) / 8
        q = plain_weights(gamma, M, N)
        r = [(mp.mpf(4) / (x + 3)) ** 2 for x in range(1, N + 1)]

        def squares(rho):
            if fit == "log-log":
                ys, xs = [mp.log(v) for v in q], [mp.log(v) for v in r]
                offset = mp.fsum(y - rho * x for x, y in zip(xs, ys, strict=True)) / N
                return mp.fsum((y - offset - rho * x) ** 2 for x, y in zip(xs, ys, strict=True))
            power = [v**rho for v in r]
            A = q[0] if fit == "anchored" else dot(power, q) / dot(power, power)
            return mp.fsum((a - A * b) ** 2 for a, b in zip(q, power, strict=True))

        found = laws["sgd-map-as-power"].evaluate(gamma=gamma, N=N, M=M, fit=fit, digits=40)
        # At a minimum the sum of squares is even to leading order: the asymmetry at h is of order h^3, an
        # error e of rho would show as 4 e h/2 times the curvature. h = 1e-12 resolves e = 1e-22.
        h = mp.mpf(10) ** -12
        up, middle, down = squares(found + h), squares(found), squares(found - h)
        assert up > middle < down
        assert abs(up - down) < mp.mpf(10) ** -9 * (up + down - 2 * middle)
        slope = mp.diff(squares, found)
        assert abs(slope) < mp.mpf(10) ** -25
        assert laws["sgd-map-as-power"](gamma=0.125, N=N, M=M, fit=fit) == pytest.approx(float(found), abs=1e-11)


def test_the_numbers_of_the_errata_on_the_fitted_power():
    one = laws["sgd-map-as-power"]
    assert [round(one(gamma=0.1, N=100, M=5, fit=f), 3) for f in ("log-log", "linear", "anchored")] == [
        0.775,
        0.496,
        0.439,
    ]
    assert [round(one(gamma=0.1, N=100, M=2, fit=f), 3) for f in ("log-log", "linear", "anchored")] == [
        0.788,
        0.532,
        0.482,
    ]
    assert abs(one(gamma=0.1, N=450, M=5, fit="linear") - 0.35) < 0.01
    assert one(gamma=0.001, N=450, M=5, fit="linear") < 0.75
    assert [laws["sgd-map-as-power:source"](gamma=g) for g in (10, 0.1, 0.001)] == [0.05, 0.35, 1]
    with pytest.raises(ValueError, match="one of the three"):
        laws["sgd-map-as-power:source"](gamma=1)
    np.testing.assert_allclose(one(gamma=[0.1, 0.1], N=30, M=5), [one(gamma=0.1, N=30, M=5)] * 2)


def naive_prediction(alpha, N, M, d, gamma, T, error):
    p = [mp.mpf(x) ** -alpha for x in range(1, N + 1)]
    p = [v / mp.fsum(p) for v in p]
    q = [mp.mpf(0)]
    for _ in range(T):
        q.append(q[-1] + gamma / (1 + mp.exp(q[-1]) / (M - 1)))
    # Every sequence of T samples, by its counts at one input: success n times, failure T - n times, in all orders.
    law = [[math.comb(T, n) * v**n * (1 - v) ** (T - n) for n in range(T + 1)] for v in p]
    S = mp.fsum(c * a**2 for row in law for c, a in zip(row, q, strict=True))
    return mp.fsum(
        v * c * error(a * mp.sqrt(d * M / S))
        for v, row in zip(p, law, strict=True)
        for c, a in zip(row, q, strict=True)
    )


def test_the_prediction_of_the_map_to_fifty_digits_with_two_outputs():
    values = {"alpha": Fraction(3, 2), "N": 5, "M": 2, "d": 7, "gamma": Fraction(5, 4), "T": 6}
    with mp.workdps(70):
        wanted = naive_prediction(mp.mpf(3) / 2, 5, 2, 7, mp.mpf(5) / 4, 6, lambda a: mp.erfc(a / 2) / 2)
        assert near(laws["sgd-approximation"].evaluate(**values, digits=50), wanted, 49)
    numbers = {k: float(v) for k, v in values.items()}
    assert laws["sgd-approximation"](**numbers) == pytest.approx(float(wanted), rel=1e-11)


def test_the_prediction_of_the_map_with_three_outputs():
    def error(a):
        return 1 - mp.quad(lambda t: mp.npdf(t) * mp.ncdf(a + t) ** 2, [-9, -3, 0, 3, 9])

    # Cut at 9 standard deviations: 1e-18; errors here are above 1e-3.
    wanted = float(naive_prediction(mp.mpf(2), 4, 3, 20, mp.mpf(2), 3, error))
    assert laws["sgd-approximation"](alpha=2, N=4, M=3, d=20, gamma=2, T=3) == pytest.approx(wanted, rel=1e-10)


def test_the_prediction_meets_the_simulated_map():
    # N=40, M=5, alpha=1, d=400, gamma=2, T=60; leading order in d: 10 % allowed, above 6 standard errors.
    N, M, d, gamma, T, runs = 40, 5, 400, 2.0, 60, 400
    rng = np.random.default_rng(5)
    p = 1 / np.arange(1, N + 1)
    p /= p.sum()
    f = np.arange(1, N + 1) % M
    errors = []
    for _ in range(runs):
        q = np.zeros(N)
        for x in rng.choice(N, size=T, p=p):
            q[x] += gamma / (1 + math.exp(q[x]) / (M - 1))
        E, U = rng.normal(size=(N, d)) / math.sqrt(d), rng.normal(size=(M, d)) / math.sqrt(d)
        g = (E @ E.T * q) @ (U @ U.T)[f]
        errors.append(p[g.argmax(axis=1) != f].sum())
    law = laws["sgd-approximation"](alpha=1, N=N, M=M, d=d, gamma=gamma, T=T)
    assert abs(np.mean(errors) / law - 1) < 0.1
    assert 6 * np.std(errors) / math.sqrt(runs) < 0.1 * law
