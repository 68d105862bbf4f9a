"""Upper bounds of the recall error for gaussian inputs and outputs on the sphere: a sharp one, and digits of Theorem 1's.

The sharp bound adds up pairs of outputs. Given the outputs, y beats f = f(z) with probability at most
E_r[exp(-r^2 q^2 d/(2 V))/2] = (1 + q^2/V)^(-d/2)/2, where r^2 ~ chi2_d/d and, with a = u_f.u_y and b_c the squared overlap
of u_c with the direction of u_f - u_y,

    V = S_f - q^2 + S_y + 2/(1-a) sum_{c != f,y} S_c b_c.

b_c ~ Beta(1/2, (d-1)/2), independent of each other and of a. log(V/(V + q^2)) is concave in V, so it lies below its tangent at
any v, of slope kappa = q^2/(v (v + q^2)); the moments of b_c are at most those of g^2/d, so that
E exp(d kappa S_c b_c/(1-a)) <= (1 - t_c)^(-1/2), t_c = 2 kappa S_c/(1-a), and (1-t)^(-1/2) <= 2^t for t <= 1/2. Where a <= 1/2
this gives the first term below, and a > 1/2 has probability at most (3/4)^((d-1)/2)/2 (a spherical cap):

    P(y beats f) <= (1/2) (v/(v + q^2))^(d/2) exp(-d kappa (v - V_0)/2) 2^(4 kappa (S - S_f - S_y)) + (1/4) (3/4)^((d-1)/2),
    V_0 = S_f + S_y - q^2,   v = max(V_0, [(q^4 + 32 q^2 max_c S_c)^(1/2) - q^2]/2),

where v is the smallest that keeps every t_c, c other than f and y, at most 1/2. The sum over y, or min(1, (M-1)/2) if that is
less, bounds the error of z. It holds for every q, M >= 2, d >= 2, N finite or infinite; where v = V_0 the first factor,
(1 - q^2/(S_f + S_y))^(d/2), is the exact exponential rate.
"""

import math
from typing import Any

import mpmath as mp
import numpy as np

from asymp.theory.recall.storage import Scheme, check_whole, make_storage
from asymp.theory.storage.smooth_sums import sum_nodes
from asymp.theory.zipf.law import check_cut_mp, check_digits, check_zipf_mp, class_sums_digits, real_mpf
from asymp.theory.zipf.power_sums import FloatArray, power_sum_mp

__all__ = ["finite_memory_upper_digits", "pair_bound", "pair_bound_digits"]

MOST = 20_000
"""Inputs that are added one by one; beyond, float64 sums by quadrature and mpmath gives up."""


def pair_bound(*, alpha: Any, N: Any, M: Any, d: Any, rho: Any = 0, P: Any = math.inf) -> float:
    """The sharp upper bound for q = p^rho on x <= P under a Zipf law, targets x mod M; relative error about 1e-12."""
    d, M = check_whole("d", d, 2), check_whole("M", M, 2)
    storage = make_storage(alpha=alpha, N=N, M=M, rho=rho, P=None if math.isinf(P) else P)
    assert isinstance(storage, Scheme)
    S, cap = storage.squares, min(1.0, (M - 1) / 2)
    last = storage.last
    total = cap * float(storage.tail(last)) if math.isfinite(last) else 0.0
    if storage.rho * storage.alpha == 0:
        bounds = np.array([_input_bound(storage.q([1.0]), c, S, d)[0] for c in range(M)])
        return min(1.0, total + float(bounds @ storage.class_mass(0, last)))
    for c in range(1, M + 1):
        count = (last - c) // M + 1 if math.isfinite(last) else math.inf
        total += _class_bound(storage, c, count, S, d, cap)
    return min(1.0, total)


def _class_bound(storage: Scheme, c: int, count: float, S: FloatArray, d: int, cap: float) -> float:
    """sum of p(x) times the bound over x = c, c + M, ..., `count` of them."""
    M = storage.M

    def inputs(j: Any) -> FloatArray:
        return np.asarray(c + (np.asarray(j, dtype=np.float64) - 1) * M)

    def bound(j: Any) -> FloatArray:
        return _input_bound(storage.q(inputs(j)), c % M, S, d)

    if count <= MOST:
        j = np.arange(1, count + 1)
        return float(storage.p(inputs(j)) @ bound(j)) if count else 0.0
    # From the first input whose bound is the cap on, it stays there: weights fall.
    low, high = 0, 1
    while high <= count and bound([high])[0] < cap:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle <= count and bound([middle])[0] < cap else (low, middle)
    j, w = sum_nodes(first=1, last=low)
    total = float(w @ (storage.p(inputs(j)) * bound(j)))
    end = storage.last if math.isfinite(storage.last) else math.inf
    return total + cap * float(storage.class_mass(c + (low - 1) * M, end)[c % M])


