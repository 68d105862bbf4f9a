"""Bounds on the kurtosis of scores and of their sample variances, from the exact moments of what is drawn.

A score is the bilinear form g = sum over x, w of A_xw (u_w.u_y)(e_x.e_z). Given the lengths e of e_z and u of u_y it is
e u S, and S is a constant, linear terms, and products of independent normal variables of variance 1/d: with the singular
values s_i of A without row z and column y, and p_i and r_i the linear terms in the same axes,

    log E exp(t S) = t e u A_zy + sum over i of
        -log(1 - t^2 s_i^2)/2 + t^2 (e^2 p_i^2 + u^2 r_i^2 + 2 t e u s_i p_i r_i)/(2 (1 - t^2 s_i^2)).

Its coefficients are the cumulants, which give the moments; the squares of gaussian lengths are gamma variables, over which
Gauss's quadrature is exact for polynomials. On the sphere the lengths are 1 and a component has the moments of a normal
variable times d^k/(d (d + 2) ... (d + 2 k - 2)): every monomial of an even moment is smaller, by this factor at most, if A
has no negative entries. So moments of order up to 8 are known, or lie between two bounds.

A mean of values over which nothing else is known has at most the fourth moment of one of them (convexity), and so has a
sample variance: it is an average, over all ways to pair its draws, of means of independent halves of squared differences.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

ORDERS = 8
NODES = 24


@dataclass(frozen=True)
class Moments:
    """Bounds on the central moments of orders 0 to 8, `low` and `high`, and the mean."""

    mean: float
    low: np.ndarray
    high: np.ndarray

    @property
    def kurtosis(self) -> float:
        """Of the values themselves."""
        return _ratio(self.high[4], self.low[2])

    @property
    def raw(self) -> np.ndarray:
        """The raw moments, where the central ones are known."""
        n = np.arange(ORDERS + 1)
        return np.array([sum(math.comb(k, j) * self.high[j] * self.mean ** (k - j) for j in range(k + 1)) for k in n])


@lru_cache(maxsize=256)
def squared_lengths(d: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of Gauss's quadrature for the squared length of a gaussian embedding, chi^2_d/d."""
    k = np.arange(1, NODES)
    matrix = np.diag(2.0 * np.arange(NODES) + d / 2) + np.diag(np.sqrt(k * (k + d / 2 - 1)), 1)
    values, vectors = np.linalg.eigh(matrix, UPLO="U")
    return values * 2 / d, vectors[0] ** 2


def of_cumulants(cumulants: np.ndarray, weights: np.ndarray) -> tuple[float, np.ndarray]:
    """The mean and the central moments of a mixture with these weights; cumulants of orders 1 to 8 are rows."""
    mean = float(cumulants[0] @ weights)
    shifted = np.concatenate([cumulants[:1] - mean, cumulants[1:]])
    moments = [np.ones_like(weights)]
    for n in range(1, ORDERS + 1):
        moments.append(sum(math.comb(n - 1, k - 1) * shifted[k - 1] * moments[n - k] for k in range(1, n + 1)))
    return mean, np.array(moments) @ weights


def bilinear_moments(A: np.ndarray, z: int, y: int, *, d: int, inputs: str, outputs: str) -> Moments:
    """The moments of the score of row z and column y, for weights A (inputs, outputs) without negative entries."""
    rest = np.delete(np.delete(A, z, 0), y, 1)
    left, s, right = np.linalg.svd(rest, full_matrices=False) if rest.size else (np.empty((0, 0)),) * 3
    row, column = np.delete(A[z], y), np.delete(A[:, y], z)
    s = s.reshape(-1)
    p, r = (right @ row if len(s) else np.empty(0)), (left.T @ column if len(s) else np.empty(0))
    # what lies outside of the singular vectors is a linear term alone
    alone = row @ row - p @ p, column @ column - r @ r
    e2, e_weights = squared_lengths(d) if inputs == "gaussian" else (np.ones(1), np.ones(1))
    u2, u_weights = squared_lengths(d) if outputs == "gaussian" else (np.ones(1), np.ones(1))
    e2, u2 = (grid.ravel() for grid in np.meshgrid(e2, u2, indexing="ij"))
    weights = np.outer(e_weights, u_weights).ravel()
    both = np.sqrt(e2 * u2)
    s, p, r, alone = s / d, p / math.sqrt(d), r / math.sqrt(d), (max(0.0, alone[0]) / d, max(0.0, alone[1]) / d)
    cumulants = []
    for n in range(1, ORDERS + 1):
        if n == 1:
            found = both * A[z, y]
        elif n % 2:
            found = math.factorial(n) * both * np.sum(s ** (n - 2) * p * r)
        else:
            linear = e2 * np.sum(s ** (n - 2) * p**2) + u2 * np.sum(s ** (n - 2) * r**2)
            if n == 2:
                linear = linear + e2 * alone[0] + u2 * alone[1]
            found = math.factorial(n - 1) * np.sum(s**n) + math.factorial(n) / 2 * linear
        cumulants.append(both**n * found)
    mean, high = of_cumulants(np.array(cumulants), weights)
    return Moments(mean, high * _smaller(d, (inputs, outputs).count("sphere")), high)


