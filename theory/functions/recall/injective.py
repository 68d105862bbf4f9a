"""One output for each input: the recall error at large d when f is injective, and how many memories are then held.

With P stored inputs of weight 1 and M outputs, every wrong output's score is about normal with variance P/d^2 (products of two
overlaps of variance 1/d; the input's own overlap adds 1/d, which is less than P/d^2 once P >> d). An input is lost with
probability pi_M(d/sqrt P), and stored inputs number P ~ d^2/(2 log M), not d: the bound of order d^(1-alpha) for M = O(1) gives
way to d^(-2 (alpha-1)), up to logarithms.

    E(P) = p{x > P} + p{x <= P} pi_N(d/sqrt P)         (M = N outputs; what is not stored is wrong)

The item error of N injective memories with gaussian outputs, whose lengths vary: an average over four normal variables.
"""

import math

import mpmath as mp
import numpy as np
from numpy.typing import ArrayLike

from asymp.theory.functions.arguments import FloatArray, Mpf, float_arrays, guarded
from asymp.theory.functions.recall.gaussian_error import gaussian_error_digits, gaussian_slope_digits, log_pi_M
from asymp.theory.lazy import special


def memories_held(*, M: ArrayLike, d: ArrayLike, e: ArrayLike) -> FloatArray:
    """n = d M/a^2 with pi_M(a) = e: equally stored memories, M outputs shared out evenly, each lost with probability e.

    0 < e < 1 - 1/M; arrays broadcast; relative error about 1e-10. M = O(1): it needs d -> inf at fixed M.
    """
    M, d, e = float_arrays(M, d, e)
    if not np.all((e > 0) & (e < 1 - 1 / M)):
        raise ValueError("e must satisfy: 0 < e < 1 - 1/M, the error of a guess")
    # Regula falsi (Illinois) on all points at once: log pi_M falls in a, and is concave.
    target = np.log(e)
    low, high = np.zeros(e.shape), 2 * np.sqrt(np.log(M)) + 2 * np.sqrt(-target) + 4
    f_low, f_high = np.log1p(-1 / M) - target, np.asarray(log_pi_M(a=high, M=M)) - target
    for _ in range(100):
        a = high - f_high * (high - low) / (f_high - f_low)
        f = np.asarray(log_pi_M(a=a, M=M)) - target
        same = np.sign(f) == np.sign(f_high)
        low, f_low = np.where(same, low, high), np.where(same, f_low / 2, f_high)
        high, f_high = a, f
        if np.all((np.abs(f) < 1e-14) | (np.abs(high - low) < 1e-13 * high)):
            break
    return np.asarray(d * M / high**2)


@guarded(15)
def memories_held_digits(*, M: Mpf, d: Mpf, e: Mpf, digits: int = 50) -> Mpf:
    """The same to `digits` significant digits, an mpmath number."""
    start = math.sqrt(float(d * M) / float(memories_held(M=float(M), d=float(d), e=float(e))))
    a = mp.mpf(start)
    # Newton's method on log pi_M doubles the digits: three steps from ten take it to eighty.
    while True:
        lost = gaussian_error_digits(a=a, M=M, digits=digits + 12)
        step = mp.log(lost / e) * lost / gaussian_slope_digits(a=a, M=M, digits=digits + 12)
        a += step
        if abs(step) < a * mp.mpf(10) ** (-digits // 2 - 8):
            break
    return d * M / a**2


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
