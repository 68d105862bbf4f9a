"""One gradient step on m sequences: the noise token after a trigger, learnt by a feed-forward layer or by attention.

From zero weights a step adds to the score of output k, on a fresh sequence, the overlap of what the layer sees there with
what it saw in the samples followed by k (and the same constant to all). The feed-forward layer sees the trigger, which all
sequences share; attention sees the mean of a context of T uniform tokens, without the trigger. Learnt: the noise token has
the largest score; ties are broken at random.
"""

from typing import Any

import torch

from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.recall.checks import check_choice, check_whole

__all__ = [
    "noise_gap_experiment",
    "noise_learned_experiment",
    "sample_noise_gap",
    "sample_noise_learned",
]


def _learned(*, layer: str, m: int, N: int, T: int, a: float, replicas: int, **how: Any) -> torch.Tensor:
    """1 where the noise token (0) is on top, 1/k where it ties with k - 1 others, else 0."""
    device, generator = how["device"], how["generator"]
    out = torch.randint(1, N, (replicas, m), generator=generator, device=device)
    noisy = torch.rand((replicas, m), generator=generator, device=device, dtype=torch.float64) < a
    out = torch.where(noisy, 0, out)
    if layer == "feed-forward":
        weight = torch.ones(replicas, m, dtype=torch.float64, device=device)
    else:
        seen = torch.randint(N, (replicas, m, T), generator=generator, device=device)
        fresh = torch.randint(N, (replicas, T), generator=generator, device=device)
        counts = torch.zeros(replicas, N, dtype=torch.float64, device=device)
        counts.scatter_add_(1, fresh, torch.ones_like(fresh, dtype=torch.float64))
        weight = counts.gather(1, seen.flatten(1)).view(replicas, m, T).sum(2)
    scores = torch.zeros(replicas, N, dtype=torch.float64, device=device).scatter_add_(1, out, weight)
    top = scores.amax(1, keepdim=True)
    ties = (scores == top).sum(1)
    return torch.where(scores[:, 0] == top[:, 0], 1 / ties.double(), 0.0)


def sample_noise_learned(
    *,
    layer: str,
    m: int,
    N: int,
    a: float,
    T: int = 1,
    miss: bool = False,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """Whether m samples teach the layer the noise token (or, with `miss`, that they do not)."""
    check_choice("layer", layer, ("feed-forward", "attention"))
    m, N, T = (check_whole(name, value) for name, value in (("m", m), ("N", N), ("T", T)))
    how: dict[str, Any] = {"generator": generator, "device": device}
    found = _learned(layer=layer, m=m, N=N, T=T, a=float(a), replicas=replicas, **how)
    return 1 - found if miss else found


def sample_noise_gap(
    *,
    m: int,
    N: int,
    T: int,
    a: float,
    draws: int = 256,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """How much more often the feed-forward layer has learnt the noise token than attention, over `draws` draws a run."""
    how: dict[str, Any] = {"generator": generator, "device": device}
    m, N, T, draws = (check_whole(name, value) for name, value in (("m", m), ("N", N), ("T", T), ("draws", draws)))
    shares = [
        _learned(layer=layer, m=m, N=N, T=T, a=float(a), replicas=replicas * draws, **how).view(replicas, draws).mean(1)
        for layer in ("feed-forward", "attention")
    ]
    return shares[0] - shares[1]


noise_learned_experiment = experiment("noise-learned", sample_noise_learned, block=64, bounds=(0.0, 1.0))
noise_gap_experiment = experiment("noise-gap", sample_noise_gap, block=4)
