"""How many samples one gradient step needs to learn the noise token, by layer: the count at which it is on top half the time.

The step is that of `global_context`. Samples are drawn until the noise token is on top in half of the fresh contexts, and
the number is found by bisection over what was drawn.
"""

from typing import Any

import torch
from torch import Tensor

from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.recall.checks import check_choice, check_number, check_whole

__all__ = ["needed_samples_experiment", "sample_needed_samples"]

FRESH = 64
LAYERS = ("feed-forward", "attention")


class _Drawn:
    """Samples of one run, as many as were asked for: what followed the trigger, and the context before it."""

    def __init__(self, layer: str, N: int, T: int, a: float, **how: Any) -> None:
        self.layer, self.N, self.T, self.a, self.how = layer, N, T, a, how
        self.outputs = torch.empty(0, dtype=torch.long, device=how["device"])
        self.weights = torch.empty(FRESH, 0, dtype=torch.float64, device=how["device"])
        fresh = torch.randint(N, (FRESH, T), **how)
        self.counts = torch.zeros(FRESH, N, dtype=torch.float64, device=how["device"])
        self.counts.scatter_add_(1, fresh, torch.ones_like(fresh, dtype=torch.float64))

    def more(self, m: int) -> None:
        """m samples more; a sample weighs as much as its context has in common with each fresh one."""
        noisy = torch.rand(m, dtype=torch.float64, **self.how) < self.a
        outputs = torch.where(noisy, 0, torch.randint(1, self.N, (m,), **self.how))
        weights = torch.ones(FRESH, m, dtype=torch.float64, device=self.how["device"])
        if self.layer == "attention":
            seen = torch.randint(self.N, (m * self.T,), **self.how)
            weights = self.counts.index_select(1, seen).view(FRESH, m, self.T).sum(2)
        self.outputs = torch.cat([self.outputs, outputs])
        self.weights = torch.cat([self.weights, weights], 1)

    def share(self, m: int) -> float:
        """How often the noise token is on top after the first m samples, ties shared."""
        scores = torch.zeros_like(self.counts).index_add_(1, self.outputs[:m], self.weights[:, :m])
        top = scores.amax(1, keepdim=True)
        ties = (scores == top).sum(1)
        return float(torch.where(scores[:, 0] == top[:, 0], 1 / ties.double(), 0.0).mean())


def _needed(**given: Any) -> float:
    drawn, high = _Drawn(**given), 1
    drawn.more(1)
    while drawn.share(high) < 0.5:
        drawn.more(high)
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if drawn.share(middle) >= 0.5 else (middle, high)
    return float(high)


def sample_needed_samples(
    *,
    layer: str,
    N: int,
    a: float,
    T: int = 2,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> Tensor:
    """The number of samples with which the noise token is on top in half of 64 fresh contexts, one number a run."""
    check_choice("layer", layer, LAYERS)
    N, T, a = check_whole("N", N, low=3), check_whole("T", T), check_number("a", a, strict=True)
    how: dict[str, Any] = {"generator": generator, "device": device}
    values = [_needed(layer=layer, N=N, T=T, a=a, **how) for _ in range(replicas)]
    return torch.tensor(values, dtype=torch.float64, device=device)


needed_samples_experiment = experiment("needed-samples", sample_needed_samples, block=4)
