"""The upper bounds at many points at once, against the one-point versions."""

import math

import numpy as np

from asymp.theory.recall.limits import finite_memory_upper
from asymp.theory.recall.upper import pair_bound
from asymp.theory.recall.upper_many import finite_memory_uppers, pair_bounds


def drawn(seed, n):
    rng = np.random.default_rng(seed)
    alpha = np.where(rng.random(n) < 0.1, 0.0, rng.uniform(0, 3, n))
    rho = np.where(rng.random(n) < 0.2, 0.0, rng.uniform(0, 1.5, n))
    N = np.floor(np.exp(rng.uniform(0, 8, n)))
    P = np.where(rng.random(n) < 0.5, math.inf, np.exp(rng.uniform(0, 8, n)))
    N = np.where((alpha > 1) & ((2 * alpha * rho > 1) | (math.inf > P)) & (rng.random(n) < 0.3), math.inf, N)
    return rng, {"alpha": alpha, "N": N, "rho": rho, "P": P}


def test_pair_bounds_are_one_after_another():
    rng, values = drawn(21, 150)
    values |= {"M": rng.choice([2.0, 3.0, 4.0, 7.0, 30.0], 150), "d": np.floor(np.exp(rng.uniform(0.7, 9, 150)))}
    found = pair_bounds(**values)
    slow = [pair_bound(**{k: float(v[i]) for k, v in values.items()}) for i in range(150)]
    # both say about 1e-12
    np.testing.assert_allclose(found, slow, rtol=2e-12)
    assert np.mean(found < 0.9) > 0.2
    assert pair_bounds(**{k: v[:6].reshape(2, 3) for k, v in values.items()}).shape == (2, 3)


def test_source_bounds_are_one_after_another():
    rng, values = drawn(22, 300)
    values |= {"M": rng.choice([4.0, 5.0, 7.0, 30.0], 300), "d": np.floor(np.exp(rng.uniform(3.5, 13, 300)))}
    found = finite_memory_uppers(**values)
    slow = [finite_memory_upper(**{k: float(v[i]) for k, v in values.items()}) for i in range(300)]
    np.testing.assert_allclose(found, slow, rtol=1e-12)
    assert np.mean(found < 0.9) > 0.3


def test_the_source_bound_is_the_least_over_every_input():
    rng, values = drawn(23, 60)
    values |= {"M": rng.choice([4.0, 9.0], 60), "d": np.floor(np.exp(rng.uniform(3.5, 13, 60)))}
    values["N"] = np.minimum(values["N"], 1000)
    found = finite_memory_uppers(**values)
    for i in range(60):
        a, N, rho, P, M, d = (float(values[k][i]) for k in ("alpha", "N", "rho", "P", "M", "d"))
        x = np.arange(1, N + 1)
        p = x**-a / np.sum(x**-a)
        q2 = np.where(x <= P, p ** (2 * rho), 0.0)
        Q, whole = max(q2[x % M == c].sum() for c in range(int(M))), q2.sum()
        stored = x <= P
        # the larger root c of 128 whole c^2/d + 16 Q c = d q^2
        A, B = 128 * whole / d, 16 * Q
        c = (-B + np.sqrt(B**2 + 4 * A * d * q2[stored])) / (2 * A)
        tail = np.append(np.cumsum(p[::-1])[::-1][1:], 0.0)
        # the quadratic formula cancels, at d = 4e5 five digits of sixteen
        assert found[i] == np.clip(
            found[i], *(min(1.0, np.min(2 * M * np.exp(-c) + tail[stored])) * (1 + e) for e in (-1e-9, 1e-9))
        )
