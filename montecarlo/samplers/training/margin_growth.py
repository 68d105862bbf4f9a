"""Margins under full-batch training on orthonormal embeddings: gradient flow, and steps of any size.

The logits of every input are trained by the gradient of the cross-entropy in W, taken by automatic differentiation. The
flow is integrated by the classical Runge-Kutta method on a grid of times that is uniform in log(1 + t): the margin grows
logarithmically, so that steps may grow with the time.
"""

import math

import torch

from asymp.models.linear import linear_scores
from asymp.montecarlo.arguments import Number, Positive, TwoOrMore, WholeOrZero, checked
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.gradients import population_gradient, runge_kutta

STEPS = 400


class _Memory:
    """W with orthonormal inputs and outputs, its first input of probability p, the others sharing the rest."""

    def __init__(self, draw: Draw, p: float, M: int) -> None:
        if p > 1:
            raise ValueError(f"p must be a number in (0, 1]; got {p!r}")
        inputs = 3
        d = max(M, inputs)
        bases = [torch.linalg.qr(draw.gaussian((d, d)))[0] for _ in range(2)]
        self.E, self.U = bases[0][:, :inputs], bases[1][:, :M]
        rest = (1 - p) / (inputs - 1)
        self.p = torch.tensor([p, rest, rest], dtype=torch.float64, device=draw.device)
        self.targets = torch.arange(inputs, device=draw.device) % M
        self.W = draw.zeros((d, d))

    def gradient(self, W: torch.Tensor) -> torch.Tensor:
        return population_gradient(W, self.U, self.E, self.targets, self.p)

    def flow(self, start: float, end: float, steps: int) -> None:
        """Runge-Kutta in s = log(1 + t): dW/ds = -(1 + t) grad."""
        h = (math.log1p(end) - math.log1p(start)) / steps
        s = math.log1p(start)
        for _ in range(steps):
            self.W = runge_kutta(lambda W, s: -math.exp(s) * self.gradient(W), self.W, s, h)
            s += h

    def margin(self) -> torch.Tensor:
        """Score of the first input's target less the largest of the others."""
        first = linear_scores(self.W, self.U, self.E)[:, 0]
        target = int(self.targets[0])
        others = torch.cat([first[:, :target], first[:, target + 1 :]], dim=1)
        return first[:, target] - others.amax(1)


@checked
def sample_margin_flow(draw: Draw, *, p: Positive, M: TwoOrMore, t: Number) -> torch.Tensor:
    """The margin of an input of probability p after gradient flow for a time t, from W = 0."""
    memory = _Memory(draw, p, M)
    memory.flow(0.0, t, STEPS)
    return memory.margin()


@checked
def sample_margin_slope(draw: Draw, *, p: Positive, M: TwoOrMore, t: Positive) -> torch.Tensor:
    """The growth of the margin from t to 4 t."""
    memory = _Memory(draw, p, M)
    memory.flow(0.0, t, STEPS)
    before = memory.margin()
    memory.flow(t, 4 * t, STEPS // 4)
    return memory.margin() - before


@checked
def sample_margin_steps(draw: Draw, *, p: Positive, M: TwoOrMore, eta: Positive, n: WholeOrZero) -> torch.Tensor:
    """The margin of an input of probability p after n full-batch steps of size eta, from W = 0."""
    memory = _Memory(draw, p, M)
    for _ in range(n):
        memory.W = memory.W - eta * memory.gradient(memory.W)
    return memory.margin()


# orthonormal embeddings are rotations of each other, and the margin does not see them
margin_flow_experiment = experiment("margin-flow", sample_margin_flow, block=4, deterministic=True)
margin_slope_experiment = experiment("margin-slope", sample_margin_slope, version=2, block=4, deterministic=True)
margin_steps_experiment = experiment("margin-steps", sample_margin_steps, block=4, deterministic=True)
