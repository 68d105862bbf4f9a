"""Ridge regression on drawn data: the excess risk of its weights."""

import torch

from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import Experiment
from power_laws.samplers.drawing import excess


def sample(draw: Draw, *, n: int, P: int, a: float, b: float, delta: float = 0.0, v: float = 0.0) -> torch.Tensor:
    """The excess risk."""
    return excess(draw, n, P, a, b, delta, v)


def sample_tuned(draw: Draw, *, n: int, P: int, a: float, b: float, v: float) -> torch.Tensor:
    """The excess risk with the ridge n^(1 - a/(s + 1)), s = min(b - 1, 2a), at which bias and variance fall alike."""
    return excess(draw, n, P, a, b, n ** (1 - a / (min(b - 1, 2 * a) + 1)), v)


risks = Experiment("power-laws-ridge-risk", sample, block=16, kurtosis=15.0)
tuned_risks = Experiment("power-laws-tuned-ridge", sample_tuned, block=16)
