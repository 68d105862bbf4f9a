"""What one step of a Hopfield net does to its energy: for given patterns and state, and the worst of all states."""

from collections.abc import Sequence
from typing import Annotated

import torch

from asymp.models.patterns import Hopfield
from asymp.montecarlo.arguments import Whole, checked, one_of
from asymp.montecarlo.checks import check_whole
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment

Diagonal = Annotated[str, one_of("zero", "kept")]


@checked
def sample_energy_change(
    draw: Draw,
    *,
    patterns: Sequence[Sequence[int]],
    state: Sequence[int],
    diagonal: Diagonal = "kept",
    bit: int | None = None,
) -> torch.Tensor:
    """E(x') - E(x) for given patterns and state, all bits moved at once or one `bit` (from 0) alone. Nothing is random."""
    xi = torch.tensor([list(row) for row in patterns], dtype=torch.float64, device=draw.device)[None]
    x = torch.tensor(list(state), dtype=torch.float64, device=draw.device)[None, None]
    if xi.dim() != 3 or xi.shape[2] != x.shape[2]:
        raise ValueError("patterns must be rows of as many signs as state has")
    memory = Hopfield(diagonal=diagonal).store(xi)
    moved = memory.step(x)
    if bit is not None:
        here = torch.arange(x.shape[2], device=draw.device) == check_whole("bit", bit, low=0, high=x.shape[2] - 1)
        moved = torch.where(here, moved, x)
    return (memory.energy(moved) - memory.energy(x)).view(1).expand(draw.replicas).clone()


@checked
def sample_largest_rise(draw: Draw, *, d: int, N: Whole, diagonal: Diagonal = "kept") -> torch.Tensor:
    """The largest E(x') - E(x) over all 2^d states of a net of N random patterns, d <= 12, all bits moved at once."""
    d = check_whole("d", d, high=12)
    memory = Hopfield(diagonal=diagonal).store(draw.signs((N, d)))
    numbers = torch.arange(2**d, device=draw.device)
    states = (
        torch.div(numbers[:, None], 2 ** torch.arange(d, device=draw.device), rounding_mode="floor") % 2 * 2.0 - 1.0
    )
    states = states.to(torch.float64).expand(draw.replicas, -1, -1)
    return (memory.energy(memory.step(states)) - memory.energy(states)).amax(1)


# patterns and state are given: nothing is random
energy_change_experiment = experiment("energy-change", sample_energy_change, block=2, deterministic=True)
largest_rise_experiment = experiment("largest-rise", sample_largest_rise, block=32)
