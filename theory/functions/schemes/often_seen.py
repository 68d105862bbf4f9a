"""Inputs seen at least s times in T samples of a Zipf law: how many there are, and the mass that is left out.

    n = sum_x P(Bin(T, p(x)) >= s),   lost = sum_x p(x) P(Bin(T, p(x)) < s),   p(x) = C x^-alpha, x = 1..N.

A memory with q = 1{seen at least s times} stores n inputs on average and can say nothing about the mass lost; s = 1 is the
scheme "fill". At large d, balanced classes and n well above 1, where n fluctuates little, its error is

    E = (1 - 1/M) lost + (1 - lost) pi_M(sqrt(d M/n)).

P(Bin >= s) = I_p(s, T-s+1) = sum_k binom(T, s) s/(s+k) (s-T)_k/k! p^(s+k): where T p is small the series is summed over x by
power sums, so that N may be infinite. For N = inf and T -> inf at fixed s, with a = 1 - 1/alpha (beta integrals),

    n ~ (C T)^(1/alpha) Gamma(s - 1/alpha)/Gamma(s) - 1/2,   lost ~ C^(1/alpha)/(alpha - 1) Gamma(s + a)/Gamma(s) T^-a.
"""

import math
from dataclasses import dataclass

import mpmath as mp
import numpy as np
from numpy.typing import ArrayLike

from asymp.theory.functions.arguments import FloatArray, IntArray, Mpf, float_arrays, guarded, rounded, whole
from asymp.theory.functions.recall.gaussian_error import gaussian_error_digits, pi_M
from asymp.theory.functions.zipf.law import normaliser
from asymp.theory.functions.zipf.power_sums import power_sum, power_sum_mp
from asymp.theory.functions.zipf.smooth_sums import FARTHEST, shared_nodes, sum_nodes
from asymp.theory.lazy import special

FAINT, SERIES = 1e-3, 8
"""The series is used from T p = FAINT on (float64: six terms), or from T p = SERIES on (mpmath)."""

MOST = 30_000
"""Terms (inputs times counts) that mpmath adds up one by one."""

CHUNK = 200_000
"""Nodes at a time, to bound the memory."""


@dataclass(frozen=True)
class OftenSeen:
    """The mean number of the inputs seen at least s times, and the mean mass of the others."""

    number: FloatArray
    lost: FloatArray


