"""The item error of N injective memories with gaussian outputs, whose lengths vary: an average over four normal variables."""

import numpy as np
from numpy.typing import ArrayLike

from asymp.theory.functions.arguments import FloatArray, float_arrays
from asymp.theory.lazy import special


def _chi_square_rule(d: FloatArray, nodes: int) -> tuple[FloatArray, FloatArray]:
    """Gauss nodes and weights for chi-square_d/d at each d: eigenvalues of the Jacobi matrix of the Laguerre polynomials."""
    different, place = np.unique(d, return_inverse=True)
    k, a = np.arange(nodes), different[:, None] / 2 - 1
    matrix = np.zeros((different.size, nodes, nodes))
    matrix[:, k, k] = 2 * k + 1 + a
    matrix[:, k[:-1], k[1:]] = matrix[:, k[1:], k[:-1]] = np.sqrt(k[1:] * (k[1:] + a))
    values, vectors = np.linalg.eigh(matrix)
    return (2 * values / different[:, None])[place], (vectors[:, 0, :] ** 2)[place]


def gaussian_output_error(
    *, d: ArrayLike, N: ArrayLike, length: ArrayLike, spread: ArrayLike, rough: bool = False
) -> FloatArray:
    """The item error of N injective memories with gaussian outputs, in float64, relative error about 1e-5.

    h = r u_z + sum_x xi_x u_x/sqrt d has the component a = r t + sqrt(N - 1)/d eta along u_z, t = |u_z|, and the rest
    w^2 = (N - 1)(d - 1) h/d^2 with h = chi-square_(d-1)/(d - 1). Given these the N - 1 competitors are exchangeable
    normals of variance (a^2 + w^2)(N - 2)/(d (N - 1)) + (h (1 - 1/d) + a eta/sqrt(N - 1))^2/d, exactly so but for the
    lengths of two vectors of R^(N-1), put at their means. r has mean `length` and standard deviation `spread`, and is
    drawn together with eta as one normal.
    """
    grid = float_arrays(d, N, length, spread)
    flat = [v.ravel() for v in grid]
    found = np.empty(flat[0].size)
    # At small d the lengths vary so much that every place in x may matter; else only the places about the peak do. The
    # steepest part, 1 - Phi^N, is analytic within 0.6 of the axis: a step of 0.3 leaves e^(-2 pi 0.6/0.3) = 4e-6.
    few = flat[0] < 16
    for rows, step, window in ((few, 0.15, None), (~few, 0.6 if rough else 0.3, 6.0 if rough else 7.0)):
        chosen = np.flatnonzero(rows)
        for start in range(0, chosen.size, 64):
            part = chosen[start : start + 64]
            nodes = (4, 3) if rough else (8, 6)
            found[part] = _gaussian_output_block([v[part] for v in flat], step, window, nodes)
    return found.reshape(grid[0].shape)


def _gaussian_output_block(
    given: list[FloatArray], step: float, window: float | None, nodes: tuple[int, int]
) -> FloatArray:
    """The errors at arrays d, N, length and spread of one dimension."""
    d, N, length, spread = (v[:, None, None, None] for v in given)
    noise = np.sqrt(N - 1) / d

    def lost(t: FloatArray, h: FloatArray, x: FloatArray) -> FloatArray:
        total = np.sqrt((t * spread) ** 2 + noise**2)
        a = length * t + total * x
        own = h * (1 - 1 / d) + a * (noise / total / np.sqrt(N - 1) * x)
        V = ((a**2 + (N - 1) * (d - 1) / d**2 * h) * ((N - 2) / (N - 1)) + own**2) / d
        return np.asarray(-np.expm1((N - 1) * special.log_ndtr(t * a / np.sqrt(V))))

    x = np.arange(-20.0, 8.1, step)
    if window is not None:
        one, coarse = np.ones(1), np.arange(-20.0, 8.1, 0.6)
        peak = coarse[np.argmax(lost(one, one, coarse) * np.exp(-(coarse**2) / 2), axis=-1)]
        x = peak[..., None] + np.arange(-window, window + 0.01, step)
    t_square, t_weight = _chi_square_rule(d.ravel(), nodes[0])
    h, h_weight = _chi_square_rule(d.ravel() - 1, nodes[1])
    weight = np.exp(-(x**2) / 2) * (step / np.sqrt(2 * np.pi))
    values = (lost(np.sqrt(t_square)[:, :, None, None], h[:, None, :, None], x) * weight).sum(axis=-1)
    return np.asarray(np.einsum("it,ith,ih->i", t_weight, values, h_weight))
