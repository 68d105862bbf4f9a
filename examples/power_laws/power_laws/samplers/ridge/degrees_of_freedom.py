"""The trace of the hat matrix of ridge regression, on all modes and on random features."""

import torch

from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import Experiment
from power_laws.samplers.drawing import MOST, powers


def hat_trace(X: torch.Tensor, delta: float) -> torch.Tensor:
    """tr X (X^T X + delta)^-1 X^T, from the singular values of the data."""
    squares = torch.linalg.eigvalsh(X @ X.mT).clamp(min=0.0)
    return (squares / (squares + delta)).sum(-1)


def sample(draw: Draw, *, n: int, P: int, a: float, delta: float) -> torch.Tensor:
    """The trace on all P modes."""
    scale = powers(draw, P, a / 2)
    parts = draw.batches(max(1, MOST // int(n * P)))
    return torch.cat([hat_trace(part.normal((int(n), int(P))) * scale, delta) for part in parts])


def sample_random(draw: Draw, *, n: int, k: int, P: int, a: float, delta: float) -> torch.Tensor:
    """The trace on k random combinations of the modes, with weights of variance 1/k."""
    scale = powers(draw, P, a / 2)
    found = []
    for part in draw.batches(max(1, MOST // int((n + k) * P))):
        X = part.normal((int(n), int(P))) * scale
        found.append(hat_trace(X @ part.normal((int(P), int(k))) / k**0.5, delta))
    return torch.cat(found)


def most(*, n: int, **_: float) -> tuple[float, float]:
    """A trace of n eigenvalues below 1."""
    return 0.0, float(n)


degrees = Experiment("power-laws-degrees", sample, block=16, bounds=most)
random_degrees = Experiment("power-laws-random-degrees", sample_random, block=16, bounds=most)
