"""A bound on the kurtosis of half the squared difference of a score between two draws, after one gradient step from W = 0.

At W = 0 all outputs are equally likely, so a step leaves the score sum over i, w of A_iw (x_i.x_0)(u_w.u_y), up to a factor,
with A_iw = 1{f(i) = w} - 1/M. It is one of those in `score_tails`, where gaussian moments are exact. With noise, and equal
classes, the sum is over A_iw e_i.(e_0 + n_0): in the independent embeddings (e_0 + n_0)/sqrt 2, (e_0 - n_0)/sqrt 2, e_1, ...
that is a score too, with the rows A_0, A_0, sqrt 2 A_1, ...

On the sphere a monomial of inner products of different embeddings has an expectation that is not negative, and at most the
gaussian one. So moments are at most those of |A|, but for the constant (e_0.e_0)(u_y.u_y); and e_0.n_0 (u_y.u_y), which is no
score, is added by Minkowski's inequality. The variance is exact: different monomials are uncorrelated.
"""

import math

import numpy as np

from asymp.montecarlo.samplers.score_tails import Moments, bilinear_moments, half_squared_difference


def of_one_step_spread(
    *,
    d: int,
    N: int,
    M: int | None = None,
    T: int = 0,
    output: str = "target",
    inputs: str = "gaussian",
    outputs: str = "gaussian",
    eta: float = 1.0,
) -> float | None:
    """For N inputs in M equal classes, each under T noise vectors; none where noise is on one sphere alone."""
    M, y, sphere = N if M is None else M, int(output == "other"), "sphere" in (inputs, outputs)
    if T and inputs != outputs:
        return None
    A = (np.arange(N)[:, None] % M == np.arange(M)) - 1 / M
    if sphere:
        A = np.abs(A)
    rows = np.concatenate([A[:1], A[:1], math.sqrt(2) * A[1:]]) if T else A.copy()
    if T and sphere:
        rows[:2, y] = 0
    found = bilinear_moments(rows, 0, y, d=d, inputs="gaussian" if T else inputs, outputs=outputs)
    if not sphere:
        return half_squared_difference(found)
    high = found.high.copy()
    if T:
        for k in (4, 6, 8):
            component = math.prod((1 + 2 * i) / (d + 2 * i) for i in range(k // 2))
            high[k] = (high[k] ** (1 / k) + A[0, y] * component ** (1 / k)) ** k
        for k in (3, 5, 7):
            high[k] = high[k + 1] ** (k / (k + 1))
        others, own = np.delete(A[1:], y, 1), np.delete(A[0], y)
        high[2] = (
            2 * np.sum(others**2) / d**2
            + (2 * np.sum(A[1:, y] ** 2) + A[0, y] ** 2) / d
            + np.sum(own**2) * (d + 1) / d**2
        )
    # Entries of either sign leave the signs of odd moments open: of products of two different ones the least is minus the largest.
    v, odd = high[2], (0, -1, 1, -1)
    low = [odd[k // 2] * high[k] if k % 2 else v ** (k / 2) for k in range(len(high))]
    return half_squared_difference(Moments(found.mean, np.array(low), high))