def _smaller(d: int, spheres: int) -> np.ndarray:
    """By which factor moments of each order are smaller, at most, where components are those of so many spheres."""
    factors = [math.prod(d / (d + 2 * i) for i in range(n // 2)) ** spheres for n in range(ORDERS + 1)]
    return np.array([factor if n % 2 == 0 or not spheres else 0.0 for n, factor in enumerate(factors)])


def quadratic_moments(own: float, others: float, *, d: int, embeddings: str) -> Moments:
    """The moments of u.(own u + others v), u an embedding and others v a sum of independent ones of squared weight others^2."""
    squared, weights = squared_lengths(d) if embeddings == "gaussian" else (np.ones(1), np.ones(1))
    cumulants = np.zeros((ORDERS, len(squared)))
    cumulants[0], cumulants[1] = own * squared, others**2 * squared / d
    mean, high = of_cumulants(cumulants, weights)
    return Moments(mean, high * _smaller(d, int(embeddings == "sphere")), high)


def _halves(x: Moments) -> tuple[np.ndarray, np.ndarray]:
    """Bounds on the raw moments of orders 0 to 4 of half the squared difference of two independent values."""
    low, high = [], []
    for k in range(5):
        n = range(2 * k + 1)
        even = [(math.comb(2 * k, j), j, 2 * k - j) for j in n if j % 2 == 0]
        odd = [(math.comb(2 * k, j), j, 2 * k - j) for j in n if j % 2]
        least, most = (sum(c * m[i] * m[j] for c, i, j in even) for m in (x.low, x.high))
        low.append(max(0.0, least - sum(c * x.high[i] * x.high[j] for c, i, j in odd)) / 2**k)
        high.append((most - sum(c * x.low[i] * x.low[j] for c, i, j in odd)) / 2**k)
    return np.array(low), np.array(high)


def half_squared_difference(x: Moments) -> float:
    """A bound on the kurtosis of half the squared difference of two independent values."""
    return sample_variance(x, 2)


def sample_variance(x: Moments, draws: int) -> float:
    """A bound on the kurtosis of the unbiased sample variance of so many values."""
    low, high = _halves(x)
    mean, pairs = float(x.high[2]), draws // 2
    fourth = high[4] - 4 * mean * low[3] + 6 * mean**2 * high[2] - 3 * mean**4
    most, least = high[2] - mean**2, max(0.0, low[2] - mean**2)
    of_means = (fourth + 3 * (pairs - 1) * most**2) / pairs**3
    variance = (x.low[4] - (draws - 3) / (draws - 1) * mean**2) / draws if draws > 2 else least
    # a fourth moment is at least the square of the variance
    variance = max(variance, 2 * mean**2 / (draws * (draws - 1)))
    return _ratio(of_means, variance)


def _ratio(fourth: float, variance: float) -> float:
    """The kurtosis; values without a spread, which have none, count as normal ones."""
    return float(fourth / variance**2) if variance > 0 else 3.0


def sample_covariance(x: Moments, y: Moments, draws: int) -> float:
    """A bound on the kurtosis of the unbiased sample covariance of so many pairs, however they depend on each other."""
    spread = math.sqrt(x.high[2] * y.high[2])
    fourth = (math.sqrt(_halves(x)[1][4] * _halves(y)[1][4]) ** 0.25 + spread) ** 4
    second = math.sqrt(_halves(x)[1][2] * _halves(y)[1][2])
    pairs = draws // 2
    return float((fourth + 3 * (pairs - 1) * second**2) / pairs**3 * (draws * (draws - 1) / spread**2) ** 2)


def square(x: Moments) -> float:
    """The kurtosis of the square of values whose moments are known."""
    raw = x.raw
    mean, variance = raw[2], raw[4] - raw[2] ** 2
    return float((raw[8] - 4 * mean * raw[6] + 6 * mean**2 * raw[4] - 3 * mean**4) / variance**2)
