"""Mean and variance of the missing mass against second routes: sums written out, binomial expansions, enumeration.

The second route for the mean adds the inputs below X one by one; from X on, where b = T p(X) is moderate, it expands
(1-p)^T in powers of p and sums each power by a textbook Euler-Maclaurin formula for x^-s. It has neither the quadrature
nor the recurrences of the code it checks.
"""

import itertools
import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from asymp.theory.zipf.law import normaliser, zipf_tail
from asymp.theory.zipf.missing_mass import (
    missing_mass_asymptotic,
    missing_mass_digits,
    missing_mass_gamma_ratio,
    missing_mass_kappa,
    missing_mass_mean,
    unseen_mass_up_to,
    unseen_mass_up_to_digits,
)
from asymp.theory.zipf.missing_mass_variance import (
    missing_mass_variance,
    missing_mass_variance_bound,
    missing_mass_variance_digits,
)

# A number rounded to 50 digits (169 bits in mpmath) is off by at most 2^-169 = 1.3e-51 of itself.
FIFTY = mp.mpf("2e-51")


def zeta_from(s, X):
    """sum_{x>=X} x^-s by Euler-Maclaurin, continued to s < 1 (where only differences have a meaning); s != 1."""
    total = mp.mpf(0)
    while mp.mp.dps + s / 2 > X:  # far enough out for the series
        total += mp.mpf(X) ** -s
        X += 1
    X = mp.mpf(X)
    total += X ** (1 - s) / (s - 1) + X**-s / 2
    rising = s * X ** (-s - 1)
    for m in range(1, mp.mp.dps):
        term = mp.bernoulli(2 * m) / mp.factorial(2 * m) * rising
        total += term
        if abs(term) < mp.eps * abs(total):
            return total
        rising *= (s + 2 * m - 1) * (s + 2 * m) / X**2
    raise AssertionError("the second route did not converge")


def power_sums(s, X, N):
    """sum_{x=X}^{N} x^-s."""
    if math.inf == N:
        return zeta_from(s, X)
    if N - X < 200:
        return mp.fsum(mp.mpf(x) ** -s for x in range(X, N + 1))
    return mp.digamma(N + 1) - mp.digamma(X) if s == 1 else zeta_from(s, X) - zeta_from(s, N + 1)


def second_route(alpha, T, N, b=12):
    """The mean to 60 digits and more."""
    # The expansion in powers of b loses exp(2b), 0.87 b digits; 15 more for the differences of zeta functions.
    with mp.workdps(75 + int(0.9 * b)):
        alpha = mp.mpf(alpha)
        C = 1 / power_sums(alpha, 1, N)
        X = max(1, int((T * C / b) ** (1 / alpha))) + 1
        if N - X < 200:
            X = N + 1
        total = mp.mpf(0)
        for x in range(1, int(X)):
            p = C * mp.mpf(x) ** -alpha
            total += p * (1 - p) ** T if p < 1 else p * (T == 0)
        k, term = 0, C
        while X <= N and term != 0:
            part = term * power_sums(alpha * (k + 1), X, N)
            total += part
            if abs(part) < mp.eps * abs(total) and k > b:
                break
            term *= -C * (T - k) / (k + 1)
            k += 1
        return total


CASES = [
    *itertools.product([1.05, 1.5, 2, 6], [1, 10, 10**3, 10**6], [1, 2, 100, 10**6, math.inf]),
    *itertools.product([0.5], [1, 10**3], [2, 100, 10**6]),
    *itertools.product([1.5, 6], [0, 0.5, 37.25], [math.inf]),
    *itertools.product([10], [10**3, 10**12], [math.inf]),
]


@pytest.fixture(scope="module")
def fifty_digits():
    return {case: missing_mass_digits(alpha=case[0], T=case[1], N=case[2], digits=50) for case in CASES}


@pytest.mark.parametrize("case", CASES)
def test_mean_to_fifty_digits_and_in_float64(case, fifty_digits):
    alpha, T, N = case
    reference = second_route(alpha, T, N)
    value = missing_mass_mean(alpha=alpha, T=T, N=N)
    if reference == 0:  # N = 1: the only input is seen at the first sample
        assert fifty_digits[case] == 0
        assert value == 0
        return
    with mp.workdps(60):
        assert abs(fifty_digits[case] / reference - 1) < FIFTY
        if reference < 1e-307:  # below the normal numbers of float64
            assert value < 1e-306
            return
        # An error of 2 eps in C changes p (1-p)^T by 2 z eps, z the exponent of the inputs that count: at most
        # -log(mean); on top of it some 30 roundings.
        allowed = 2.3e-16 * (30 + 3 * abs(float(mp.log(reference))))
        assert allowed < 1e-12
        assert abs(mp.mpf(value) / reference - 1) < allowed


