"""Least squares on random features without ridge: the smallest weights that fit best."""

import torch

from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import Experiment
from power_laws.samplers.drawing import data, powers, ridge


def sample(draw: Draw, *, n: int, k: int, P: int, a: float) -> torch.Tensor:
    """The risk for a target whose modes have the spectrum's own variances."""
    spectrum = powers(draw, P, a)
    found = []
    for X, y, weights in data(draw, n, P, a, a, 0.0):
        F = draw.of(len(X)).normal((int(P), int(k)))
        error = (F @ ridge(X @ F, y, 0.0)[..., None])[..., 0] - weights
        found.append((error**2 * spectrum).sum(-1))
    return torch.cat(found)


joint_risks = Experiment("power-laws-joint-risk", sample, block=16, kurtosis=15.0)
