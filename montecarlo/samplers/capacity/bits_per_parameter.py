"""Bits that memories hold for each of their parameters.

`few-bits` stores with weights of b bits and counts what comes back. An item that is lost with probability p still carries
log2 M - h(p) - p log2(M - 1) bits of its answer (Fano; h the binary entropy), so N items with a share p of lost ones are
worth that share of N whole answers, and the parameters that N whole answers would take at this rate follow.
`hebbian-bits` is `injective-all` with its size given in bits per parameter.
"""

import math
from typing import Annotated

import torch

from asymp.models.linear import Hebbian
from asymp.models.memory import share_recalled
from asymp.montecarlo.arguments import TwoOrMore, Whole, checked, one_of
from asymp.montecarlo.checks import check_whole
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.capacity.injective_capacity import sample_injective_all, size_of_load


def quantise(weights: torch.Tensor, b: int) -> torch.Tensor:
    """The weights of each replica at 2^b levels, evenly spaced over three standard deviations to either side; b = 1: signs."""
    if b == 1:
        return torch.where(weights < 0, -1.0, 1.0).to(weights.dtype)
    scale = weights.flatten(1).square().mean(1).sqrt().view(-1, *[1] * (weights.dim() - 1))
    steps = float(2**b)
    level: torch.Tensor = ((weights / (6 * scale) + 0.5) * steps).floor().clamp(0, steps - 1)
    return (level + 0.5) / steps - 0.5


@checked
def sample_few_bits(
    draw: Draw, *, d: Whole, N: TwoOrMore, b: int, answers: Annotated[str, one_of("labels", "pairs")]
) -> torch.Tensor:
    """Parameters that N answers take, at the rate at which a sum of outer products with b-bit weights gives them back.

    `answers` is 'labels' (two, d parameters: the difference of the two outputs reads one row) or 'pairs' (N, d^2 parameters).
    """
    b = check_whole("b", b, high=32)
    keys = draw.sphere((N, d))
    if answers == "labels":
        y = draw.signs((N, 1))
        row = quantise((y * keys).sum(1, keepdim=True), b)
        lost = ((keys * row).sum(2) * y.squeeze(2) <= 0).to(torch.float64).mean(1)
        return d / held(lost, 2)
    values = draw.sphere((N, d))
    targets = torch.arange(N, device=draw.device)
    memory = Hebbian().store(keys, values, targets)
    memory.weight = torch.nn.Parameter(quantise(memory.weight.detach(), b))
    return d * d / held(1 - share_recalled(memory, keys, targets), N)


def held(lost: torch.Tensor, M: int) -> torch.Tensor:
    """The share of log2 M bits that an item carries when a share `lost` is wrong; never below a millionth."""
    entropy: torch.Tensor = torch.special.entr(lost) + torch.special.entr(1 - lost)
    return (1 - (entropy + lost * math.log(max(M - 1, 1))) / math.log(M)).clamp(min=1e-6)


@checked
def sample_hebbian_bits(draw: Draw, *, d: Whole, millibits: Whole) -> torch.Tensor:
    """`injective-all` on the sphere at N log2 N = millibits/1000 d^2."""
    N = size_of_load(millibits / 1000 * d * d * math.log(2))
    return sample_injective_all(draw, d=d, N=N)


few_bits_experiment = experiment("few-bits", sample_few_bits, block=16)
hebbian_bits_experiment = experiment("hebbian-bits", sample_hebbian_bits, block=16, bounds=(0.0, 1.0))
