"""Chi variables, and from them embeddings, as smooth functions of normal variables, for quasi-Monte Carlo.

chi_k = F_k^-1(Phi(z)) for every k: log(chi_k/sqrt k) is a smooth function of z. Up to k = LARGE it is a cubic spline through
exact values (interpolation error below 1e-8); above, the Cornish-Fisher series of chi-square, whose first omitted term is
below 1e-10 of the whole.
"""

import math
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
