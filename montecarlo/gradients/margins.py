"""Margins under full-batch training on orthonormal embeddings: gradient flow, and steps of any size.

The logits of every input are trained by the gradient of the cross-entropy in W, taken by automatic differentiation. The
flow is integrated by the classical Runge-Kutta method on a grid of times that is uniform in log(1 + t): the margin grows
logarithmically, so that steps may grow with the time.
"""

import math
from typing import Any

import torch

from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.recall.checks import check_number, check_whole
from asymp.montecarlo.scores.embeddings import draw_embeddings

__all__ = [
    "margin_flow_experiment",
    "margin_slope_experiment",
    "margin_steps_experiment",
    "sample_margin_flow",
    "sample_margin_slope",
    "sample_margin_steps",
]

STEPS = 400


class _Memory:
    """W with orthonormal inputs and outputs, its first input of probability p, the others sharing the rest."""

    def __init__(self, p: float, M: int, replicas: int, **how: Any) -> None:
        p = check_number("p", p, strict=True)
        M = check_whole("M", M, low=2)
        if p > 1:
            raise ValueError(f"p must be a number in (0, 1]; got {p!r}")
        inputs = 3
        d = max(M, inputs)
        bases = [torch.linalg.qr(draw_embeddings("gaussian", (replicas, d, d), **how))[0] for _ in range(2)]
        self.E, self.U = bases[0][:, :inputs], bases[1][:, :M]
        rest = (1 - p) / (inputs - 1)
        self.p = torch.tensor([p, rest, rest], dtype=torch.float64, device=how["device"])
        self.targets = torch.arange(inputs, device=how["device"]) % M
        self.W = torch.zeros(replicas, d, d, dtype=torch.float64, device=how["device"])

    def scores(self, W: torch.Tensor) -> torch.Tensor:
        return torch.einsum("rmd,rde,rne->rnm", self.U, W, self.E)

    def gradient(self, W: torch.Tensor) -> torch.Tensor:
        W = W.detach().requires_grad_()
        chosen = self.targets.expand(len(W), -1)[:, :, None]
        loss = -(self.p * self.scores(W).log_softmax(2).gather(2, chosen)[:, :, 0]).sum()
        return torch.autograd.grad(loss, W)[0]

    def flow(self, start: float, end: float, steps: int) -> None:
        """Runge-Kutta in s = log(1 + t): dW/ds = -(1 + t) grad."""
        h = (math.log1p(end) - math.log1p(start)) / steps
        s = math.log1p(start)
        for _ in range(steps):
            k1 = -math.exp(s) * self.gradient(self.W)
            k2 = -math.exp(s + h / 2) * self.gradient(self.W + h / 2 * k1)
            k3 = -math.exp(s + h / 2) * self.gradient(self.W + h / 2 * k2)
            k4 = -math.exp(s + h) * self.gradient(self.W + h * k3)
            self.W = self.W + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            s += h

    def margin(self) -> torch.Tensor:
        """Score of the first input's target less the largest of the others."""
        first = self.scores(self.W)[:, 0]
        target = int(self.targets[0])
        others = torch.cat([first[:, :target], first[:, target + 1 :]], dim=1)
        return first[:, target] - others.amax(1)


def sample_margin_flow(
    *, p: float, M: int, t: float, replicas: int, generator: torch.Generator, device: torch.device
) -> torch.Tensor:
    """The margin of an input of probability p after gradient flow for a time t, from W = 0."""
    memory = _Memory(p, M, replicas, generator=generator, device=device)
    memory.flow(0.0, check_number("t", t), STEPS)
    return memory.margin()


def sample_margin_slope(
    *, p: float, M: int, t: float, replicas: int, generator: torch.Generator, device: torch.device
) -> torch.Tensor:
    """The growth of the margin from t to 4 t, over log 4."""
    memory = _Memory(p, M, replicas, generator=generator, device=device)
    t = check_number("t", t, strict=True)
    memory.flow(0.0, t, STEPS)
    before = memory.margin()
    memory.flow(t, 4 * t, STEPS // 4)
    return (memory.margin() - before) / math.log(4)


def sample_margin_steps(
    *, p: float, M: int, eta: float, n: int, replicas: int, generator: torch.Generator, device: torch.device
) -> torch.Tensor:
    """The margin of an input of probability p after n full-batch steps of size eta, from W = 0."""
    memory = _Memory(p, M, replicas, generator=generator, device=device)
    eta = check_number("eta", eta, strict=True)
    for _ in range(check_whole("n", n, low=0)):
        memory.W = memory.W - eta * memory.gradient(memory.W)
    return memory.margin()


margin_flow_experiment = experiment("margin-flow", sample_margin_flow, block=4)
margin_slope_experiment = experiment("margin-slope", sample_margin_slope, block=4)
margin_steps_experiment = experiment("margin-steps", sample_margin_steps, block=4)
