"""Regression on isotropic data: what is missed of a target, what noise becomes, and which ridge is best."""

import torch

from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import Experiment
from power_laws.samplers.drawing import ridge


def sample_bias(draw: Draw, *, n: int, P: int) -> torch.Tensor:
    """The squared part of a unit target that the smallest interpolator misses."""
    X, w = draw.normal((int(n), int(P))), draw.sphere((int(P),))
    return ((ridge(X, (X @ w[..., None])[..., 0], 0.0) - w) ** 2).sum(-1)


def sample_noise(draw: Draw, *, n: int, P: int, v: float) -> torch.Tensor:
    """The squared weights that noise alone makes."""
    return (ridge(draw.normal((int(n), int(P))), v**0.5 * draw.normal((int(n),)), 0.0) ** 2).sum(-1)


def sample_best(draw: Draw, *, n: int, P: int, v: float, factor: float) -> torch.Tensor:
    """The excess risk with a ridge `factor` times v P, over that with v P, on the same data."""
    X, w = draw.normal((int(n), int(P))), draw.normal((int(P),)) / P**0.5
    y = (X @ w[..., None])[..., 0] + v**0.5 * draw.normal((int(n),))
    far, best = (((ridge(X, y, c * v * P) - w) ** 2).sum(-1) for c in (factor, 1.0))
    return far / best


biases = Experiment("power-laws-bias", sample_bias, block=64, bounds=(0.0, 1.0))
variances = Experiment("power-laws-variance", sample_noise, block=64, kurtosis=15.0)
best_ridges = Experiment("power-laws-best-ridge", sample_best, block=64)
