"""The error of inputs that fail often: exact in the own noise of the class, quasi-Monte Carlo in the rest.

Given the Gram matrix G of the outputs, the norm r of the input and the noise v_j of the other classes, the class c of
the input wins iff (G_cc - G_kc) v_c > sum_{j != c} (G_kj - G_cj) v_j for every k != c: v_c must lie between the largest
quotient with a positive divisor G_cc - G_kc and the smallest with a negative one. v_c = q r + sqrt(D_c/d) xi_c is
Gaussian, so the probability of an error is two values of Phi. One draw of G, r and v serves every class c. The embeddings
are written in the basis of their QR decomposition (Bartlett), so that any d >= 1, also d < M, needs at most M columns.

Chi variables, and from them embeddings, as smooth functions of normal variables, for quasi-Monte Carlo.

chi_k = F_k^-1(Phi(z)) for every k: log(chi_k/sqrt k) is a smooth function of z. Up to k = LARGE it is a cubic spline through
exact values (interpolation error below 1e-8); above, the Cornish-Fisher series of chi-square, whose first omitted term is
below 1e-10 of the whole.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from asymp.theory.functions.arguments import FloatArray
from asymp.theory.lazy import interpolate, special

LARGE = 20_000
CELLS, EDGE = 400, 8.6


def chi(z: FloatArray, k: int) -> FloatArray:
    """chi_k/sqrt(k) at the normal quantiles z (|z| < 8.6 or clipped there: a probability of 1e-17)."""
    z = np.clip(z, -EDGE, EDGE)
    if k > LARGE:
        root = math.sqrt(2.0 / k)
        z2 = z * z
        series = (
            z * root
            + 2 / 3 * (z2 - 1) / k
            + z * (z2 - 7) / (18 * k) * root
            - ((6 * z2 + 14) * z2 - 32) / (405.0 * k * k)
            + z * ((9 * z2 + 256) * z2 - 433) / (9720.0 * k * k) * root
        )
        return np.asarray(np.sqrt(1 + series))
    coefficients = _spline(k)
    position = (z + EDGE) * (CELLS / (2 * EDGE))
    cell = np.minimum(position.astype(np.int64), CELLS - 1)
    x = position - cell
    c3, c2, c1, c0 = (c[cell] for c in coefficients)
    return np.asarray(np.exp(((c3 * x + c2) * x + c1) * x + c0))


@lru_cache(maxsize=512)
def _spline(k: int) -> FloatArray:
    z = np.linspace(-EDGE, EDGE, CELLS + 1)
    square = np.where(z < 0, special.gammaincinv(k / 2, special.ndtr(z)), special.gammainccinv(k / 2, special.ndtr(-z)))
    # One unit of the spline's variable is one cell.
    return np.asarray(interpolate.CubicSpline(np.arange(CELLS + 1.0), np.log(2 * square / k) / 2).c)


def bartlett_dimensions(rows: int, d: int) -> int:
    """How many normals make `rows` Gaussian vectors in R^d up to a rotation."""
    columns = min(rows, d)
    return columns * (columns + 1) // 2 + (rows - columns) * columns


def bartlett(z: FloatArray, rows: int, d: int, sphere: bool) -> FloatArray:
    """N(0, I/d) vectors in the basis of their QR decomposition, (n, rows, min(rows, d)); with `sphere` of length 1.

    Below the diagonal entries are normal, on it chi_d, chi_{d-1}, ...
    """
    columns = min(rows, d)
    L = np.zeros((len(z), rows, columns))
    used = 0
    # The first column first: it holds the overlaps with the first vector, which matter most.
    for j in range(columns):
        L[:, j, j] = chi(z[:, used], d - j) * np.sqrt((d - j) / d)
        L[:, j + 1 :, j] = z[:, used + 1 : used + rows - j] / np.sqrt(d)
        used += rows - j
    if sphere:
        L /= np.sqrt(np.sum(L**2, axis=2, keepdims=True))
    return L


@dataclass(frozen=True)
class Bulk:
    """The error of an input as an integral over normals: the norm r, the others' noise, the embeddings."""

    M: int
    d: int
    sphere: bool

    @property
    def dimensions(self) -> tuple[int, int]:
        """How many uniforms and normals `values` takes."""
        return 0, 1 + self.M + bartlett_dimensions(self.M, self.d)

    def values(self, q: FloatArray, S: FloatArray, z: FloatArray) -> FloatArray:
        """The integrand (n, M) for an input of weight q[i, c] of each class c, in memories with class sums S (n, M)."""
        M, d = self.M, self.d
        mean = q * chi(z[:, 0], d)[:, None]
        v = np.sqrt(S / d) * z[:, 1 : M + 1]
        values = errors(mean, np.sqrt(own_noise(S, q) / d), v, bartlett(z[:, M + 1 :], M, d, self.sphere))
        # A memory that holds nothing guesses.
        return np.where(S.sum(axis=1, keepdims=True) > 0, values, 1 - 1 / M)