def test_far_beyond_the_cut_off_the_digits_stay_right():
    # z = T p(N) is about 80 at the last input, so that the sum is the end of an exponential decay.
    alpha, T, N = 1.05, 8 * 10**6, 8000
    with mp.workdps(75):
        weights = [mp.mpf(x) ** -mp.mpf(alpha) for x in range(1, N + 1)]
        C = 1 / mp.fsum(weights)
        assert 70 < T * C * weights[-1] < 90
        reference = mp.fsum(C * w * (1 - C * w) ** T for w in weights)
        assert abs(missing_mass_digits(alpha=alpha, T=T, N=N, digits=50) / reference - 1) < FIFTY
    # An error of 3e-16 in C is one of 80 times that here.
    assert missing_mass_mean(alpha=alpha, T=T, N=N) == pytest.approx(float(reference), rel=3e-14)


@pytest.mark.parametrize("T", [0, 1, 2, 3, 20])
def test_at_alpha_two_the_missing_mass_is_a_fraction(T):
    # C^k zeta(2k) = 6^k |B_2k| 2^(2k-1)/(2k)!: no pi is left.
    total = Fraction(0)
    for k in range(T + 1):
        numerator, denominator = mp.bernfrac(2 * k + 2)
        power = Fraction(6 ** (k + 1) * 2 ** (2 * k + 1) * abs(numerator), denominator * math.factorial(2 * k + 2))
        total += (-1) ** k * math.comb(T, k) * power
    assert total == {0: 1, 1: Fraction(3, 5), 2: Fraction(3, 7)}.get(T, total)
    with mp.workdps(60):
        exact = mp.mpf(total.numerator) / total.denominator
        assert abs(missing_mass_digits(alpha=2, T=T, digits=50) / exact - 1) < FIFTY
    assert missing_mass_mean(alpha=2, T=T) == pytest.approx(float(total), rel=5e-15)


def test_binomial_expansion_with_zeta_functions_at_moderate_T():
    # sum_k binom(T,k) (-1)^k C^(k+1) zeta(alpha (k+1)): the terms reach (1 + p(1))^T < 2^T, 0.3 T digits are lost.
    T = 150
    for alpha in (1.05, 1.5, 6):
        with mp.workdps(115):
            a = mp.mpf(alpha)
            C = 1 / mp.zeta(a)
            total = mp.fsum((-1) ** k * mp.binomial(T, k) * C ** (k + 1) * mp.zeta(a * (k + 1)) for k in range(T + 1))
            assert abs(missing_mass_digits(alpha=alpha, T=T, digits=50) / total - 1) < FIFTY


def test_float64_against_many_digits_at_random_points():
    rng = np.random.default_rng(0)
    alpha = np.concatenate([rng.uniform(1.01, 10, 20), rng.uniform(0, 1.2, 20)])
    N = np.concatenate([np.full(20, np.inf), np.floor(10 ** rng.uniform(0, 12, 20))])
    T = 10 ** rng.uniform(-1, 12, 40)
    values = missing_mass_mean(alpha=alpha, T=T, N=N)
    compared = 0
    for a, t, n, value in zip(alpha, T, N, values, strict=True):
        reference = missing_mass_digits(alpha=a, T=t, N=n, digits=20)
        if reference > 1e-307:
            compared += 1
            assert abs(value / reference - 1) < 1e-12
        else:
            assert value < 1e-306
    assert compared > 25


def test_partial_sums_add_up_to_the_whole():
    # The inputs beyond P, by definition; P = 10^4 lies in the part that Euler-Maclaurin sums.
    alpha, T, N, P = 1.3, 1000, 10**5, 10_000.5
    p = normaliser(alpha=alpha, N=N) * np.arange(1, N + 1) ** -alpha
    terms = p * np.exp(T * np.log1p(-p))
    assert unseen_mass_up_to(alpha=alpha, T=T, P=P, N=N) == pytest.approx(math.fsum(terms[:10_000]), rel=1e-14)
    assert missing_mass_mean(alpha=alpha, T=T, N=N) == pytest.approx(math.fsum(terms), rel=1e-14)
    many = unseen_mass_up_to_digits(alpha=alpha, T=T, P=P, N=N, digits=30)
    assert float(many) == pytest.approx(math.fsum(terms[:10_000]), rel=1e-14)
    # T = 0: nothing is seen, all of the mass up to P is missing.
    assert unseen_mass_up_to(alpha=2, T=0, P=77) == pytest.approx(1 - zipf_tail(alpha=2, P=77), rel=1e-15)
    assert unseen_mass_up_to(alpha=2, T=5, P=0) == 0
    assert unseen_mass_up_to_digits(alpha=2, T=5, P=0) == 0


