"""Training stopped early against training that goes on.

Memories whose weights follow many small steps of the map of SGD are drawn, and memories are trained; measured are recall
errors at a stopping time, and ratios of errors between two times or two ways of training.
"""

import torch

from asymp.montecarlo.arguments import Positive, TwoOrMore, Whole, checked
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.gradients import runge_kutta
from asymp.montecarlo.samplers.memory_training.comparisons import error_ratio, training_ratio_experiment
from asymp.montecarlo.samplers.recall.error import sample_recall_error
from asymp.montecarlo.samplers.zipf import zipf_law

__all__ = ["stopped_error_experiment", "stopping_ratio_experiment", "training_ratio_experiment"]


STEPS = 300


def _flow_weights(tau: torch.Tensor, M: int) -> torch.Tensor:
    """The map with many small steps: dq/dt = 1/(1 + e^q/(M - 1)) up to t = tau, by Runge-Kutta in log(1 + t)."""
    h = torch.log1p(tau) / STEPS
    q, s = torch.zeros_like(tau), torch.zeros_like(tau)

    def speed(q: torch.Tensor, s: torch.Tensor) -> torch.Tensor:
        return torch.exp(s) * (M - 1) / (M - 1 + torch.exp(q))

    for _ in range(STEPS):
        q, s = runge_kutta(speed, q, s, h), s + h
    return q


@checked
def sample_stopped_error(draw: Draw, *, alpha: float, N: Whole, M: TwoOrMore, d: int, time: Positive) -> torch.Tensor:
    """Recall errors of the weights that small steps of the map have at gamma T = time, counts at their means."""
    p = zipf_law(float(alpha), N)
    q = _flow_weights(p * time, M)
    return sample_recall_error(draw, N=N, M=M, d=d, p=p.tolist(), weights=q.tolist())


@checked
def sample_stopping_ratio(
    draw: Draw, *, alpha: float, N: int, M: int, d: int, time: float, factor: Positive, memories: Whole = 16
) -> torch.Tensor:
    """The error of the map stopped at gamma T = time over that at `factor` times as much, means over `memories`."""
    errors = [
        sample_stopped_error(draw.of(draw.replicas * memories), alpha=alpha, N=N, M=M, d=d, time=t)
        .view(draw.replicas, memories)
        .mean(1)
        for t in (time, time * factor)
    ]
    return error_ratio(*errors)


stopped_error_experiment = experiment("stopped-error", sample_stopped_error, block=16, bounds=(0.0, 1.0))
stopping_ratio_experiment = experiment("stopping-ratio", sample_stopping_ratio, block=4)
