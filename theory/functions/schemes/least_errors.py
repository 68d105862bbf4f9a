"""The least error of any weights at many points at once: N infinite, and a cost that is convex and smooth.

At the level L = log(C/lambda) the x-th input has the margin a(l), l = L - alpha log x (see margin_cost). For one M a(l) and
pi_M(a(l)) are tables, and all points share the nodes of the sums over x; where l < FAINT they are power series in e^l,
summed over x by power sums. Newton's method solves sum a^2 = d M for L. The error is taken from the dual,

    E = C [sum_x x^-alpha pi_M(a(l)) + e^-L (sum_x a(l)^2 - d M)],

which is stationary in L: what is left of L's error counts squared.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from asymp.theory.functions.arguments import FloatArray
from asymp.theory.functions.numerics import PanelTable, make_table
from asymp.theory.functions.schemes.margin_cost import log_error, make_cost
from asymp.theory.functions.schemes.optimal_storage import smooth_integrals
from asymp.theory.functions.zipf.power_sums import power_sum
from asymp.theory.functions.zipf.smooth_sums import shared_nodes

FINENESS = ((8, 0.25, 2), (14, 0.25, 4), (20, 0.125, 8))
"""Up to an M: the width of the tables' panels and the parts of the sums' blocks. The more outputs, the steeper is a(l)."""

MOST_OUTPUTS, STEEPEST = 20, 5.0
"""The largest M and alpha for which that leaves 1e-12 or less (tests)."""

FAINT, LOW, HIGH = -8.0, -10.5, 64.0
"""Where series take over, at the latest a block of nodes further on; the table's ends."""

TERMS = 6
"""Of the series in e^l <= e^-8: the first that is left out is below e^-48 of the sum."""

FARTHEST = 2.0**58
CHUNK = 40_000


@dataclass(frozen=True)
class Levels:
    """log a(l) and log pi_M(a(l)) as tables; a^2 = e^2l sum_k squares_k e^kl and 1 - 1/M - pi_M = e^l sum_k gains_k e^kl."""

    parts: int
    margin: PanelTable
    error: PanelTable
    squares: FloatArray
    gains: FloatArray


@lru_cache(maxsize=64)
def _levels(M: int) -> Levels:
    cost, (width, parts) = make_cost(M), next((width, parts) for most, width, parts in FINENESS if most >= M)
    margin = make_table(lambda level: np.log(cost.margin(level)), LOW, HIGH, width)
    error = make_table(lambda level: log_error(cost.margin(level), M), LOW, HIGH, width)
    nodes = np.cos(np.pi * (np.arange(TERMS) + 0.5) / TERMS)
    z = np.exp(FAINT) * (1 + nodes) / 2
    a = cost.margin(np.log(z))
    powers = z[:, None] ** np.arange(TERMS)
    scale = np.exp(FAINT) ** np.arange(TERMS)
    squares = np.linalg.solve(powers / scale, (a / z) ** 2) / scale
    # dE/dz: the gain of an input is the integral of -dpi = e^-l d(a^2) = sum_k (k + 2) squares_k z^k dz
    gains = squares * (np.arange(TERMS) + 2) / (np.arange(TERMS) + 1)
    return Levels(parts=parts, margin=margin, error=error, squares=squares, gains=gains)


def least_errors(*, alpha: FloatArray, M: int, d: FloatArray) -> FloatArray:
    """`optimal_weights(...).error` for arrays of one dimension, N = inf; NaN where a point is beyond the tables."""
    levels = _levels(M)
    C, log_budget = 1 / power_sum(alpha, 1.0, np.inf), np.log(d * M)
    # The limit of large d; concave as log sum a^2 is in L, Newton's method comes back from below.
    L = np.maximum(alpha * (log_budget - np.log(smooth_integrals(alpha, M))), 0.0)
    found = np.full(L.shape, np.nan)
    rows = np.arange(L.size)
    for _ in range(30):
        rows = rows[(L[rows] < HIGH) & (L[rows] > FAINT) & (L[rows] - FAINT < alpha[rows] * np.log(FARTHEST))]
        if not rows.size:
            break
        spent, slope, _ = _sums(levels, alpha[rows], L[rows], M, error=False)
        step = np.clip((log_budget[rows] - np.log(spent)) * spent / slope, -2.0, 2.0)
        L[rows] += step
        # The error of the next L is of the order of the square, and of the dual that of its square.
        done = rows[np.abs(step) < 1e-4]
        if done.size:
            done = done[(L[done] < HIGH) & (L[done] > FAINT)]
            spent, _, missed = _sums(levels, alpha[done], L[done], M, error=True)
            found[done] = C[done] * (missed + np.exp(-L[done]) * (spent - d[done] * M))
        rows = rows[np.abs(step) >= 1e-4]
    return found


def _sums(
    levels: Levels, alpha: FloatArray, L: FloatArray, M: int, *, error: bool
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """sum a^2, its derivative in L, and (if wanted) sum x^-alpha pi_M(a), over all inputs."""
    x, w, ends = shared_nodes(levels.parts)
    cut = ends[np.searchsorted(ends, np.exp((L - FAINT) / alpha) - 1)]
    length = np.searchsorted(x, cut, side="right")
    log_x = np.log(x)
    spent, slope, missed = (np.empty(L.shape) for _ in range(3))
    for part in np.split(np.arange(L.size), np.flatnonzero(np.diff(np.cumsum(length) // CHUNK)) + 1):
        nodes = length[part]
        row = np.repeat(np.arange(nodes.size), nodes)
        place = np.arange(row.size) - np.repeat(np.cumsum(nodes) - nodes, nodes)
        scaled = alpha[part][row] * log_x[place]
        level = L[part][row] - scaled
        log_a, rise = levels.margin.with_slope(level)
        square = w[place] * np.exp(2 * log_a)
        spent[part] = np.bincount(row, square, minlength=nodes.size)
        slope[part] = np.bincount(row, 2 * square * rise, minlength=nodes.size)
        if error:
            lost = w[place] * np.exp(levels.error(level) - scaled)
            missed[part] = np.bincount(row, lost, minlength=nodes.size)
    k = np.arange(TERMS)
    # Sums of (e^L x^-alpha)^(k+2), as powers of its first term; where those underflow nothing is left.
    start, power = cut[:, None] + 1, alpha[:, None] * (k + 2)
    logs = power * np.log(start)
    tails = np.where(logs < 600, power_sum(power, start, np.inf) * np.exp(np.minimum(logs, 600.0)), 0.0)
    tails = tails * np.exp((k + 2) * L[:, None] - logs)
    terms = tails * levels.squares
    spent += terms.sum(axis=1)
    slope += (terms * (k + 2)).sum(axis=1)
    if error:
        gained = (tails * levels.gains).sum(axis=1) * np.exp(-L)
        missed += (1 - 1 / M) * power_sum(alpha, cut + 1, np.inf) - gained
    return spent, slope, missed
