"""The Zipf sampler and the missing mass, against mpmath, enumeration and naive sampling."""

import math

import mpmath
import numpy as np
import pytest
import torch
from scipy import stats
from support.draws import generator

from asymp.montecarlo.samplers.scaling.missing_mass import missing_mass
from asymp.montecarlo.samplers.zipf import multinomial_counts, slots, zipf_tail, zipf_total


def naive(alpha: float, T: int, N: float, replicas: int, seed: int) -> np.ndarray:
    """Missing masses by numpy's own samplers, replica by replica."""
    rng = np.random.default_rng(seed)
    if math.isinf(N):
        total = float(mpmath.zeta(alpha))
        seen = [np.unique(rng.zipf(alpha, T).astype(np.float64)) for _ in range(replicas)]
    else:
        p = np.arange(1, N + 1) ** -float(alpha)
        total = p.sum()
        seen = [np.unique(rng.choice(int(N), T, p=p / total) + 1.0) for _ in range(replicas)]
    return np.array([1 - np.sum(x**-alpha) / total for x in seen])


# A sum of n terms rounded to 53 bits is right to n 2^-53; fsum and the integral leave a few units: 1e-14 has room.
@pytest.mark.parametrize("alpha", [1.0001, 1.01, 1.1, 2.0, 4.0, 7.5])
def test_normaliser_is_zeta(alpha: float) -> None:
    assert zipf_total(alpha, math.inf) == pytest.approx(float(mpmath.zeta(alpha)), rel=1e-14)


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0, 1.5])
def test_normaliser_of_finite_law(alpha: float) -> None:
    assert zipf_total(alpha, 50_000) == pytest.approx(math.fsum(np.arange(1.0, 50_001) ** -alpha), rel=1e-14)


@pytest.mark.parametrize("alpha", [1.1, 2.0, 3.0])
def test_tail_masses_are_hurwitz_zetas(alpha: float) -> None:
    M, H = 5, 171
    for residue, mass in enumerate(zipf_tail(alpha, H, math.inf, M).mass):
        first = next(x for x in range(H + 1, H + M + 1) if x % M == residue)
        # the first neglected term at y = 34 is of the order of 34^-8 < 1e-12
        assert mass == pytest.approx(M**-alpha * float(mpmath.zeta(alpha, first / M)), rel=1e-11)


def edges(alpha: float, H: int, N: float, x: int, shift: float) -> float:
    """-log of P(X >= x | X > H), moved by `shift` of the width of input x, in 40 digits."""
    with mpmath.workdps(40):
        end = 0 if math.isinf(N) else mpmath.zeta(alpha, int(N) + 1)
        tail = mpmath.zeta(alpha, x) - end
        depth = -mpmath.log(tail / (mpmath.zeta(alpha, H + 1) - end))
        return float(depth + shift * mpmath.mpf(x) ** -alpha / tail)


@pytest.mark.parametrize("N", [math.inf, 5000])
@pytest.mark.parametrize("alpha", [1.05, 1.5, 2.0, 4.0])
def test_inversion_at_the_boundaries_between_inputs(alpha: float, N: float) -> None:
    tail = zipf_tail(alpha, 33, N)
    for x in (35, 36, 50, 100, 1000, 5000):
        # rounding of the depth: 2^-52 log(x) x < 1e-11 x; 1e-7 of an input's width is far above that for x <= 5000
        below, above = (
            tail.inputs(torch.tensor([[edges(alpha, 33, N, x, s)]], dtype=torch.float64)).item() for s in (-1e-7, 1e-7)
        )
        assert (below, above) == (x - 1, x)


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0, 1.0 + 1e-7])
def test_inversion_of_finite_laws_without_infinite_ones(alpha: float) -> None:
    H, N = 40, 3000
    tail = zipf_tail(alpha, H, N)
    q = np.arange(H + 1, N + 1) ** -alpha
    sums = np.cumsum(q[::-1])[::-1]
    for x in (42, 100, 1500, 2999, 3000):
        at, width = -math.log(sums[x - H - 1] / sums[0]), q[x - H - 1] / sums[x - H - 1]
        # the oracle's own sums are right to 3000 2^-53 = 3e-13, an input 3e-4 of the whole: 1e-8 of its width is safe
        below, above = (
            tail.inputs(torch.tensor([[at + s * width]], dtype=torch.float64)).item() for s in (-1e-8, 1e-8)
        )
        assert (below, above) == (x - 1, x)


