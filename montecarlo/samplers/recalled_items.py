"""The share of its items that a memory recalls: of a sample of them, under noise, or after it was trained on them.

Full-batch Adam on the cross-entropy of memories that know their own gradients.
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from asymp.models.linear import Fitted
from asymp.models.low_rank import Factored
from asymp.models.memory import Memory, sampled_items, share_recalled
from asymp.models.relu_mlp import ReluMLP
from asymp.montecarlo.checks import check_number, check_whole
from asymp.montecarlo.draws import Draw

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


SCALE = 8.0
"""Scores are multiplied by this before the softmax of a trained memory: unit vectors alone give logits between -1 and 1."""


def share_of_sample(draw: Draw, memory: Memory, inputs: torch.Tensor, items: int) -> torch.Tensor:
    """The share of `items` random items that are recalled (of all, if there are no more); item x has the output x."""
    asked = sampled_items(inputs.shape[1], items, replicas=draw.replicas, generator=draw.generator, device=draw.device)
    return share_recalled(memory, inputs.gather(1, asked[..., None].expand(-1, -1, inputs.shape[2])), asked)


def lost_under_noise(draw: Draw, memory: Memory, other: Memory, inputs: torch.Tensor, s: float) -> torch.Tensor:
    """Items that one memory loses when its inputs have noise N(0, s^2 I/d), over those that the other loses.

    Both see the same noisy inputs, about 1024 or eight for every item; one is added to both counts.
    """
    N, d = inputs.shape[1:]
    times = max(8, 1024 // N)
    asked = inputs.repeat(1, times, 1) + s / math.sqrt(d) * draw.normal((times * N, d))
    own = torch.arange(N, device=draw.device).repeat(times)
    lost = [(1 - share_recalled(one, asked, own)) * times * N for one in (memory, other)]
    return (lost[0] + 1) / (lost[1] + 1)


def recalled_by_layer(
    draw: Draw, inputs: torch.Tensor, outputs: torch.Tensor, answers: torch.Tensor, *, m: int, steps: int, rate: float
) -> torch.Tensor:
    """The share of items that a ReLU layer of m neurons, drawn here and trained on them in single precision, has right."""
    d = inputs.shape[2]
    first = draw.normal((m, d))
    second = draw.normal((d, m)) / math.sqrt(m)
    memory = ReluMLP(first.to(torch.float32), second.to(torch.float32)).store(
        inputs.to(torch.float32), outputs.to(torch.float32), answers
    )
    descend(memory, steps=check_whole("steps", steps), rate=check_number("rate", rate, strict=True), scale=SCALE)
    return share_recalled(memory, memory.inputs, answers)