@dataclass(frozen=True)
class Line:
    """The error for outputs u_y = +1 or -1 (the sphere of d = 1), in closed form, ties broken at random.

    The memory answers with the outputs that have the sign of w = sum_k v_k u_k. u_f w > 0 has probability
    P = 1/2 + arctan(q/sqrt(S - q^2))/pi, S the sum of all q^2, independently of the signs of the other M - 1 outputs. Then
    f wins with the mean of 1/(1 + their number of the same sign), (2 - 2^(1-M))/M; else only if all tie: 2^(1-M)/M.
    """

    M: int

    @property
    def dimensions(self) -> tuple[int, int]:
        """How many uniforms and normals `values` takes."""
        return 0, 0

    def values(self, q: FloatArray, S: FloatArray, z: FloatArray) -> FloatArray:
        """The errors (n, M), as in Bulk."""
        noise = own_noise(S.sum(axis=1, keepdims=True), q)
        right = 0.5 + np.arctan2(q, np.sqrt(noise)) / np.pi
        tie = 2.0 ** (1 - self.M)
        right = np.where(S.sum(axis=1, keepdims=True) > 0, right, 0.5)
        return np.asarray(1 - (right * (2 - tie) + (1 - right) * tie) / self.M)


def own_noise(S: FloatArray, q: FloatArray) -> FloatArray:
    """D_c = S_c - q^2, and 0 where that is the rounding error of an input alone in its class."""
    D = S - q**2
    return np.where(D > 1e-13 * S, D, 0.0)


def errors(mean: FloatArray, deviation: FloatArray, v: FloatArray, embeddings: FloatArray) -> FloatArray:
    """P(c does not win) for every class c (n, M): v_c ~ N(mean, deviation^2), the others' noise being v."""
    gram = np.matmul(embeddings, embeddings.transpose(0, 2, 1))
    scores = np.matmul(gram, v[:, :, None])[:, :, 0]
    divisor = np.diagonal(gram, axis1=1, axis2=2)[:, :, None] - gram
    own = np.arange(v.shape[1])
    divisor[:, own, own] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        # sum_{j != c} (G_kj - G_cj) v_j = (G v)_k - (G v)_c + (G_cc - G_kc) v_c
        bound = (scores[:, None, :] - scores[:, :, None]) / divisor
        low = np.max(bound, axis=2, where=divisor > 0, initial=-np.inf) + v
        high = np.min(bound, axis=2, where=divisor < 0, initial=np.inf) + v
        # Without own noise the comparison itself decides.
        below = np.where(deviation > 0, special.ndtr((low - mean) / deviation), (low >= mean).astype(np.float64))
        above = np.where(deviation > 0, special.ndtr((mean - high) / deviation), (high <= mean).astype(np.float64))
    return np.where(low < high, np.minimum(below + above, 1.0), 1.0)