def _input_bound(q: FloatArray, c: int, S: FloatArray, d: int) -> FloatArray:
    """min(cap, sum over y of the pair's bound) for inputs of class c with weights q."""
    M = len(S)
    y = np.array([k for k in range(M) if k != c])
    square = q[:, None] ** 2
    pair = S[c] + S[y]
    order = np.sort(S[y])[::-1]
    # The largest sum among the classes other than c and y.
    top = np.where(np.arange(M - 1) == np.argmax(S[y]), order[1], order[0]) if M > 2 else np.zeros(1)
    V = np.maximum(pair - square, 0.0)
    v = np.maximum(V, (np.sqrt(square**2 + 32 * square * top) - square) / 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        kappa = np.where(square > 0, square / (v * (v + square)), 0.0)
        logs = -d / 2 * (np.log1p(square / v) + kappa * (v - V)) + 4 * math.log(2) * kappa * (S.sum() - pair)
        # v = 0: q is alone in its pair and no other class is stored, or nothing is.
        each = np.where(v > 0, 0.5 * np.exp(np.minimum(logs, 700.0)), np.where(square > 0, 0.0, 0.5))
    total = each.sum(axis=1) + (M - 1) / 4 * 0.75 ** ((d - 1) / 2)
    return np.asarray(np.minimum(total, min(1.0, (M - 1) / 2)))


def pair_bound_digits(*, alpha: Any, N: Any, M: Any, d: Any, rho: Any = 0, P: Any = math.inf, digits: int = 50) -> Any:
    """The same to `digits` significant digits (mpmath), for at most 20000 stored inputs, or rho alpha = 0."""
    d, M = check_whole("d", d, 2), check_whole("M", M, 2)
    with mp.workdps(check_digits(digits) + 20):
        a, size = check_zipf_mp(alpha, N)
        slope = 2 * real_mpf("rho", rho) * a
        last = min(check_cut_mp(P), size)
        if last > MOST and slope != 0:
            raise ValueError(
                f"more than {MOST} inputs would have to be added one by one: about 12 digits can be had, from "
                "asymp.theory.recall.upper.pair_bound"
            )
        C = 1 / power_sum_mp(a, 1, size)
        cap = min(mp.mpf(1), mp.mpf(M - 1) / 2)
        rest = mp.mpf(0) if last == size else cap * C * power_sum_mp(a, last + 1, size - last)
        S = [
            mp.fsum(mp.mpf(x) ** -slope for x in range(c or M, last + 1, M)) if slope else _count(c or M, M, last)
            for c in range(M)
        ]

        def bound(square: Any, c: int) -> Any:
            total = (M - 1) * (mp.mpf(3) / 4) ** (mp.mpf(d - 1) / 2) / 4
            for y in (k for k in range(M) if k != c):
                pair = S[c] + S[y]
                top = max([S[k] for k in range(M) if k not in (c, y)], default=mp.mpf(0))
                V = pair - square
                v = max(V, (mp.sqrt(square**2 + 32 * square * top) - square) / 2)
                if v <= 0:
                    continue
                kappa = square / (v * (v + square))
                rate = mp.log1p(square / v) + kappa * (v - V)
                total += mp.exp(-d * rate / 2) * mp.mpf(2) ** (4 * kappa * (mp.fsum(S) - pair)) / 2
            return min(cap, total)

        if slope == 0:
            masses = class_sums_digits(alpha=a, rho=0, M=M, P=last, N=size, digits=digits + 15).masses
            value = rest + mp.fsum(bound(mp.mpf(1), c) * masses[c] for c in range(M))
        else:
            value = rest + mp.fsum(C * mp.mpf(x) ** -a * bound(mp.mpf(x) ** -slope, x % M) for x in range(1, last + 1))
        value = min(value, mp.mpf(1))
    with mp.workdps(digits):
        return +value


def _count(c: int, M: int, last: Any) -> Any:
    return mp.mpf((int(last) - c) // M + 1) if last >= c else mp.mpf(0)


def finite_memory_upper_digits(
    *, alpha: Any, N: Any, M: Any, d: Any, rho: Any = 0, P: Any = math.inf, digits: int = 50
) -> Any:
    """The bound of Theorem 1, its infimum taken, to `digits` significant digits (mpmath); M >= 4, d > 8 log M.

    It is the least of 2 M exp(-c(q(x))) + p{x' : x' > x} over the stored inputs x: float64 finds where, mpmath looks around it.
    """
    d, M = check_whole("d", d, 2), check_whole("M", M, 4)
    with mp.workdps(check_digits(digits) + 20):
        a, size = check_zipf_mp(alpha, N)
        power = real_mpf("rho", rho)
        last = min(check_cut_mp(P), size)
        sums = class_sums_digits(alpha=a, rho=power, M=M, P=last, N=size, digits=digits + 15).squares
        C = 1 / power_sum_mp(a, 1, size)
        Q, total = max(sums), mp.fsum(sums)

        def value_at(x: int) -> Any:
            square = (C * mp.mpf(x) ** -a) ** (2 * power)
            first = 2 * M * mp.exp(-d * square / (8 * (Q + mp.sqrt(Q**2 + 2 * total * square))))
            return first + (C * power_sum_mp(a, x + 1, size - x) if x < size else 0)

        if a * power == 0:
            value = value_at(int(last))
        else:
            best = _place_of_least(value_at, last)
            value = min(value_at(x) for x in range(max(best - 3, 1), int(min(best + 3, last)) + 1))
        value = min(value, mp.mpf(1))
    with mp.workdps(digits):
        return +value


def _place_of_least(value_at: Any, last: Any) -> int:
    """The x with the least value: it falls, then rises. By doubling, then by thirds, at low precision."""
    with mp.workdps(25):
        high = 1
        while high < last and (value_at(high) >= 1 or value_at(min(2 * high, last)) <= value_at(high)):
            high = int(min(2 * high, last))
        low, high = 1, int(min(2 * high, last))
        while high - low > 3:
            left = low + (high - low) // 3
            right = high - (high - low) // 3
            if value_at(left) <= value_at(right):
                high = right
            else:
                low = left
        return min(range(low, high + 1), key=value_at)
