"""The lookup layer: one neuron for each stored input, N items with N different outputs, embeddings on the sphere."""

import math

import torch

from asymp.models.linear import Hebbian
from asymp.models.lookup_mlp import LookupMLP
from asymp.models.memory import Memory, sampled_items, share_recalled
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.recall.checks import check_number, check_whole
from asymp.montecarlo.scores.embeddings import draw_embeddings, normals

__all__ = [
    "lookup_cost_experiment",
    "lookup_error_experiment",
    "lookup_noise_experiment",
    "lookup_recall_experiment",
    "lookup_silence_experiment",
    "lookup_silenced_experiment",
    "sample_lookup_cost",
    "sample_lookup_error",
    "sample_lookup_noise",
    "sample_lookup_recall",
    "sample_lookup_silence",
    "sample_lookup_silenced",
]

ASKED = 256
AT_ONCE = 2**20


def _stored(
    memory: Memory, replicas: int, N: int, d: int, generator: torch.Generator, device: torch.device
) -> torch.Tensor:
    e, u = (draw_embeddings("sphere", (replicas, N, d), generator=generator, device=device) for _ in range(2))
    memory.store(e, u, torch.arange(N, device=device))
    return e


def sample_lookup_recall(
    *,
    d: int,
    N: int,
    b: float = 0.5,
    items: str = "one",
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """The share of items that are recalled, on a sample of them; for items = 'all' whether all are."""
    d, N = check_whole("d", d, low=2), check_whole("N", N, low=2)
    found = []
    for _ in range(replicas):
        memory = LookupMLP(b)
        e = _stored(memory, 1, N, d, generator, device)
        asked = sampled_items(N, N if items == "all" else ASKED, replicas=1, generator=generator, device=device)
        share = share_recalled(memory, e.gather(1, asked[..., None].expand(-1, -1, d)), asked)
        found.append((share == 1).to(torch.float64) if items == "all" else share)
    return torch.cat(found)


def sample_lookup_error(
    *, d: int, N: int, b: float = 0.5, replicas: int, generator: torch.Generator, device: torch.device
) -> torch.Tensor:
    """The share of items that are lost."""
    return 1 - sample_lookup_recall(d=d, N=N, b=b, replicas=replicas, generator=generator, device=device)


@torch.no_grad()
def sample_lookup_silence(
    *, d: int, N: int, b: float = 0.5, replicas: int, generator: torch.Generator, device: torch.device
) -> torch.Tensor:
    """The share of stored inputs at which no other neuron fires."""
    d, N = check_whole("d", d, low=2), check_whole("N", N, low=2)
    parts = []
    rows = max(1, AT_ONCE // (N * max(N, d)))
    for start in range(0, replicas, rows):
        memory = LookupMLP(b)
        e = _stored(memory, min(rows, replicas - start), N, d, generator, device)
        parts.append(((memory.hidden(e) > 0).sum(2) == 1).to(torch.float64).mean(1))
    return torch.cat(parts)


@torch.no_grad()
def sample_lookup_silenced(
    *, d: int, s: float, b: float = 0.5, replicas: int, generator: torch.Generator, device: torch.device
) -> torch.Tensor:
    """Whether noise N(0, s^2 I/d) on a stored input silences its own neuron, the share over 64 items."""
    d, s = check_whole("d", d), check_number("s", s)
    memory = LookupMLP(b)
    e = _stored(memory, 64 * replicas, 1, d, generator, device)
    noisy = e + s / math.sqrt(d) * normals((64 * replicas, 1, d), generator=generator, device=device)
    return (memory.hidden(noisy) == 0).to(torch.float64).view(replicas, 64).mean(1)


def sample_lookup_noise(
    *, d: int, N: int, s: float, b: float = 0.5, replicas: int, generator: torch.Generator, device: torch.device
) -> torch.Tensor:
    """Items that the lookup layer loses under noise N(0, s^2 I/d), over those that a linear memory of them loses.

    Both hold the same N items and see the same noisy inputs, about 1024 or eight for every item; one is added to both
    counts.
    """
    d, N, s = check_whole("d", d), check_whole("N", N, low=2), check_number("s", s)
    lookup, linear, own = LookupMLP(b), Hebbian(), torch.arange(N, device=device)
    times = max(8, 1024 // N)
    found = []
    for _ in range(replicas):
        e, u = (draw_embeddings("sphere", (1, N, d), generator=generator, device=device) for _ in range(2))
        noise = s / math.sqrt(d) * normals((1, times * N, d), generator=generator, device=device)
        asked = e.repeat(1, times, 1) + noise
        lost = [
            (1 - share_recalled(memory.store(e, u, own), asked, own.repeat(times))) * times * N
            for memory in (lookup, linear)
        ]
        found.append((lost[0] + 1) / (lost[1] + 1))
    return torch.cat(found)


def sample_lookup_cost(
    *, d: int, N: int, b: float = 0.5, replicas: int, generator: torch.Generator, device: torch.device
) -> torch.Tensor:
    """Operations of a lookup layer to answer one query, over those of a linear memory of the same items.

    Counted while both run, from the query to the vector that meets the candidates.
    """
    from torch.utils.flop_counter import FlopCounterMode

    d, N = check_whole("d", d, low=2), check_whole("N", N, low=2)
    own = torch.arange(N, device=device)
    found = []
    for _ in range(replicas):
        e, u = (draw_embeddings("sphere", (1, N, d), generator=generator, device=device) for _ in range(2))
        counts = []
        for memory in (LookupMLP(b), Hebbian()):
            memory.store(e, u, own)
            with FlopCounterMode(display=False) as whole:
                memory.score(e.narrow(1, 0, 1))
            # both end with the same N d products with the candidates
            counts.append(whole.get_total_flops() - 2 * N * d)
        found.append(counts[0] / counts[1])
    return torch.tensor(found, dtype=torch.float64, device=device)


lookup_recall_experiment = experiment("lookup-recall", sample_lookup_recall, block=2, bounds=(0, 1))
lookup_error_experiment = experiment("lookup-error", sample_lookup_error, block=2)
lookup_silence_experiment = experiment("lookup-silence", sample_lookup_silence, block=64)
lookup_silenced_experiment = experiment("lookup-silenced", sample_lookup_silenced, block=256)
lookup_noise_experiment = experiment("lookup-noise", sample_lookup_noise, block=4)
lookup_cost_experiment = experiment("lookup-cost", sample_lookup_cost, block=1)
