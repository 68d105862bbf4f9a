"""Slow, obvious oracles of the recall error that several test files share."""

import math

import numpy as np
from scipy.special import ndtr

__all__ = ["SIX", "agrees", "drawn", "pi_naive", "simulate", "zipf"]

SIX = 5.6  # standard errors: a two-sided tail of 2e-8 (normal), so below 1e-7 with the sample sizes used here


def zipf(alpha, N):
    p = np.arange(1, N + 1) ** -float(alpha)
    return p / p.sum()


def pi_naive(a, M):
    """pi_M(a) as it is defined: a Riemann sum, which for such integrands is exact to rounding (about 1e-15)."""
    t = np.linspace(-12, 12, 2401)
    phi = np.exp(-(t**2) / 2) / math.sqrt(2 * math.pi)
    return float(np.sum(phi * (1 - ndtr(a + t) ** (M - 1))) * 0.01)


def drawn(rng, law, count, d):
    """So many random vectors in d dimensions: 'gaussian' N(0, I/d), or uniform on the unit 'sphere'."""
    rows = rng.standard_normal((count, d))
    return rows / math.sqrt(d) if law == "gaussian" else rows / np.linalg.norm(rows, axis=1, keepdims=True)


def simulate(
    *, p, M, d, replicas, seed, f=None, weights=None, rho=0.0, T=None, s=1, P=math.inf, kept="first", inputs="gaussian",
    outputs="gaussian",
):  # fmt: skip
    """The error by the definition, one memory W = sum q u_f e^T after the other: one error for each replica.

    q is `weights`, or p^rho; with T it is (n/T)^rho of the counts n of T samples, and 0 for inputs seen less than s times. At
    most P inputs are stored: the first ones, or those that were seen most often (`kept` "seen", ties broken at random).
    """
    rng = np.random.default_rng(seed)
    N, rank = len(p), np.arange(1, len(p) + 1)
    f = rank % M if f is None else np.asarray(f)
    errors = np.empty(replicas)
    for i in range(replicas):
        e, u = drawn(rng, inputs, N, d), drawn(rng, outputs, M, d)
        if T is None:
            q = np.where(rank <= P, p**rho if weights is None else weights, 0.0)
        else:
            counts = rng.multinomial(T, p)
            place = rank if kept == "first" else 1 + np.argsort(np.lexsort((rng.random(N), -counts)))
            q = np.where((counts >= s) & (place <= P), (counts / T) ** rho, 0.0)
        W = (u[f] * q[:, None]).T @ e
        scores = e @ (u @ W).T + 1e-12 * rng.standard_normal((N, M))  # ties are broken at random
        errors[i] = p @ (scores.argmax(axis=1) != f)
    return errors


def agrees(errors, wanted, slack=0.0):
    return abs(errors.mean() - wanted) <= SIX * errors.std(ddof=1) / math.sqrt(len(errors)) + slack
