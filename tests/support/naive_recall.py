"""Slow, obvious oracles of the recall error that several test files share."""

import math

import numpy as np
from scipy.special import ndtr

__all__ = ["SIX", "agrees", "pi_naive", "simulate", "zipf"]

SIX = 5.6  # standard errors: a two-sided tail of 2e-8 (normal), so below 1e-7 with the sample sizes used here


def zipf(alpha, N):
    p = np.arange(1, N + 1) ** -float(alpha)
    return p / p.sum()


def pi_naive(a, M):
    """pi_M(a) as it is defined: a Riemann sum, which for such integrands is exact to rounding (about 1e-15)."""
    t = np.linspace(-12, 12, 2401)
    phi = np.exp(-(t**2) / 2) / math.sqrt(2 * math.pi)
    return float(np.sum(phi * (1 - ndtr(a + t) ** (M - 1))) * 0.01)


def simulate(*, p, M, d, replicas, seed, weights=None, rho=0.0, T=None, s=1, P=math.inf, outputs="gaussian"):
    """The error of W = sum q u_f e^T, written out: per-replica errors. `weights` is q; with T it comes from samples.

    With T, inputs seen less than s times and those beyond P get weight 0.
    """
    rng = np.random.default_rng(seed)
    N, f = len(p), np.arange(1, len(p) + 1) % M
    errors = np.empty(replicas)
    for i in range(replicas):
        e, u = rng.standard_normal((N, d)) / math.sqrt(d), rng.standard_normal((M, d)) / math.sqrt(d)
        if outputs == "sphere":
            u /= np.linalg.norm(u, axis=1, keepdims=True)
        q = weights
        if T is not None:
            counts = rng.multinomial(T, p)
            q = np.where((counts >= s) & (np.arange(1, N + 1) <= P), (counts / T) ** rho, 0.0)
        W = (u[f] * q[:, None]).T @ e
        scores = e @ (u @ W).T + 1e-12 * rng.standard_normal((N, M))  # ties are broken at random
        errors[i] = p @ (scores.argmax(axis=1) != f)
    return errors


def agrees(errors, wanted, slack=0.0):
    return abs(errors.mean() - wanted) <= SIX * errors.std(ddof=1) / math.sqrt(len(errors)) + slack