def test_arrays_broadcast_and_single_numbers_give_floats():
    T = np.array([0, 1, 10, 1e6])
    grid = missing_mass_mean(alpha=np.array([[1.2], [3.0]]), T=T)
    assert grid.shape == (2, 4)
    assert grid[1, 3] == missing_mass_mean(alpha=3, T=1e6)
    assert isinstance(missing_mass_mean(alpha=3, T=10), float)
    assert np.all(np.diff(grid, axis=1) < 0)
    assert grid[:, 0] == pytest.approx(1, rel=1e-15)


# Asymptotics


@pytest.mark.parametrize("alpha", [1.05, 1.5, 2])
def test_the_gamma_ratio_misses_less_than_every_power_of_T(alpha):
    # The first harmonic of Poisson's formula, its exponent at the saddle point; the prefactor is of order one.
    C = normaliser(alpha=alpha)
    for T in (30, 100, 300):
        exponent = 2 * math.pi * (1 + 1 / alpha) * math.sin(math.pi / (2 * alpha + 2))
        size = math.exp(-exponent * (alpha * C * T / (2 * math.pi)) ** (1 / (alpha + 1)))
        gap = missing_mass_gamma_ratio(alpha=alpha, T=T) / missing_mass_mean(alpha=alpha, T=T) - 1
        assert abs(gap) < 10 * size
    for T in (1e5, 1e8, 1e12):
        assert missing_mass_gamma_ratio(alpha=alpha, T=T) == pytest.approx(
            missing_mass_mean(alpha=alpha, T=T), rel=1e-14
        )


@pytest.mark.parametrize("alpha", [1.2, 1.5, 2])
def test_the_next_order_of_the_expansion(alpha):
    a = 1 - 1 / alpha
    for T in (2000, 8000):
        exact = missing_mass_mean(alpha=alpha, T=T)
        second = (1 - missing_mass_asymptotic(alpha=alpha, T=T) / exact) * T**2
        # The order after it is O(1/T) of this one, with a coefficient below 2; rounding adds 1e-14 T^2 < 1e-6.
        assert second == pytest.approx(a * (a + 1) * (a + 2) * (3 * a + 1) / 24, rel=3 / T)
        first = (1 - missing_mass_kappa(alpha=alpha) * T**-a / exact) * T
        assert first == pytest.approx(-a * (a + 1) / 2, rel=5 / T)


def test_at_alpha_six_the_oscillation_hides_the_expansion_until_large_T():
    for T, least in [(1e3, 0.05), (1e6, 5e-5)]:
        gap = missing_mass_asymptotic(alpha=6, T=T) / missing_mass_mean(alpha=6, T=T) - 1
        assert abs(gap) > least  # the term in 1/T is 8e-4 and 8e-7 here
    assert missing_mass_asymptotic(alpha=6, T=1e12) == pytest.approx(missing_mass_mean(alpha=6, T=1e12), rel=1e-13)


def test_the_cut_off_of_finite_N_and_its_next_order():
    alpha, N = 2, 1000
    p = normaliser(alpha=alpha, N=N) * N**-alpha
    for T in (1e4, 1e5, 1e6):
        exact = missing_mass_mean(alpha=alpha, T=T, N=N)
        formula = missing_mass_asymptotic(alpha=alpha, T=T, N=N)
        end = p * math.exp(-T * p) / 2
        assert abs(formula / exact - 1) < 1e-3
        # What follows: p'(N)/12 and (T p) times it, relative to the sum about (1 + T p) alpha/N^2/6 < 3e-6.
        assert abs(formula - exact) > 100 * abs(formula + end - exact)
        assert formula + end == pytest.approx(exact, rel=3e-6)


