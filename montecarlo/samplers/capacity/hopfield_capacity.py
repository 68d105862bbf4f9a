"""Hopfield nets of N patterns of d fair signs, started at one of their patterns.

Measured are the share of bits that change in one step, the share of patterns of which no bit changes, the number of
patterns at which half of those asked change, and whether the net, run to a stable state, ends near its pattern.
"""

import torch

from asymp.models.patterns import flipped
from asymp.montecarlo.arguments import Number, Whole, batched
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.sign_patterns import (
    AT_ONCE,
    bit_capacity_experiment,
    bit_error_experiment,
    fixed_patterns_experiment,
)

__all__ = ["bit_capacity_experiment", "bit_error_experiment", "fixed_patterns_experiment", "near_patterns_experiment"]


@batched(lambda d: AT_ONCE // (d * d))
def sample_near_patterns(draw: Draw, *, d: Whole, N: Whole, overlap: Number = 0.9, steps: int = 100) -> torch.Tensor:
    """Whether the net, started at a stored pattern, ends near it: at least `overlap`, one pattern a net.

    Bits move one after the other in a random order, in sweeps, until none moves, or after `steps` sweeps: the theory
    speaks of stable states, and without a diagonal all bits at once may end in a cycle of two.
    """
    patterns = draw.signs((N, d))
    W = patterns.mT @ patterns
    W.diagonal(dim1=1, dim2=2).zero_()
    first = patterns.select(1, 0)
    state, field = first.clone(), (W @ first[..., None])[..., 0]
    for _ in range(steps):
        # a sweep in groups of bits: within a group the bits move at once, a few per cent of them at most
        moved = torch.zeros((), dtype=torch.bool, device=draw.device)
        for group in draw.alone.permutation(d).chunk(16):
            here = state.index_select(1, group)
            new = flipped(here, field.index_select(1, group))
            change = new - here
            state = state.index_copy(1, group, new)
            field = field + (W.index_select(2, group) @ change[..., None])[..., 0]
            moved = moved | (change != 0).any()
        if draw.device.type == "cpu" and not bool(moved):
            break
    return ((state * first).mean(1) >= overlap).to(torch.float64)


near_patterns_experiment = experiment("near-patterns", sample_near_patterns, block=16, bounds=(0, 1))
