"""Regression as one does it: data are drawn, the normal equations solved. No equation of the theory is used here."""

from collections.abc import Iterator

import torch

from asymp.montecarlo.draws import Draw

MOST = 2**22
"""Numbers of a working array."""


def powers(draw: Draw, count: int, exponent: float) -> torch.Tensor:
    """i^-exponent for i = 1..count."""
    return torch.arange(1, int(count) + 1, dtype=torch.float64, device=draw.device) ** -exponent


def data(
    draw: Draw, n: int, P: int, a: float, b: float, v: float
) -> Iterator[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
    """Features and targets of groups of replicas, and the weights that made them."""
    n, P = int(n), int(P)
    scale, weights = powers(draw, P, a / 2), powers(draw, P, (b - a) / 2)
    for part in draw.batches(max(1, MOST // (n * P))):
        X = part.normal((n, P)) * scale
        yield X, X @ weights + v**0.5 * part.normal((n,)), weights


def ridge(X: torch.Tensor, y: torch.Tensor, delta: float) -> torch.Tensor:
    """The weights that minimise |y - X w|^2 + delta |w|^2; at delta = 0 the smallest that fit best."""
    n, P = X.shape[-2:]
    if n <= P:
        gram = X @ X.mT + delta * torch.eye(n, dtype=X.dtype, device=X.device)
        return (X.mT @ torch.linalg.solve(gram, y[..., None]))[..., 0]
    gram = X.mT @ X + delta * torch.eye(P, dtype=X.dtype, device=X.device)
    return torch.linalg.solve(gram, X.mT @ y[..., None])[..., 0]


def excess(draw: Draw, n: int, P: int, a: float, b: float, delta: float, v: float) -> torch.Tensor:
    """The excess risk of ridge regression on each replica's own data."""
    spectrum = powers(draw, P, a)
    return torch.cat([((ridge(X, y, delta) - w) ** 2 * spectrum).sum(-1) for X, y, w in data(draw, n, P, a, b, v)])
