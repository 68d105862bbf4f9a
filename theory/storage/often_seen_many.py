"""Inputs seen at least s times at many points at once: the sums of `often_seen` over nodes that all points share."""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from asymp.theory.storage.often_seen import FAINT, seen_often
from asymp.theory.storage.smooth_sums import block_ends, sum_nodes
from asymp.theory.zipf.power_sums import FloatArray, power_sum

__all__ = ["seen_often_many", "shared_nodes"]

FARTHEST = 2**60
"""Sums over more inputs go one by one."""

CHUNK = 200_000
"""Nodes at a time, to bound the memory."""


def seen_often_many(*, alpha: FloatArray, T: FloatArray, s: FloatArray, N: FloatArray) -> tuple[FloatArray, FloatArray]:
    """`seen_often`, number and lost mass, at points given as arrays of one dimension; relative error about 1e-11."""
    with np.errstate(divide="ignore", invalid="ignore"):
        C = 1 / power_sum(alpha, 1.0, N)
        # the first input with T p <= FAINT, and after it the end of a block of nodes
        faint = np.exp(np.clip(np.log(np.maximum(T * C / FAINT, 1.0)) / alpha, 0, 600))
    x, w, ends = shared_nodes()
    block = np.searchsorted(ends, np.where(T * C < FAINT, 0.0, np.minimum(faint, FARTHEST)))
    cut = ends[block]
    # Steep sums have nodes of their own, as have those that the law's last input ends.
    shared = (alpha > 0) & (s <= T) & (faint < FARTHEST) & (cut < N) & (alpha**2 * s <= 30)
    number, lost = np.empty(C.shape), np.empty(C.shape)
    for i in np.flatnonzero(~shared):
        one = seen_often(alpha=float(alpha[i]), T=float(T[i]), s=float(s[i]), N=float(N[i]))
        number[i], lost[i] = one.number, one.lost
    rows = np.flatnonzero(shared)
    length = np.searchsorted(x, cut[rows], side="right")
    for part in np.split(np.arange(rows.size), np.flatnonzero(np.diff(np.cumsum(length) // CHUNK)) + 1):
        here, nodes = rows[part], length[part]
        number[here], lost[here] = _near(alpha[here], T[here], s[here], C[here], x, w, nodes)
    more, mass = _far(alpha[rows], T[rows], s[rows], C[rows], cut[rows], N[rows])
    number[rows] += more
    lost[rows] += mass
    return number, lost


@lru_cache(maxsize=8)
def shared_nodes(parts: int = 2) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Nodes and weights of the whole range, and where a sum may end: with a block."""
    x, w = sum_nodes(first=1, last=4 * FARTHEST, parts=parts)
    return x, w, np.concatenate([[0.0], block_ends(4 * FARTHEST, parts)])


def _near(
    a: FloatArray, T: FloatArray, s: FloatArray, C: FloatArray, x: FloatArray, w: FloatArray, nodes: NDArray[np.int64]
) -> Any:
    """sum of P(Bin >= s), and of p P(Bin < s), over the first nodes of each point."""
    from scipy.special import betainc, betaincc

    row = np.repeat(np.arange(nodes.size), nodes)
    place = np.arange(row.size) - np.repeat(np.cumsum(nodes) - nodes, nodes)
    p = np.minimum(C[row] * x[place] ** -a[row], 1.0)
    least, most = s[row], (T - s + 1)[row]
    often = betainc(least, most, p)
    seldom = 1 - often
    close = often > 0.5
    seldom[close] = betaincc(least[close], most[close], p[close])
    weight = w[place]
    return tuple(
        np.bincount(row, weight * each, minlength=nodes.size).astype(np.float64) for each in (often, p * seldom)
    )


def _far(a: FloatArray, T: FloatArray, s: FloatArray, C: FloatArray, cut: FloatArray, N: FloatArray) -> Any:
    """The same over the inputs beyond `cut`, where T p <= FAINT, by the series in p."""
    from scipy.special import betaln

    # binom(T, s) C^s in logarithms: it overflows, and two log-gammas of T would cancel.
    front = s * np.log(C) - np.log(T + 1) - betaln(T - s + 1, s + 1)
    exponents = a[:, None] * (s[:, None] + np.arange(7))
    start, left = (cut + 1)[:, None], (N - cut)[:, None]
    # sum x^-e = start^-e sum (x/start)^-e; the second sum is of order start/e at most, and 1 where e is enormous.
    logs = exponents * np.log(start)
    relative = power_sum(np.minimum(exponents, 600 / np.maximum(np.log(start), 1e-3)), start, left)
    relative = np.where(logs < 600, relative * np.exp(np.minimum(logs, 600.0)), 1.0)
    powers = np.exp(np.maximum(front[:, None] - logs, -745.2)) * relative
    number, mass, coefficient = np.zeros(a.shape), np.zeros(a.shape), np.ones(a.shape)
    for k in range(6):
        share = coefficient * s / (s + k) * C**k
        number += share * powers[:, k]
        mass += share * powers[:, k + 1]
        coefficient *= (s - T + k) / (k + 1)
    return number, C * (power_sum(a, cut + 1, N - cut) - mass)
