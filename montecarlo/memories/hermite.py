"""A layer of m Hermite neurons in the kernel regime, N items with N different outputs, embeddings on the sphere."""

import torch

from asymp.models.hermite_mlp import HermiteMLP
from asymp.models.memory import sampled_items, share_recalled
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.memories.grow import beats_candidates, crossing, sizes_between
from asymp.montecarlo.recall.checks import check_whole
from asymp.montecarlo.scores.embeddings import draw_embeddings, normals

__all__ = [
    "mlp_capacity_experiment",
    "mlp_error_experiment",
    "mlp_recall_experiment",
    "sample_mlp_capacity",
    "sample_mlp_error",
    "sample_mlp_recall",
]

ASKED = 1024
CANDIDATES = 256
GROWN = 1024
AT_ONCE = 2**21
"""Numbers held at once while a memory grows."""


def _neurons(
    d: int, m: int, k: int, dtype: torch.dtype, generator: torch.Generator, device: torch.device
) -> HermiteMLP:
    w, v = (normals((1, m, d), generator=generator, device=device).to(dtype) for _ in range(2))
    return HermiteMLP(w, v, k=k)


def sample_mlp_recall(
    *, d: int, m: int, N: int, k: int = 2, replicas: int, generator: torch.Generator, device: torch.device
) -> torch.Tensor:
    """The share of items that are recalled, on a sample of them, all N outputs being candidates."""
    d, m, N = check_whole("d", d, low=2), check_whole("m", m), check_whole("N", N, low=2)
    found = []
    for _ in range(replicas):
        e, u = (draw_embeddings("sphere", (1, N, d), generator=generator, device=device) for _ in range(2))
        memory = _neurons(d, m, int(k), torch.float64, generator, device).store(e, u, torch.arange(N, device=device))
        asked = sampled_items(N, ASKED, replicas=1, generator=generator, device=device)
        found.append(share_recalled(memory, e.gather(1, asked[..., None].expand(-1, -1, d)), asked))
    return torch.cat(found)


def sample_mlp_error(
    *, d: int, m: int, N: int, k: int = 2, replicas: int, generator: torch.Generator, device: torch.device
) -> torch.Tensor:
    """The share of items that are lost."""
    return 1 - sample_mlp_recall(d=d, m=m, N=N, k=k, replicas=replicas, generator=generator, device=device)


def sample_mlp_capacity(
    *,
    d: int,
    m: int,
    k: int = 2,
    K: int = CANDIDATES,
    dtype: torch.dtype = torch.float32,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """The size at which half of the first items are no longer recalled among the outputs of K of them.

    In float32: the recalls are the same as in float64 but for scores within 1e-6 of each other.
    """
    d, m, K = check_whole("d", d, low=2), check_whole("m", m), check_whole("K", K, low=2)
    # N lies near m d over the square of the largest of K normals, less what few neurons and a small d cost.
    sizes = [N for N in sizes_between(m * d / 48, m * d / 6, per_octave=3) if N > K]
    own = torch.arange(min(GROWN, sizes[0]), device=device)
    chunk = max(1, AT_ONCE // max(m, d))
    found = []
    for _ in range(replicas):
        memory = _neurons(d, m, int(k), dtype, generator, device)
        first, outputs = _items(len(own), d, dtype, generator, device)
        memory.store(first, outputs, own)
        recalls, stored = [], len(own)
        for N in sizes:
            while stored < N:
                count = min(chunk, N - stored)
                e, u = _items(count, d, dtype, generator, device)
                with torch.no_grad():
                    memory.moved.add_(((u @ memory.values.mT) * memory.slope(e)).mT @ e)
                stored += count
            with torch.no_grad():
                answers = (memory.slope(first) * (first @ memory.moved.mT)) @ memory.values
            recalls.append(beats_candidates(answers.select(0, 0), outputs.select(0, 0), own, K))
        found.append(crossing(sizes, torch.stack(recalls)[:, None]))
    return torch.cat(found)


def _items(
    count: int, d: int, dtype: torch.dtype, generator: torch.Generator, device: torch.device
) -> tuple[torch.Tensor, torch.Tensor]:
    drawn = torch.randn((2, 1, count, d), dtype=dtype, generator=generator, device=device)
    unit = drawn / torch.linalg.vector_norm(drawn, dim=-1, keepdim=True)
    return unit.select(0, 0), unit.select(0, 1)


mlp_recall_experiment = experiment("mlp-recall", sample_mlp_recall, block=2, bounds=(0, 1))
mlp_error_experiment = experiment("mlp-error", sample_mlp_error, block=2)
mlp_capacity_experiment = experiment("mlp-capacity", sample_mlp_capacity, block=2)