def test_classes_partition_the_tail() -> None:
    M, H = 3, 150
    depth = -torch.rand(M, 20_000, dtype=torch.float64, generator=generator(0)).log()
    x = zipf_tail(1.5, H, math.inf, M).inputs(depth)
    for residue in range(M):
        small = x[residue][x[residue] < 2**50]
        assert torch.all(small % M == residue)
        assert small.min() == next(v for v in range(H + 1, H + M + 1) if v % M == residue)


def test_multinomial_counts_have_the_multinomial_law() -> None:
    weights = np.array([0.4, 0.0, 0.3, 0.2, 0.1])
    T, n = 12, 20_000
    counts = multinomial_counts(weights, torch.full((n,), float(T), dtype=torch.float64), generator(1)).numpy()
    assert np.all(counts.sum(1) == T)
    assert np.all(counts[:, 1] == 0)
    for i, j in ((0, 2), (0, 4), (2, 3), (3, 4)):
        # the sum of two counts is binomial: marginals and covariances at once; four chi-square tests at 1e-8 each
        pair = counts[:, i] + counts[:, j]
        expected = n * stats.binom.pmf(np.arange(T + 1), T, weights[i] + weights[j])
        keep = expected > 20
        observed = np.bincount(pair.astype(int), minlength=T + 1)
        seen, wanted = (
            np.append(observed[keep], observed[~keep].sum()),
            np.append(expected[keep], expected[~keep].sum()),
        )
        seen, wanted = seen[wanted > 5], wanted[wanted > 5]
        statistic = np.sum((seen - wanted) ** 2 / wanted)
        assert stats.chi2.sf(statistic, len(seen) - 1) > 1e-8


def test_slots_bound_the_binomial() -> None:
    for T, mass in ((10, 0.5), (1000, 0.01), (10**5, 0.3), (10**7, 1e-6), (10**6, 0.9)):
        assert stats.binom.sf(slots(T, mass), T, mass) < 1e-29
        assert slots(T, mass) <= T


@pytest.mark.parametrize(
    ("alpha", "T", "N"),
    [(2.0, 1000, math.inf), (1.3, 300, math.inf), (0.5, 200, 100), (1.0, 500, 5000), (0.0, 50, 2000)],
)
def test_missing_mass_has_the_law_of_naive_sampling(alpha: float, T: int, N: float) -> None:
    n = 3000
    fast = missing_mass(alpha=alpha, T=T, N=N, replicas=n, seed=5).values
    slow = naive(alpha, T, N, n, seed=6)
    # six joint standard errors: 2e-9 for normal means; Kolmogorov-Smirnov at 1e-8
    assert abs(fast.mean() - slow.mean()) < 6 * math.hypot(fast.std(), slow.std()) / math.sqrt(n)
    # values that differ by rounding only must be ties
    assert stats.ks_2samp(np.round(fast, 12), np.round(slow, 12)).pvalue > 1e-8


@pytest.mark.parametrize(
    "wrong",
    [
        {"alpha": 1.0}, {"alpha": 0.5}, {"alpha": math.nan}, {"alpha": math.inf}, {"alpha": "2"}, {"T": 0}, {"T": 1.5},
        {"T": math.inf}, {"N": 0}, {"N": -3}, {"N": 2.5}, {"N": math.nan}, {"replicas": 0}, {"replicas": 2.5},
        {"rel_error": 0}, {"device": "cuda:77"}, {"device": "nowhere"}, {"alpha": -1, "N": 10},
    ],
)  # fmt: skip
def test_bad_input(wrong: dict[str, object]) -> None:
    good: dict[str, object] = {"alpha": 2, "T": 100}
    if "cuda:77" in wrong.values() and torch.cuda.is_available():
        wrong = {"device": "nowhere"}
    name = next(iter(wrong))
    with pytest.raises(ValueError, match=name):
        missing_mass(**{**good, **wrong})  # type: ignore[arg-type]
