"""The SGD map, its flow and its fits, against plain iteration, the differential equations and naive least squares."""

import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asymp.theory import laws
from asymp.theory.functions.sgd.abel import abel_polynomial, series_tail_mp
from asymp.theory.functions.sgd.fit import fitted_rho, sgd_weights
from asymp.theory.functions.sgd.flow import flow_root, flow_root_mp
from asymp.theory.functions.sgd.iterates import (
    growth_constant_digits,
    sgd_iterate,
    sgd_iterate_digits,
)


def naive(gamma, M, n):
    """The text of the paper: f(q) = q + gamma/(1 + e^q/(M-1)), n times from 0, at mpmath's precision."""
    q = mp.mpf(0)
    for _ in range(n):
        q += gamma / (1 + mp.exp(q) / (M - 1))
    return q


# The Abel function


def test_the_abel_series_solves_its_equation_to_its_order():
    # With Psi_0..Psi_K the equation Psi(u + gamma s) - Psi(u) = gamma is left with terms from gamma^(K+2) on: halving
    # gamma divides the residual by 2^(K+2), up to a relative change of order gamma (here 1e-3).
    def residual(gamma, order):
        def psi(u):
            s = 1 / (1 + mp.exp(u))
            return u + mp.exp(u) + gamma / 2 * mp.log(s) + gamma * series_tail_mp(gamma * s, s, order)[0]

        u = mp.mpf("0.3")
        return psi(u + gamma / (1 + mp.exp(u))) - psi(u) - gamma

    with mp.workdps(80):
        for order in (2, 3, 5, 10):
            ratio = residual(mp.mpf("2e-3"), order) / residual(mp.mpf("1e-3"), order)
            assert abs(ratio / 2 ** (order + 2) - 1) < 0.02


def test_the_first_polynomials_by_hand():
    # Psi_2' = -(Psi_1'' s/2 + Psi_0''' s^2/6) with Psi_1' = -(1-s)/2 and Psi_0' = 1/s: Psi_2 = s/6 - s^2/8.
    assert [float(c) for c in abel_polynomial(2)] == [1 / 6, -1 / 8]
    with pytest.raises(ValueError, match="k must be an integer >= 2"):
        abel_polynomial(1)


# The iterates


@pytest.mark.parametrize(
    ("gamma", "M", "n"), [("0.1", 5, 4000), ("2.5", 3, 3000), ("0.004", 1000, 6000), ("12", 40, 2500)]
)
def test_fifty_digits_by_the_series_are_those_of_plain_iteration(gamma, M, n):
    # n is beyond PLAIN_STEPS, so that the Abel function is used. 60 digits lose at most log10(n) in n additions.
    with mp.workdps(65):
        wanted = naive(mp.mpf(gamma), M, n)
        assert abs(sgd_iterate_digits(gamma=gamma, M=M, n=n, digits=50) / wanted - 1) < mp.mpf(10) ** -49


@pytest.mark.parametrize(("gamma", "M"), [("0.3", 5), ("1e-5", 7), ("6", 2)])
def test_one_step_leads_from_n_to_n_plus_one_far_out(gamma, M):
    # No iteration gets to n = 1e18, but two neighbours must be one step apart; the step itself is 1e-18, so that 60
    # digits show 42 of it.
    n = 10**18
    with mp.workdps(70):
        low, high = (sgd_iterate_digits(gamma=gamma, M=M, n=k, digits=60) for k in (n, n + 1))
        step = mp.mpf(gamma) / (1 + mp.exp(low) / (M - 1))
        assert abs((high - low) / step - 1) < mp.mpf(10) ** -38
    assert sgd_iterate(gamma=float(gamma), M=M, n=n) == pytest.approx(float(low), rel=1e-14)


@settings(max_examples=80, deadline=None)
@given(log_gamma=st.floats(-5, 5), M=st.integers(2, 10**6), log_n=st.floats(0, 14))
def test_iterates_lie_between_their_proved_bounds_and_never_stop(log_gamma, M, log_n):
    gamma, n = math.exp(log_gamma), math.floor(10**log_n)
    q, later = sgd_iterate(gamma=gamma, M=M, n=n), sgd_iterate(gamma=gamma, M=M, n=10 * n)
    # Proved: the flow from below; gamma n (M-1)/M and log(1 + (M-1) gamma n (1 + gamma e^gamma/2)) from above.
    low = laws["sgd-map:ode"](gamma=gamma, M=M, n=n)
    high = min(gamma * n * (M - 1) / M, math.log1p((M - 1) * gamma * n * (1 + gamma * math.exp(gamma) / 2)))
    rounding = 1e-13 * max(1, gamma / 4)
    assert low * (1 - rounding) <= q <= high * (1 + rounding)
    # No finite fixed point: f(q) > q wherever float64 can tell (e^-q of gamma/q above 1e-15).
    assert min(q, 20.0) + gamma / (1 + math.exp(min(q, 20.0)) / (M - 1)) > min(q, 20.0)
    assert later >= q


