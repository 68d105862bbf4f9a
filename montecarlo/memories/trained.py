"""Memories that are trained: full-batch Adam on cross-entropy, embeddings fixed on the unit sphere, N different outputs."""

import math
from typing import Any

import torch

from asymp.models.linear import Fitted
from asymp.models.low_rank import Factored, LowRank
from asymp.models.memory import Memory, share_recalled
from asymp.models.relu_mlp import ReluMLP
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.memories.adam import descend
from asymp.montecarlo.recall.checks import check_number, check_whole
from asymp.montecarlo.scores.embeddings import draw_embeddings, normals

__all__ = [
    "learning_steps_experiment",
    "sample_learning_steps",
    "sample_trained_load",
    "sample_trained_low_rank",
    "sample_trained_pairs",
    "sample_trained_recall",
    "trained_load_experiment",
    "trained_low_rank_experiment",
    "trained_pairs_experiment",
    "trained_recall_experiment",
]

SCALE = 8.0
"""Scores are multiplied by this before the softmax: unit vectors alone give logits between -1 and 1."""


def sample_trained_recall(
    *,
    d: int,
    m: int,
    N: int,
    steps: int = 300,
    rate: float = 0.03,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """The share of N items that a ReLU layer of m neurons recalls after training both of its matrices."""
    d, m, N = check_whole("d", d, low=2), check_whole("m", m), check_whole("N", N, low=2)
    e, u = (draw_embeddings("sphere", (replicas, N, d), generator=generator, device=device) for _ in range(2))
    return _recalled_by_layer(e, u, torch.arange(N, device=device), m=m, steps=steps, rate=rate, generator=generator)


def _recalled_by_layer(
    inputs: torch.Tensor,
    outputs: torch.Tensor,
    answers: torch.Tensor,
    *,
    m: int,
    steps: int,
    rate: float,
    generator: torch.Generator,
) -> torch.Tensor:
    """The share of items that a ReLU layer of m neurons, drawn here and trained on them in single precision, has right."""
    replicas, _, d = inputs.shape
    first = normals((replicas, m, d), generator=generator, device=inputs.device)
    second = normals((replicas, d, m), generator=generator, device=inputs.device) / math.sqrt(m)
    memory = ReluMLP(first.to(torch.float32), second.to(torch.float32)).store(
        inputs.to(torch.float32), outputs.to(torch.float32), answers
    )
    descend(memory, steps=check_whole("steps", steps), rate=check_number("rate", rate, strict=True), scale=SCALE)
    return share_recalled(memory, memory.get_buffer("inputs"), answers)


def sample_trained_load(
    *,
    d: int,
    m: int,
    load: int,
    steps: int = 200,
    rate: float = 0.03,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """The same at the number of items N with N log N nearest to `load`: items counted with their logarithm."""
    load = check_whole("load", load, low=3)
    N = load / math.log(load)
    for _ in range(60):  # Newton's method: N log N is convex
        N -= (N * math.log(N) - load) / (math.log(N) + 1)
    how: dict[str, Any] = {"replicas": replicas, "generator": generator, "device": device}
    return sample_trained_recall(d=d, m=m, N=max(2, round(N)), steps=steps, rate=rate, **how)


def sample_trained_pairs(
    *,
    d: int,
    m: int,
    N: int,
    M: int = 64,
    steps: int = 200,
    rate: float = 0.03,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """The share of N facts about pairs (subject, relation) that a trained ReLU layer of m neurons has right.

    The layer reads the sum e_s + e~_r. The facts are N pairs of the smallest square of subjects and relations that has so
    many, drawn without replacement, with answers drawn from M outputs.
    """
    d, m, N, M = check_whole("d", d, low=2), check_whole("m", m), check_whole("N", N, low=2), check_whole("M", M, low=2)
    side = math.isqrt(N - 1) + 1
    how: dict[str, Any] = {"generator": generator, "device": device}
    subjects, relations = (draw_embeddings("sphere", (replicas, side, d), **how) for _ in range(2))
    pairs = (subjects[:, :, None] + relations[:, None]).flatten(1, 2)
    order = torch.rand((replicas, side * side), **how).argsort(1).narrow(1, 0, N)
    inputs = pairs.gather(1, order[..., None].expand(-1, -1, d))
    outputs = draw_embeddings("sphere", (replicas, M, d), **how)
    answers = torch.randint(M, (replicas, N), **how)
    return _recalled_by_layer(inputs, outputs, answers, m=m, steps=steps, rate=rate, generator=generator)


def sample_trained_low_rank(
    *,
    d: int,
    m: int,
    N: int,
    steps: int = 200,
    rate: float = 0.03,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """Items that a matrix of rank m loses after training both factors, over those that the constructed one loses.

    Both hold the same N items, and one is added to both counts. The construction has one random factor and one correlation
    step on the other; training starts from two random factors.
    """
    d, m, N = check_whole("d", d, low=2), check_whole("m", m), check_whole("N", N, low=2)
    how: dict[str, Any] = {"generator": generator, "device": device}
    e, u = (draw_embeddings("sphere", (replicas, N, d), **how) for _ in range(2))
    factor, left = (normals((replicas, d, m), **how) / math.sqrt(m) for _ in range(2))
    right = normals((replicas, m, d), **how)
    own = torch.arange(N, device=device)
    trained = Factored(left, right).store(e, u, own)
    descend(trained, steps=check_whole("steps", steps), rate=check_number("rate", rate, strict=True), scale=SCALE)
    lost = [(1 - share_recalled(memory, e, own)) * N for memory in (trained, LowRank(factor).store(e, u, own))]
    return (lost[0] + 1) / (lost[1] + 1)


def sample_learning_steps(
    *,
    d: int,
    N: int,
    b: float = 0.5,
    rate: float = 0.03,
    most: int = 300,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """Steps that a layer of N neurons with thresholds b takes to recall 99 % of N items, over those of a linear memory.

    The layer starts at random unit directions with its biases at -b, and both of its matrices are trained; the linear
    memory starts at zero. Both see the same items, the same loss and the same Adam. A memory that is not there after
    `most` steps counts as `most`.
    """
    d, N, most = check_whole("d", d, low=2), check_whole("N", N, low=2), check_whole("most", most)
    e, u = (draw_embeddings("sphere", (replicas, N, d), generator=generator, device=device) for _ in range(2))
    own = torch.arange(N, device=device)
    first = draw_embeddings("sphere", (replicas, N, d), generator=generator, device=device)
    second = normals((replicas, d, N), generator=generator, device=device) / math.sqrt(N)
    layer = ReluMLP(first, second, torch.full((replicas, N), -check_number("b", b), dtype=torch.float64, device=device))
    layer.bias.requires_grad_(False)  # type: ignore[union-attr]
    counts = []
    for memory in (layer, Fitted()):
        memory.store(e, u, own)
        taken = torch.full((replicas,), float(most), dtype=torch.float64, device=device)

        def watch(step: int, memory: Memory = memory, taken: torch.Tensor = taken) -> bool:
            there = share_recalled(memory, e, own) >= 0.99
            taken.masked_fill_(there & (taken == most), float(step))  # the first time counts
            return device.type == "cpu" and bool((taken < most).all())

        descend(memory, steps=most, rate=rate, scale=SCALE, watch=watch)
        counts.append(taken)
    return counts[0] / counts[1]


trained_recall_experiment = experiment("trained-recall", sample_trained_recall, version=2, block=4, bounds=(0, 1))
trained_load_experiment = experiment("trained-load", sample_trained_load, version=2, block=4, bounds=(0, 1))
trained_pairs_experiment = experiment("trained-pairs", sample_trained_pairs, version=2, block=4, bounds=(0, 1))
trained_low_rank_experiment = experiment("trained-low-rank", sample_trained_low_rank, block=4)
learning_steps_experiment = experiment("learning-steps", sample_learning_steps, version=2, block=8)
