"""Samples that use quanta: which are seen how often."""

import torch

from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import Experiment
from power_laws.samplers.drawing import powers


def counts(draw: Draw, D: int, P: int, alpha: float) -> tuple[torch.Tensor, torch.Tensor]:
    """How often each quantum is used in D samples, and the probabilities."""
    p = powers(draw, P, 1 + alpha)
    used = draw.choice(p, (int(D),))
    return draw.zeros((int(P),)).scatter_add_(1, used, torch.ones_like(used, dtype=torch.float64)), p / p.sum()


def sample(draw: Draw, *, D: int, P: int, alpha: float, tau: int = 1) -> torch.Tensor:
    """The probability of the quanta seen fewer than tau times."""
    seen, p = counts(draw, D, P, alpha)
    return ((seen < tau) * p).sum(-1).clamp(0.0, 1.0)


def sample_distinct(draw: Draw, *, D: int, P: int, alpha: float) -> torch.Tensor:
    """How many quanta are seen."""
    return (counts(draw, D, P, alpha)[0] > 0).sum(-1).to(torch.float64)


def sample_missing(draw: Draw, *, i: int, D: int, P: int, alpha: float) -> torch.Tensor:
    """Whether quantum i is seen in none of D samples."""
    return (counts(draw, D, P, alpha)[0][..., int(i) - 1] == 0).to(torch.float64)


def most(*, D: int, P: int, **_: float) -> tuple[float, float]:
    """At least one quantum, at most as many as there are samples."""
    return 1.0, float(min(D, P))


unlearnt = Experiment("power-laws-unlearnt", sample, block=64, bounds=(0.0, 1.0))
distinct = Experiment("power-laws-distinct", sample_distinct, block=64, bounds=most)
missing = Experiment("power-laws-missing", sample_missing, block=64, bounds=(0.0, 1.0))
