"""Full-batch Adam on the cross-entropy of memories that know their own gradients."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from asymp.models.linear import Fitted
from asymp.models.low_rank import Factored
from asymp.models.relu_mlp import ReluMLP

BETAS = (0.9, 0.999)
EPSILON = 1e-8


@torch.no_grad()
def descend(
    memory: ReluMLP | Factored | Fitted,
    *,
    steps: int,
    rate: float,
    scale: float = 1.0,
    watch: Callable[[int], bool] | None = None,
) -> None:
    """Train a memory by Adam on all its items at once; replicas share nothing, since Adam works entry by entry.

    `steps`: how many at most. `rate`: their size. `scale`: the factor of the scores in the softmax. `watch`: called with the
    number of each step that was taken; training ends once it returns True.

    The steps are those of torch.optim.Adam with its own betas; on small memories its bookkeeping, and that of automatic
    differentiation, take several times as long as the arithmetic.
    """
    trained = {name: p for name, p in memory.named_parameters() if p.requires_grad}
    moments: dict[str, tuple[Tensor, Tensor]] = {
        name: (torch.zeros_like(p), torch.zeros_like(p)) for name, p in trained.items()
    }
    for step in range(1, steps + 1):
        slopes = memory.slopes(scale)
        first, second = (1 - beta**step for beta in BETAS)
        for name, weight in trained.items():
            mean, square = moments[name]
            mean.lerp_(slopes[name], 1 - BETAS[0])
            square.mul_(BETAS[1]).addcmul_(slopes[name], slopes[name], value=1 - BETAS[1])
            weight.addcdiv_(mean, square.sqrt().div_(math.sqrt(second)).add_(EPSILON), value=-rate / first)
        if watch is not None and watch(step):
            break
