"""One-pass gradient descent: a fresh sample a step."""

import torch

from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import Experiment
from power_laws.samplers.drawing import powers


def sample(draw: Draw, *, t: int, P: int, a: float, b: float, eta: float, v: float = 0.0) -> torch.Tensor:
    """The excess risk after t steps from zero weights."""
    scale, spectrum = powers(draw, P, a / 2), powers(draw, P, a)
    target = powers(draw, P, (b - a) / 2)
    w = draw.zeros((int(P),))
    for _ in range(int(t)):
        x = draw.normal((int(P),)) * scale
        miss = ((target - w) * x).sum(-1) + v**0.5 * draw.normal()
        w = w + eta * miss[:, None] * x
    return ((w - target) ** 2 * spectrum).sum(-1)


def tails(*, eta: float, **_: float) -> float | None:
    """Nothing is declared of long steps, whose products of many normal numbers have heavy tails."""
    return 30.0 if eta <= 0.1 else None


descents = Experiment("power-laws-descent", sample, block=64, kurtosis=tails)