def test_the_constant_to_thirty_digits_from_the_iterates_far_out():
    # At n = 1e35 what is left out, of order log(n)/n, is below 1e-32; e^q loses 35 of the 70 digits to gamma n.
    with mp.workdps(80):
        gamma, M, n = mp.mpf("0.7"), 6, mp.mpf(10) ** 35
        q = sgd_iterate_digits(gamma=gamma, M=M, n=n, digits=70)
        c = mp.exp(q) / (M - 1) - gamma * n - (gamma / 2 - 1) * mp.log(n)
        assert abs(growth_constant_digits(gamma=gamma, M=M, digits=50) - c) < mp.mpf(10) ** -31


# SGD itself


def test_sgd_with_orthonormal_embeddings_is_the_orthonormal_map():
    rng = np.random.default_rng(1)
    for M, gamma in ((2, 0.5), (4, 3.0)):
        N, d = 3, 8
        basis = np.linalg.qr(rng.standard_normal((d, d)))[0]
        e, u = basis[:N], np.linalg.qr(rng.standard_normal((d, d)))[0][:M]
        W, seen = np.zeros((d, d)), np.zeros(N, dtype=int)
        for x in rng.choice(N, size=60, p=[0.6, 0.3, 0.1]):
            scores = u @ W @ e[x]
            error = np.eye(M)[x % M] - np.exp(scores) / np.exp(scores).sum()
            W += gamma * np.outer(u.T @ error, e[x])
            seen[x] += 1
        q = np.array([u[x % M] @ W @ e[x] for x in range(N)])
        # 60 steps of float64 products with d = 8.
        assert q == pytest.approx(laws["sgd-map:orthonormal"](gamma=gamma, M=M, n=seen), rel=1e-12)
        # The source's map is another one: the check sees the difference.
        assert np.all(np.abs(q / sgd_iterate(gamma=gamma, M=M, n=seen) - 1)[seen > 5] > 0.02)


# The flows


def test_the_flow_is_lambert_w():
    with mp.workdps(70):
        for gamma, M, n in (("0.01", 5, 3), ("0.2", 2, 100), ("1", 1000, 60)):
            A = mp.mpf(gamma) * n + mp.mpf(1) / (M - 1)
            wanted = A - mp.lambertw(mp.exp(A) / (M - 1)).real
            assert abs(flow_root_mp(mp.mpf(1) / (M - 1), mp.mpf(gamma) * n) / wanted - 1) < mp.mpf(10) ** -49
            assert laws["sgd-map:ode"](gamma=float(gamma), M=M, n=n) == pytest.approx(float(wanted), rel=1e-14)


def test_the_flow_solves_its_differential_equation():
    from scipy.integrate import solve_ivp

    times = np.array([1.0, 10.0, 100.0])
    for gamma, M in ((0.1, 5), (2.0, 30)):

        def speed(t, q, gamma=gamma, M=M):
            return gamma / (1 + np.exp(q) / (M - 1))

        run = solve_ivp(speed, (0, 100), [0.0], t_eval=times, rtol=1e-11, atol=1e-12)
        # The solver's tolerance, with a margin of ten for its accumulation.
        assert laws["sgd-map:ode"](gamma=gamma, M=M, n=times) == pytest.approx(run.y[0], rel=1e-9)


@settings(max_examples=100, deadline=None)
@given(log_v=st.floats(-30, 2), log_t=st.floats(-300, 690))
def test_flow_roots_are_roots_for_every_size(log_v, log_t):
    v, t = math.exp(log_v), math.exp(log_t)
    delta = float(flow_root(v, t))
    with mp.workdps(40):
        value = mp.mpf(delta) + mp.mpf(v) * mp.expm1(mp.mpf(delta))
        # d(value)/d(delta) delta/value is at most delta + 1: a relative 1e-15 of delta shows enlarged by that.
        assert abs(value / mp.mpf(t) - 1) < 2e-15 * (delta + 1)


def test_margins_of_gradient_flow():
    from scipy.integrate import solve_ivp

    M, p = 6, 0.3

    def gradient(t, scores):
        miss = np.exp(scores - scores.max())
        return p * (np.eye(M)[2] - miss / miss.sum())

    times = np.array([0.5, 20.0, 1000.0])
    run = solve_ivp(gradient, (0, 1000), np.zeros(M), t_eval=times, rtol=1e-11, atol=1e-12)
    assert laws["margin-growth"](p=p, M=M, t=times) == pytest.approx(run.y[2] - run.y[0], rel=1e-9)
    with mp.workdps(60):
        m = flow_root_mp(mp.mpf(1) / (M - 1), mp.mpf("0.3") * M / (M - 1) * 10**9)
        assert abs(((M - 1) * m + mp.expm1(m)) / (mp.mpf("0.3") * M * 10**9) - 1) < mp.mpf(10) ** -47


