"""Sums of a smooth function over very many integers: Gauss quadrature for the counting measure.

The sum over a block of n consecutive integers is the integral against the discrete uniform measure, whose orthogonal
polynomials (Gram, or discrete Chebyshev) have the recurrence coefficients beta_k = (n^2 - k^2)/(4 (4 - 1/k^2)). The
Gauss rule with m nodes sums polynomials of degree 2 m - 1 exactly, and gives the block itself for n <= m. On blocks [A,
3A/2) a power x^-s, singular at 0 only, is analytic in an ellipse of parameter 5 + sqrt 24, so 16 nodes sum it to about
9.9^-32: functions that are smooth on a logarithmic scale cost 28 values a doubling, where direct summation costs them
all.
"""

from functools import lru_cache

import numpy as np

from asymp.theory.functions.arguments import FloatArray

FARTHEST = 2**60
"""The nodes that many sums share reach this far."""

FIRST_TERMS, NODES = 32, 16
"""The first integers are taken one by one; later blocks have half the length of what is before them, and 16 nodes."""


def sum_nodes(*, first: int, last: int, steep: float | None = None, parts: int = 2) -> tuple[FloatArray, FloatArray]:
    """x and w with sum_{x=first}^{last} F(x) = sum_i w_i F(x_i) for F smooth on a logarithmic scale; first >= 1.

    Around x = steep, if given, F may be as steep as it likes down to a ten-thousandth of x: blocks shrink towards it.
    With more `parts` all blocks are shorter, 1/parts of what is before them.
    Nodes are no integers beyond the first 32. Nothing is summed (empty arrays) where last < first.
    """
    if first < 1:
        raise ValueError(f"first must be an integer >= 1, got {first}")
    xs, ws = [np.empty(0)], [np.empty(0)]
    start = int(first)
    while start <= last:
        # Half the distance from 0, where powers are singular.
        length = int(min(max(start // parts, 1) if start > FIRST_TERMS else FIRST_TERMS + 1 - start, last - start + 1))
        if steep is not None and start > FIRST_TERMS:
            length = min(length, max(int(abs(start - steep) / 2), int(1e-4 * steep), NODES))
        if length <= NODES or start <= FIRST_TERMS:
            xs.append(start + np.arange(length, dtype=np.float64))
            ws.append(np.ones(length))
        else:
            offset, weight = _rule(float(length))
            xs.append(start + offset)
            ws.append(weight)
        start += length
    return np.concatenate(xs), np.concatenate(ws)


def block_ends(last: int, parts: int = 2) -> FloatArray:
    """Where a sum over 1, 2, ... may end so that its nodes are the first of those of every longer one."""
    ends = [float(x) for x in range(1, FIRST_TERMS + 1)]
    end = FIRST_TERMS
    while end < last:
        end += max((end + 1) // parts, 1)
        ends.append(float(end))
    return np.array(ends)


@lru_cache(maxsize=8)
def shared_nodes(parts: int = 2) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Nodes and weights for sums over 1, 2, ... that may end where a block does, and these ends (0 is the first)."""
    x, w = sum_nodes(first=1, last=4 * FARTHEST, parts=parts)
    return x, w, np.concatenate([[0.0], block_ends(4 * FARTHEST, parts)])


@lru_cache(maxsize=4096)
def _rule(n: float) -> tuple[FloatArray, FloatArray]:
    """Nodes in [0, n-1] and weights of the Gauss rule of the sum over 0..n-1 (Golub and Welsch)."""
    k = np.arange(1, NODES, dtype=np.float64)
    beta = (1 - (k / n) ** 2) / (4 * (4 - 1 / k**2))
    matrix = np.diag(np.sqrt(beta), 1)
    nodes, vectors = np.linalg.eigh(matrix + matrix.T)
    return (n - 1) / 2 + n * nodes, n * vectors[0] ** 2
