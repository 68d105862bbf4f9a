"""The mean squared residual of ridge regression on its own data."""

import torch

from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import Experiment
from power_laws.samplers.drawing import data, ridge


def sample(draw: Draw, *, n: int, P: int, a: float, b: float, delta: float, v: float = 0.0) -> torch.Tensor:
    """The training error."""
    return torch.cat(
        [((y - (X @ ridge(X, y, delta)[..., None])[..., 0]) ** 2).mean(-1) for X, y, _ in data(draw, n, P, a, b, v)]
    )


train_errors = Experiment("power-laws-train-error", sample, block=16, kurtosis=15.0)
