"""Least squares on the first k modes of a target that has more."""

import torch

from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import Experiment
from power_laws.samplers.drawing import data, powers, ridge


def sample(draw: Draw, *, n: int, k: int, P: int, b: float, v: float = 0.0) -> torch.Tensor:
    """The excess risk; the modes are of equal variance, which least squares does not see."""
    missed = powers(draw, P, b)[int(k) :].sum()
    found = []
    for X, y, weights in data(draw, n, P, 0.0, b, v):
        error = ridge(X[..., : int(k)], y, 0.0) - weights[: int(k)]
        found.append((error**2).sum(-1) + missed)
    return torch.cat(found)


def sample_beyond(draw: Draw, *, n: int, k: int, P: int, b: float, v: float = 0.0) -> torch.Tensor:
    """The excess risk beyond that of infinitely many samples."""
    return sample(draw, n=n, k=k, P=P, b=b, v=v) - powers(draw, P, b)[int(k) :].sum()


fits = Experiment("power-laws-least-squares", sample, block=64, kurtosis=15.0)
beyond = Experiment("power-laws-beyond", sample_beyond, block=64)
