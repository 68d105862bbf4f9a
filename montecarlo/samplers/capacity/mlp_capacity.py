"""A layer of m Hermite neurons in the kernel regime, N items with N different outputs, embeddings on the sphere."""

import math

import torch

from asymp.models.hermite_mlp import HermiteMLP
from asymp.montecarlo.arguments import TwoOrMore, Whole, batched, checked
from asymp.montecarlo.checks import check_whole
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.growing_memory import Curve, beats_candidates, sizes_between
from asymp.montecarlo.samplers.recalled_items import recalled_by_layer, share_of_sample

ASKED = 1024
CANDIDATES = 256
GROWN = 1024
AT_ONCE = 2**21
"""Numbers held at once while a memory grows."""


def _neurons(draw: Draw, d: int, m: int, k: int, dtype: torch.dtype) -> HermiteMLP:
    w, v = (draw.normal((m, d)).to(dtype) for _ in range(2))
    return HermiteMLP(w, v, k=k)


@batched(lambda: 1)
def sample_mlp_recall(draw: Draw, *, d: TwoOrMore, m: Whole, N: TwoOrMore, k: int = 2) -> torch.Tensor:
    """The share of items that are recalled, on a sample of them, all N outputs being candidates."""
    e, u = (draw.sphere((N, d)) for _ in range(2))
    memory = _neurons(draw, d, m, int(k), torch.float64).store(e, u, torch.arange(N, device=draw.device))
    return share_of_sample(draw, memory, e, ASKED)


def sample_mlp_error(draw: Draw, *, d: int, m: int, N: int, k: int = 2) -> torch.Tensor:
    """The share of items that are lost."""
    return 1 - sample_mlp_recall(draw, d=d, m=m, N=N, k=k)


@checked
def sample_mlp_capacity(
    draw: Draw, *, d: TwoOrMore, m: Whole, k: int = 2, K: TwoOrMore = CANDIDATES, dtype: torch.dtype = torch.float32
) -> torch.Tensor:
    """The size at which half of the first items are no longer recalled among the outputs of K of them.

    In float32: the recalls are the same as in float64 but for scores within 1e-6 of each other.
    """
    # N lies near m d over the square of the largest of K normals, less what few neurons and a small d cost.
    sizes = [N for N in sizes_between(m * d / 48, m * d / 6, per_octave=3) if N > K]
    own = torch.arange(min(GROWN, sizes[0]), device=draw.device)
    chunk = max(1, AT_ONCE // max(m, d))
    found = []
    for one in draw.batches(1):
        memory = _neurons(one, d, m, int(k), dtype)
        first, outputs = _items(one, len(own), d, dtype)
        memory.store(first, outputs, own)
        curve, stored = Curve(sizes), len(own)
        for N in sizes:
            while stored < N:
                count = min(chunk, N - stored)
                e, u = _items(one, count, d, dtype)
                stored += count
                if not curve.settled:
                    with torch.no_grad():
                        memory.moved.add_(((u @ memory.values.mT) * memory.slope(e)).mT @ e)
            if curve.settled:
                continue
            with torch.no_grad():
                answers = (memory.slope(first) * (first @ memory.moved.mT)) @ memory.values
            curve.recalls.append(beats_candidates(answers.select(0, 0), outputs.select(0, 0), own, K))
        found.append(curve.capacity())
    return torch.cat(found)


def _items(draw: Draw, count: int, d: int, dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
    drawn = torch.randn((2, 1, count, d), dtype=dtype, generator=draw.generator, device=draw.device)
    unit = drawn / torch.linalg.vector_norm(drawn, dim=-1, keepdim=True)
    return unit.select(0, 0), unit.select(0, 1)


@checked
def sample_trained_recall(
    draw: Draw, *, d: TwoOrMore, m: Whole, N: TwoOrMore, steps: int = 300, rate: float = 0.03
) -> torch.Tensor:
    """The share of N items that a ReLU layer of m neurons recalls after training both of its matrices."""
    e, u = (draw.sphere((N, d)) for _ in range(2))
    return recalled_by_layer(draw, e, u, torch.arange(N, device=draw.device), m=m, steps=steps, rate=rate)


def sample_trained_load(draw: Draw, *, d: int, m: int, load: int, steps: int = 200, rate: float = 0.03) -> torch.Tensor:
    """The same at the number of items N with N log N nearest to `load`: items counted with their logarithm."""
    load = check_whole("load", load, low=3)
    N = load / math.log(load)
    for _ in range(60):  # Newton's method: N log N is convex
        N -= (N * math.log(N) - load) / (math.log(N) + 1)
    return sample_trained_recall(draw, d=d, m=m, N=max(2, round(N)), steps=steps, rate=rate)


mlp_recall_experiment = experiment("mlp-recall", sample_mlp_recall, block=2, bounds=(0, 1))
mlp_error_experiment = experiment("mlp-error", sample_mlp_error, block=8, bounds=(0.0, 1.0))
mlp_capacity_experiment = experiment("mlp-capacity", sample_mlp_capacity, block=4)
trained_load_experiment = experiment("trained-load", sample_trained_load, version=2, block=4, bounds=(0, 1))
