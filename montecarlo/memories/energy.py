"""What one step of a Hopfield net does to its energy: for given patterns and state, and the worst of all states."""

from collections.abc import Sequence

import torch

from asymp.models.hopfield import Hopfield
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.memories.patterns import signs
from asymp.montecarlo.recall.checks import check_choice, check_whole

__all__ = [
    "energy_change_experiment",
    "largest_rise_experiment",
    "sample_energy_change",
    "sample_largest_rise",
]


def sample_energy_change(
    *,
    patterns: Sequence[Sequence[int]],
    state: Sequence[int],
    diagonal: str = "kept",
    bit: int | None = None,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """E(x') - E(x) for given patterns and state, all bits moved at once or one `bit` (from 0) alone. Nothing is random."""
    check_choice("diagonal", diagonal, ("zero", "kept"))
    xi = torch.tensor([list(row) for row in patterns], dtype=torch.float64, device=device)[None]
    x = torch.tensor(list(state), dtype=torch.float64, device=device)[None, None]
    if xi.dim() != 3 or xi.shape[2] != x.shape[2]:
        raise ValueError("patterns must be rows of as many signs as state has")
    memory = Hopfield(diagonal=diagonal).store(xi)
    moved = memory.step(x)
    if bit is not None:
        here = torch.arange(x.shape[2], device=device) == check_whole("bit", bit, low=0, high=x.shape[2] - 1)
        moved = torch.where(here, moved, x)
    return (memory.energy(moved) - memory.energy(x)).view(1).expand(replicas).clone()


def sample_largest_rise(
    *, d: int, N: int, diagonal: str = "kept", replicas: int, generator: torch.Generator, device: torch.device
) -> torch.Tensor:
    """The largest E(x') - E(x) over all 2^d states of a net of N random patterns, d <= 12, all bits moved at once."""
    d, N = check_whole("d", d, high=12), check_whole("N", N)
    memory = Hopfield(diagonal=diagonal).store(signs((replicas, N, d), generator=generator, device=device))
    numbers = torch.arange(2**d, device=device)
    states = torch.div(numbers[:, None], 2 ** torch.arange(d, device=device), rounding_mode="floor") % 2 * 2.0 - 1.0
    states = states.to(torch.float64).expand(replicas, -1, -1)
    return (memory.energy(memory.step(states)) - memory.energy(states)).amax(1)


energy_change_experiment = experiment("energy-change", sample_energy_change, block=2)
largest_rise_experiment = experiment("largest-rise", sample_largest_rise, block=32)