# Fits


def test_fitted_powers_are_those_of_naive_least_squares():
    from scipy.optimize import curve_fit

    for gamma, M, N in ((0.1, 5, 100), (10.0, 3, 50), (1e-3, 20, 300)):
        x = np.arange(1, N + 1)
        p = (x + 3.0) ** -2 / np.sum((x + 3.0) ** -2)
        n = p / p[-1]
        levels = [0.0]
        for _ in range(int(n[0]) + 2):
            levels.append(levels[-1] + gamma / (1 + math.exp(levels[-1]) / (M - 1)))
        q = np.interp(n, np.arange(len(levels)), levels)
        assert sgd_weights(gamma=gamma, M=M, counts=((N + 3) / (x + 3)) ** 2) == pytest.approx(q, rel=1e-12)
        slope = np.polyfit(np.log(p), np.log(q), 1)[0]
        assert fitted_rho(gamma=gamma, M=M, N=N).rho == pytest.approx(slope, rel=1e-9)
        # curve_fit stops at a relative 1e-8 of the sum of squares or the parameters.
        (_, rho), _ = curve_fit(lambda p, A, rho: A * p**rho, p, q, p0=[q[0], 0.5])
        found = fitted_rho(gamma=gamma, M=M, N=N, fit="linear")
        assert found.rho == pytest.approx(rho, abs=1e-5)
        assert found.residual == pytest.approx(np.sqrt(np.mean((q - found.scale * p**found.rho) ** 2)), rel=1e-6)
        (rho,), _ = curve_fit(lambda p, rho, top=q[0]: top * (p / p[0]) ** rho, p, q, p0=[0.5])
        assert fitted_rho(gamma=gamma, M=M, N=N, fit="anchored").rho == pytest.approx(rho, abs=1e-5)


def test_the_fitted_power_depends_on_the_fit():
    # The source's caption pairs gamma = 0.1 with rho = 0.35. At N = 100 no way of fitting gives that, for any M.
    fits, sizes = ("log-log", "linear", "anchored"), (2, 3, 5, 10, 100, 1000)
    rhos = {fit: [fitted_rho(gamma=0.1, M=M, N=100, fit=fit).rho for M in sizes] for fit in fits}
    assert 0.77 < min(rhos["log-log"]) < max(rhos["log-log"]) < 0.89
    assert 0.49 < min(rhos["linear"]) < max(rhos["linear"]) < 0.54
    assert 0.42 < min(rhos["anchored"]) < max(rhos["anchored"]) < 0.49
    # It depends on N, too: 0.35 lies between N = 100 and N = 1000 on linear axes.
    assert (
        fitted_rho(gamma=0.1, M=5, N=1000, fit="linear").rho
        < 0.35
        < fitted_rho(gamma=0.1, M=5, N=100, fit="anchored").rho
    )
    # The ends are as in the caption: nearly flat for gamma = 10, nearly proportional for gamma = 0.001.
    assert all(fitted_rho(gamma=10, M=5, N=100, fit=fit).rho < 0.06 for fit in ("log-log", "linear", "anchored"))
    assert all(fitted_rho(gamma=1e-3, M=5, N=100, fit=fit).rho > 0.95 for fit in ("log-log", "linear", "anchored"))


def test_limits_of_the_fitted_power():
    # gamma n_1 = 1e-7 * 663: q is proportional to n up to 1e-5. gamma = 60: the plateau, flat up to 663 * 240 e^-48.
    for fit in ("log-log", "linear", "anchored"):
        assert fitted_rho(gamma=1e-7, M=5, N=100, fit=fit).rho == pytest.approx(1, abs=1e-4)
        assert fitted_rho(gamma=60, M=5, N=100, fit=fit).rho == pytest.approx(0, abs=1e-12)


def test_values_outside_the_domain_are_named():
    with pytest.raises(ValueError, match="gamma must satisfy: gamma > 0"):
        sgd_iterate(gamma=0, M=5, n=3)
    with pytest.raises(ValueError, match="M must satisfy: M > 1"):
        sgd_iterate(gamma=1, M=1, n=3)
    with pytest.raises(ValueError, match="n must satisfy: a whole number"):
        sgd_iterate(gamma=1, M=2, n=2.5)
    with pytest.raises(ValueError, match="n must satisfy: gamma n <= 1e"):
        sgd_iterate(gamma=1e200, M=2, n=1e100)
    with pytest.raises(ValueError, match="gamma must satisfy"):
        sgd_iterate(gamma=math.nan, M=2, n=1)
    with pytest.raises(ValueError, match="fit must be one of"):
        fitted_rho(gamma=1, M=2, N=10, fit="loglog")
    with pytest.raises(ValueError, match="n must be large enough"):
        laws["sgd-map:asymptotic"](gamma=0.01, M=100, n=2)