def test_the_joint_law_of_a_threshold_is_below_the_plain_sum():
    # Exactly tail + unseen up to P; the plain sum tail + missing mass is too large at the crossover, by up to 1.9.
    for alpha, T, low, high in [(1.1, 1e6, 1.8, 2.0), (6, 1e30, 1.4, 1.6)]:
        P = np.floor((T * normaliser(alpha=alpha)) ** (1 / alpha) * np.geomspace(0.1, 10, 201))
        tail = zipf_tail(alpha=alpha, P=P)
        ratio = (tail + missing_mass_mean(alpha=alpha, T=T)) / (tail + unseen_mass_up_to(alpha=alpha, T=T, P=P))
        assert low < ratio.max() < high


# Variance


def enumerated(p, T):
    """Mean and variance of the missing mass over every sequence of T samples, in exact fractions."""
    mean = second = Fraction(0)
    for sequence in itertools.product(range(len(p)), repeat=T):
        weight = math.prod((p[x] for x in sequence), start=Fraction(1))
        missing = sum((p[x] for x in set(range(len(p))) - set(sequence)), start=Fraction(0))
        mean += weight * missing
        second += weight * missing**2
    return mean, second - mean**2


@pytest.mark.parametrize("alpha", [0, 1, 2, 6])
@pytest.mark.parametrize(("N", "T"), [(2, 1), (2, 5), (3, 1), (3, 4), (5, 3), (20, 2)])
def test_moments_over_every_sequence_of_samples(alpha, N, T):
    weights = [Fraction(1, x**alpha) for x in range(1, N + 1)]
    mean, variance = enumerated([w / sum(weights) for w in weights], T)
    assert missing_mass_mean(alpha=alpha, T=T, N=N) == pytest.approx(float(mean), rel=1e-13)
    assert missing_mass_variance(alpha=alpha, T=T, N=N) == pytest.approx(float(variance), rel=1e-9, abs=0)
    with mp.workdps(60):
        exact = mp.mpf(variance.numerator) / variance.denominator
        assert abs(missing_mass_variance_digits(alpha=alpha, T=T, N=N, digits=50) - exact) <= FIFTY * exact
    assert missing_mass_variance_bound(alpha=alpha, T=T, N=N) >= float(variance) * (1 - 1e-14)


