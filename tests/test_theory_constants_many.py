"""Constants and least errors at many points at once, against the one-point versions."""

import numpy as np
import pytest

from asymp.theory import laws
from asymp.theory.recall.cone_distance import MANY_DIMENSIONS, items_of_dimension
from asymp.theory.storage.optimal_many import FINENESS, MOST_OUTPUTS, STEEPEST, least_errors
from asymp.theory.storage.optimal_storage import optimal_constant, optimal_constants, optimal_weights


def test_constants_at_many_points_are_one_after_another():
    rng = np.random.default_rng(41)
    alpha, M = rng.uniform(1.02, 8, 30), rng.integers(2, 50, 30)
    slow = [optimal_constant(alpha=alpha[i], M=int(M[i])) for i in range(30)]
    assert np.any(M > 45)
    np.testing.assert_allclose(optimal_constants(alpha=alpha, M=M), slow, rtol=1e-13)


@pytest.mark.parametrize("M", [2, *(most for most, _, _ in FINENESS)])
def test_least_errors_at_many_points_are_one_after_another(M):
    rng = np.random.default_rng(M)
    alpha = rng.uniform(1.02, STEEPEST, 12)
    alpha[1:4] = STEEPEST
    # The tables end at alpha log(d M) of about 64.
    d = np.exp(rng.uniform(0, 1, 12) * np.minimum(14, 50 / alpha - np.log(M)))
    d[:2] = 1.0
    slow = [optimal_weights(M=M, d=d[i], alpha=alpha[i]).error for i in range(12)]
    np.testing.assert_allclose(least_errors(alpha=alpha, M=M, d=d), slow, rtol=2e-12)
    assert M <= MOST_OUTPUTS == FINENESS[-1][0]


def test_points_of_every_kind_keep_their_places():
    law = laws["optimal-scheme"]
    alpha, d = np.linspace(1.5, 6, 24), np.geomspace(5, 3000, 24)
    M = np.array([2.0, 7.0, 21.0, 46.0] * 6)
    N = np.where(np.arange(24) % 3, np.inf, 300.0)
    found = law(alpha=alpha, M=M, d=d, N=N)
    for i in range(24):
        assert found[i] == pytest.approx(law(alpha=alpha[i], M=M[i], d=d[i], N=N[i]), rel=2e-12)


def test_the_best_matrix_holds_the_same_at_many_dimensions():
    d = np.geomspace(2, 5000, MANY_DIMENSIONS).round()
    slow = [float(items_of_dimension(one)) for one in d]
    np.testing.assert_allclose(items_of_dimension(d), slow, rtol=1e-8)  # eight digits are what both have
