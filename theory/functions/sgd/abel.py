"""The Abel function of the SGD map, as a series in the step: it turns n steps of the map into the sum of n numbers.

With u = q - log(M - 1) the map q -> q + gamma/(1 + e^q/(M - 1)) is u -> u + gamma s, s = 1/(1 + e^u): M enters through
the start only. The Abel function Psi(u) satisfies Psi(u + gamma s(u)) = Psi(u) + gamma, so that Psi(u_n) = Psi(u_0) +
gamma n. Taylor's formula in gamma, Psi = sum_k gamma^k Psi_k, gives one linear equation an order,

    Psi_k' = - sum_{m=1}^{k} Psi_{k-m}^(m+1) s^m / (m+1)!,      Psi_0' = 1/s,

and since ds/du = -s (1 - s) all of it stays in polynomials of s with rational coefficients:

    Psi_0 = u + e^u,   Psi_1 = (1/2) log s,   Psi_k = s^(k-1) p_k(s) for k >= 2, p_k of degree k - 1.

Psi_0 alone is the flow (the ODE dq/dn = gamma s), so the series runs from the flow to the map. Its terms behave like k!
(gamma s/7)^k: it is asymptotic, not convergent, and serves where theta = gamma s is small. s falls along the orbit, so
any step size gets there after a few steps.
"""

from fractions import Fraction
from functools import lru_cache
from math import factorial

import mpmath as mp
import numpy as np

from asymp.theory.functions.arguments import FloatArray, Mpf

Polynomial = tuple[Fraction, ...]

ORDER, THETA = 16, 0.1
"""In float64 the series is cut after Psi_16 and used where gamma s <= 0.1: what is cut changes u by less than 1e-16."""

# Psi_k' and its derivatives, as coefficients of s^-1, s^0, s^1, ...; grows as higher orders are asked for.
_derivatives: list[list[list[Fraction]]] = [[[Fraction(1)]]]
_polynomials: dict[int, Polynomial] = {}


def abel_polynomial(k: int) -> Polynomial:
    """The coefficients of p_k, constant term first, exactly; k >= 2."""
    if k < 2:
        raise ValueError(f"k must be an integer >= 2, got {k}")
    while len(_derivatives) <= k:
        _derivatives.append([_next_order(len(_derivatives))])
    if k not in _polynomials:
        # dPsi_k/ds = -Psi_k'/(s (1 - s)), a division without remainder, then an integral; index i stands for s^(i-1).
        slope = Fraction(0)
        coefficients = []
        for i, c in enumerate(_derivatives[k][0][:-1]):
            slope -= c
            # The quotient's coefficient is that of s^(i-2); integrated, it goes with s^(i-1)/(i-1).
            coefficients.append(slope / (i - 1) if i >= k else slope)
        _polynomials[k] = tuple(coefficients[k:])
    return _polynomials[k]


def _next_order(k: int) -> list[Fraction]:
    """Psi_k' from the orders below."""
    total = [Fraction(0)] * (2 * k + 1)
    for m in range(1, k + 1):
        chain = _derivatives[k - m]
        while len(chain) <= m:
            chain.append(_differentiate(chain[-1]))
        for i, c in enumerate(chain[m]):
            total[i + m] -= c / factorial(m + 1)
    return total


def _differentiate(coefficients: list[Fraction]) -> list[Fraction]:
    """d/du of a Laurent polynomial in s that starts at s^-1: d(s^e)/du = -e s^e + e s^(e+1)."""
    result = [Fraction(0)] * (len(coefficients) + 1)
    for i, c in enumerate(coefficients):
        result[i] -= (i - 1) * c
        result[i + 1] += (i - 1) * c
    return result


def series_tail(theta: FloatArray, s: FloatArray) -> FloatArray:
    """sum_{k=2}^{ORDER} theta^(k-1) p_k(s), theta = gamma s: this is (1/gamma) sum_{k>=2} gamma^k Psi_k; float64."""
    total = np.zeros_like(theta)
    for leading, *lower in _float_polynomials():
        value = np.full_like(s, leading)
        for c in lower:
            value *= s
            value += c
        total += value
        total *= theta
    return total


@lru_cache(maxsize=1)
def _float_polynomials() -> tuple[tuple[float, ...], ...]:
    """p_k in float64, leading coefficient first, from k = ORDER down to 2."""
    return tuple(tuple(float(c) for c in reversed(abel_polynomial(k))) for k in range(ORDER, 1, -1))


def series_tail_mp(theta: Mpf, s: Mpf, order: int) -> tuple[Mpf, Mpf]:
    """The same sum at mpmath's precision up to `order`, and the larger of its last two terms: what is cut is less."""
    total, power, last = mp.mpf(0), mp.mpf(1), [mp.mpf(0)]
    for k in range(2, order + 1):
        power *= theta
        term = power * mp.polyval([mp.mpf(c.numerator) / c.denominator for c in reversed(abel_polynomial(k))], s)
        total += term
        last.append(abs(term))
    return total, max(last[-2:])