def multinomial_variance(alpha, T):
    """Var for N = inf and integer T: (1-p-p')^T expanded, every power of p summed by zeta. Loses T log10(3) digits."""
    with mp.workdps(70 + T // 2):
        alpha = mp.mpf(alpha)
        C = 1 / mp.zeta(alpha)
        Z = [C**m * mp.zeta(alpha * m) if m else None for m in range(T + 3)]
        f = [mp.factorial(i) for i in range(T + 1)]
        second = mp.fsum(
            (-1) ** (i + j) * f[T] / (f[i] * f[j] * f[T - i - j]) * Z[i + 1] * Z[j + 1]
            for i in range(T + 1)
            for j in range(T + 1 - i)
        )
        # The pairs x = x', which are not in the double sum, and the single inputs.
        second += mp.fsum((-1) ** k * mp.binomial(T, k) * Z[k + 2] * (1 - 2**k) for k in range(T + 1))
        mean = mp.fsum((-1) ** k * mp.binomial(T, k) * Z[k + 1] for k in range(T + 1))
        return second - mean**2


@pytest.mark.parametrize(("alpha", "T"), [(1.05, 1), (1.05, 40), (1.5, 7), (2, 100), (6, 40)])
def test_variance_of_the_infinite_law_to_fifty_digits(alpha, T):
    reference = multinomial_variance(alpha, T)
    with mp.workdps(60):
        assert abs(missing_mass_variance_digits(alpha=alpha, T=T, digits=50) / reference - 1) < FIFTY
    assert missing_mass_variance(alpha=alpha, T=T) == pytest.approx(float(reference), rel=1e-13)


@pytest.mark.parametrize(("alpha", "T"), [(1.2, 1e4), (1.5, 1e5), (2, 1e7), (0.5, 1e4)])
def test_variance_over_all_pairs_at_large_T(alpha, T):
    N = 1500
    p = np.arange(1.0, N + 1) ** -alpha
    p /= p.sum()
    logs = T * np.log1p(-p)
    both = np.log1p(-np.minimum(p[:, None] + p, 0.999))  # p(1) + p(1) may pass 1: the diagonal is not used
    pairs = p[:, None] * p * (np.exp(T * both) - np.exp(logs[:, None] + logs))
    np.fill_diagonal(pairs, 0)
    single = p**2 * np.exp(logs) * -np.expm1(logs)
    reference = single.sum() + pairs.sum()
    # The pairs are differences of exponentials right to z 1e-16 <= 1e-14: 1e-14 of the product of the means.
    mean = missing_mass_mean(alpha=alpha, T=T, N=N)
    assert abs(missing_mass_variance(alpha=alpha, T=T, N=N) - reference) < 1e-12 * reference + 2e-14 * mean**2
    assert missing_mass_variance_bound(alpha=alpha, T=T, N=N) == pytest.approx(single.sum(), rel=1e-12)


def test_variance_where_the_two_sums_cancel():
    # T = 1: the missing mass is 1 - p(X), so its variance is sum p^3 - (sum p^2)^2; nearly uniform on many inputs.
    alpha, N = 0.25, 10**9
    with mp.workdps(60):
        a = mp.mpf(alpha)
        C = 1 / power_sums(a, 1, N)
        exact = C**3 * power_sums(3 * a, 1, N) - (C**2 * power_sums(2 * a, 1, N)) ** 2
    assert missing_mass_variance(alpha=alpha, T=1, N=N) == pytest.approx(float(exact), rel=1e-9)
    assert missing_mass_variance(alpha=0, T=1, N=10**9) == 0
    assert missing_mass_variance(alpha=2, T=0) == 0


@pytest.mark.parametrize("alpha", [1.05, 1.5, 2])
def test_variance_is_below_its_bound_and_approaches_it(alpha):
    T = np.array([1, 10, 1e3, 1e6, 1e12])
    ratio = missing_mass_variance(alpha=alpha, T=T) / missing_mass_variance_bound(alpha=alpha, T=T)
    assert np.all(ratio < 1 + 1e-14)
    assert np.all(ratio[:3] < 0.9999)
    # To leading order the pairs are -T A_1^2, A_1 = sum p^2 (1-p)^T = a kappa T^(-1-a), and the single inputs
    # A_1(T) - A_1(2T). The pairs x = x' in A_1^2 are left out: about one in (C T)^(1/alpha), at least 780 here.
    a = 1 - 1 / alpha
    expected = a * missing_mass_mean(alpha=alpha, T=1e6) / (1 - 2 ** (-1 - a))
    assert 1 - ratio[3] == pytest.approx(expected, rel=3e-3)


@pytest.mark.parametrize("function", [missing_mass_mean, missing_mass_digits, missing_mass_variance])
def test_values_outside_the_domain_are_named(function):
    for arguments, message in [
        ({"alpha": 1, "T": 3}, "alpha must satisfy: alpha > 1 when N is infinite"),
        ({"alpha": -1, "T": 3, "N": 5}, "alpha must"),
        ({"alpha": 2, "T": -1}, "T must satisfy: T >= 0"),
        ({"alpha": 2, "T": math.inf}, "T must"),
        ({"alpha": 2, "T": math.nan}, "T must"),
        ({"alpha": 2, "T": 3, "N": 1.5}, "N must satisfy: an integer N >= 1, or inf"),
    ]:
        with pytest.raises(ValueError, match=message):
            function(**arguments)
    with pytest.raises(ValueError, match="alpha > 1, where the missing mass has its power law"):
        missing_mass_asymptotic(alpha=0.5, T=10, N=100)


@pytest.mark.filterwarnings("error")
def test_nothing_overflows_on_the_way():
    # Laws close to uniform, numbers of samples beyond anything, one or two inputs: zeros are computed, not stumbled upon.
    alpha = np.array([1e-310, 1e-5, 0.09, 1.0, 1.00001, 4.4, 28.0, 2.0, 0.6])
    N = np.array([1000.0, 1e12, 1e9, 2.0, math.inf, 2.0, math.inf, 1.0, 7e10])
    T = np.array([1e6, 1e195, 1e99, 1e122, 1e-7, 6e122, 2e135, 5e14, 1e173])
    mean, spread = missing_mass_mean(alpha=alpha, T=T, N=N), missing_mass_variance(alpha=alpha, T=T, N=N)
    bound = missing_mass_variance_bound(alpha=alpha, T=T, N=N)
    assert np.all((mean >= 0) & (mean <= 1)) and np.all((spread >= 0) & (bound >= 0))
    # Only the infinite laws have anything left to see, and the fifth has seen nothing: (1 - p)^T is 1 but for 1e-12.
    assert np.all((mean == 0) == np.array([True] * 4 + [False] + [True] + [False] + [True] * 2))
    assert mean[4] == pytest.approx(1, abs=1e-11)