def seen_often(*, alpha: ArrayLike, T: ArrayLike, s: ArrayLike, N: ArrayLike = math.inf) -> OftenSeen:
    """Number and lost mass in float64 for whole numbers s >= 1 and T >= 0; arrays broadcast; relative error about 1e-11."""
    grid = float_arrays(alpha, T, s, N)
    a, t, least, size = (v.ravel() for v in grid)
    number, lost = np.zeros(a.shape), np.ones(a.shape)  # where s > T
    with np.errstate(divide="ignore", invalid="ignore"):
        C = 1 / power_sum(a, 1.0, size)
        # the first input with T p <= FAINT, and after it the end of a block of nodes
        faint = np.exp(np.clip(np.log(np.maximum(t * C / FAINT, 1.0)) / a, 0, 600))
    x, w, ends = shared_nodes()
    cut = ends[np.searchsorted(ends, np.where(t * C < FAINT, 0.0, np.minimum(faint, FARTHEST)))]
    # Steep sums have nodes of their own, as have those that the law's last input ends.
    shared = (a > 0) & (faint < FARTHEST) & (cut < size) & (a**2 * least <= 30)
    own = np.where(a > 0, np.where(t * C < FAINT, 0.0, np.floor(np.minimum(faint, size))), size)
    cut = np.where(shared, cut, own)
    rows = np.flatnonzero(shared & (least <= t))
    length = np.searchsorted(x, cut[rows], side="right")
    for part in np.split(np.arange(rows.size), np.flatnonzero(np.diff(np.cumsum(length) // CHUNK)) + 1):
        here, nodes = rows[part], length[part]
        row = np.repeat(np.arange(here.size), nodes)
        place = np.arange(row.size) - np.repeat(np.cumsum(nodes) - nodes, nodes)
        number[here], lost[here] = _near(a[here], t[here], least[here], C[here], x[place], w[place], row)
    for i in np.flatnonzero(~shared & (least <= t)):
        here = np.array([i])
        nodes_of = _own_nodes(float(a[i]), float(t[i] * C[i] / least[i]), float(least[i]), float(cut[i]))
        number[here], lost[here] = _near(
            a[here], t[here], least[here], C[here], *nodes_of, np.zeros(nodes_of[0].size, int)
        )
    rows = np.flatnonzero((cut < size) & (least <= t))
    more, mass = _far(a[rows], t[rows], least[rows], C[rows], cut[rows], size[rows])
    number[rows] += more
    lost[rows] += mass
    return OftenSeen(number.reshape(grid[0].shape), lost.reshape(grid[0].shape))


def _own_nodes(a: float, ratio: float, s: float, cut: float) -> tuple[FloatArray, FloatArray]:
    """Nodes and weights of the sum over x <= cut at one point; ratio = T C/s."""
    if a == 0:  # equal inputs are one
        return np.ones(1), np.array([cut])
    # P(Bin < s) turns from 1 to 0 around T p = s, within a factor exp(1/(alpha sqrt s)) of x: steep for large s only.
    return sum_nodes(first=1, last=int(cut), steep=max(ratio ** (1 / a), 1.0) if a * a * s > 30 else None)


def _near(
    a: FloatArray, T: FloatArray, s: FloatArray, C: FloatArray, x: FloatArray, w: FloatArray, row: IntArray
) -> tuple[FloatArray, FloatArray]:
    """sum of P(Bin >= s), and of p P(Bin < s), over nodes x with weights w that belong to the points `row`."""
    p = np.minimum(C[row] * x ** -a[row], 1.0)
    least, most = s[row], (T - s + 1)[row]
    often = special.betainc(least, most, p)
    seldom = 1 - often
    close = often > 0.5
    seldom[close] = special.betaincc(least[close], most[close], p[close])
    number, lost = (np.bincount(row, w * each, minlength=a.size) for each in (often, p * seldom))
    return number.astype(np.float64), lost.astype(np.float64)


def _far(
    a: FloatArray, T: FloatArray, s: FloatArray, C: FloatArray, cut: FloatArray, N: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The same over the inputs beyond `cut`, where T p <= FAINT, by the series in p."""
    # binom(T, s) C^s in logarithms: it overflows, and two log-gammas of T would cancel.
    front = s * np.log(C) - np.log(T + 1) - special.betaln(T - s + 1, s + 1)
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


def seen_error(
    *, alpha: ArrayLike, T: ArrayLike, s: ArrayLike, d: ArrayLike, M: ArrayLike, N: ArrayLike = math.inf
) -> FloatArray:
    """(1 - 1/M) lost + (1 - lost) pi_M(sqrt(d M/n)) in float64; arrays broadcast, equal alpha, T, s, N are done once."""
    arrays = float_arrays(alpha, T, s, N, d, M)
    flat = np.stack([v.ravel() for v in arrays])
    memories, where = np.unique(flat[:4], axis=1, return_inverse=True)
    found = seen_often(**dict(zip(("alpha", "T", "s", "N"), memories, strict=True)))
    number, lost = found.number[where.ravel()], found.lost[where.ravel()]
    dimension, outputs = flat[4:]
    # Nothing is stored where no input can have been seen s times: lost = 1.
    margin = np.sqrt(dimension * outputs / np.where(number > 0, number, 1.0))
    value = (1 - 1 / outputs) * lost + (1 - lost) * np.asarray(pi_M(a=margin, M=outputs))
    return np.asarray(value.reshape(arrays[0].shape), dtype=np.float64)


def seen_often_digits(*, alpha: Mpf, T: Mpf, s: Mpf, N: Mpf = math.inf, digits: int = 50) -> OftenSeen:
    """The same to `digits` significant digits, mpmath numbers."""
    with mp.workdps(digits + 30):
        a, size, T, s = mp.mpf(alpha), whole(N), int(T), int(s)
        if s > T:
            return OftenSeen(mp.mpf(0), mp.mpf(1))
        C = 1 / power_sum_mp(a, 1, size)
        cut = size if a == 0 else min(size, int(mp.floor((T * C / SERIES) ** (1 / a))))
        if cut * s > MOST:
            raise ValueError(
                f"{cut} inputs times {s} counts would have to be added one by one: about 11 digits can be had, from "
                "asymp.theory.functions.schemes.often_seen.seen_often"
            )
        number, lost = mp.mpf(0), mp.mpf(0)
        for x in range(1, cut + 1):
            p = C * mp.mpf(x) ** -a
            less = (
                mp.mpf(0)
                if p == 1
                else mp.fsum(mp.binomial(T, j) * p**j * (1 - p) ** (T - j) for j in range(min(s, T + 1)))
            )
            number += 1 - less
            lost += p * less
        if cut < size:
            more, mass = _series_mp(a, C, T, s, cut, size)
            number += more
            lost += C * power_sum_mp(a, cut + 1, size - cut) - mass
    return OftenSeen(rounded(number, digits), rounded(lost, digits))


@guarded(20)
def seen_error_digits(*, alpha: Mpf, T: Mpf, s: Mpf, d: Mpf, M: Mpf, N: Mpf = math.inf, digits: int = 50) -> Mpf:
    """(1 - 1/M) lost + (1 - lost) pi_M(sqrt(d M/n)) to `digits` significant digits, an mpmath number."""
    seen = seen_often_digits(alpha=alpha, T=T, s=s, N=N, digits=digits + 20)
    guess = 1 - 1 / M
    if seen.number == 0:
        value = guess
    else:
        missed = gaussian_error_digits(a=mp.sqrt(d * M / seen.number), M=M, digits=digits + 10)
        value = guess * seen.lost + (1 - seen.lost) * missed
    return value


def _series_mp(a: Mpf, C: Mpf, T: int, s: int, cut: int, size: Mpf) -> tuple[Mpf, Mpf]:
    """sum of P(Bin >= s), and of p P(Bin >= s), over cut < x <= size."""
    coefficient = mp.binomial(T, s) * C**s
    number, mass, k = mp.mpf(0), mp.mpf(0), 0
    powers = power_sum_mp(a * s, cut + 1, size - cut)
    while coefficient != 0:
        share = coefficient * s / (s + k)
        term = share * powers
        number += term
        powers = power_sum_mp(a * (s + k + 1), cut + 1, size - cut)
        mass += C * share * powers
        if k > SERIES and abs(term) <= mp.eps * abs(number):
            break
        coefficient *= C * (s - T + k) / (k + 1)
        k += 1
    return number, mass


def numbers_seen(*, alpha: ArrayLike, T: ArrayLike, P: ArrayLike) -> FloatArray:
    """sum_{x<=P} 1 - (1-p)^T, the mean number of inputs up to P that T samples show, N = inf; relative error about 1e-12.

    P is finite, T may be inf; arrays broadcast, and points of one P share their nodes.
    """
    a, t, cut = float_arrays(alpha, T, np.floor(P))
    C = np.asarray(normaliser(alpha=a))
    found = np.array(cut)  # which is the number seen where T is infinite
    finite = np.isfinite(t)
    for last in np.unique(cut[finite]):
        here = finite & (cut == last)
        x, w = sum_nodes(first=1, last=int(last))
        p = C[here][:, None] * x ** -a[here][:, None]
        found[here] = -np.expm1(t[here][:, None] * np.log1p(-np.minimum(p, 1 - 1e-16))) @ w
    return found


@guarded(15)
def number_seen_digits(*, alpha: Mpf, T: Mpf, P: Mpf, digits: int = 50) -> Mpf:
    """numbers_seen to `digits` significant digits (mpmath); P at most 20000."""
    last = whole(P)
    if last > 20_000:
        raise ValueError(f"P must be at most 20000 here; got {last}: about 12 digits can be had, from numbers_seen")
    if mp.isinf(T):
        return mp.mpf(last)
    C = 1 / power_sum_mp(alpha, 1, mp.inf)
    return mp.fsum(-mp.expm1(T * mp.log1p(-C * mp.mpf(x) ** -alpha)) for x in range(1, last + 1))
