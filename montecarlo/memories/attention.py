"""Softmax attention over patterns: as a gradient step, as descent, and how many patterns it tells apart."""

import math

import torch
from torch._subclasses.fake_tensor import FakeTensor

from asymp.models.attention import Attention
from asymp.models.linear import Hebbian
from asymp.models.memory import share_recalled
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.recall.checks import check_number, check_whole
from asymp.montecarlo.scores.embeddings import draw_embeddings, normals

__all__ = [
    "attention_capacity_experiment",
    "attention_descent_experiment",
    "attention_leak_experiment",
    "attention_linear_experiment",
    "attention_noise_experiment",
    "attention_step_experiment",
    "sample_attention_capacity",
    "sample_attention_descent",
    "sample_attention_leak",
    "sample_attention_linear",
    "sample_attention_noise",
    "sample_attention_step",
]

QUERIES = 16
CHUNK = 2**18
"""Numbers held at once."""


def sample_attention_step(
    *,
    d: int,
    N: int,
    beta: float,
    eta: float = 1.0,
    relative: bool = False,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """|x - eta grad E(x) - a(x)|, the gradient by automatic differentiation of the energy, a(x) by attention.

    With `relative` over |x - a(x)|. Patterns and x have standard normal entries.
    """
    d, N = check_whole("d", d), check_whole("N", N)
    memory = Attention(check_number("beta", beta, strict=True))
    memory.store(normals((replicas, N, d), generator=generator, device=device))
    x = normals((replicas, 1, d), generator=generator, device=device).requires_grad_()
    (slope,) = torch.autograd.grad(memory.energy(x).sum(), x)
    with torch.no_grad():
        answer = memory.step(x)
        off = torch.linalg.vector_norm(x - eta * slope - answer, dim=-1)
        size = torch.linalg.vector_norm(x - answer, dim=-1) if relative else torch.ones_like(off)
    shares: torch.Tensor = (off / size).select(1, 0)
    return shares


def sample_attention_descent(
    *, d: int, N: int, beta: float, replicas: int, generator: torch.Generator, device: torch.device
) -> torch.Tensor:
    """(E(a(x)) - E(x))/|x - a(x)|^2: what a step of attention does to the energy."""
    d, N = check_whole("d", d), check_whole("N", N)
    memory = Attention(check_number("beta", beta, strict=True))
    memory.store(normals((replicas, N, d), generator=generator, device=device))
    x = normals((replicas, 1, d), generator=generator, device=device)
    answer = memory.step(x)
    return ((memory.energy(answer) - memory.energy(x)) / (x - answer).square().sum(-1)).select(1, 0)


def sample_attention_leak(
    *, d: int, N: int, beta: float, replicas: int, generator: torch.Generator, device: torch.device
) -> torch.Tensor:
    """The weight of the other patterns over that of the right one, at a stored pattern; averaged over all of them."""
    d, N, beta = check_whole("d", d, low=2), check_whole("N", N, low=2), check_number("beta", beta, strict=True)
    memory = Attention(beta)
    parts = []
    rows = max(1, CHUNK // (N * max(N, d)))
    for start in range(0, replicas, rows):
        shape = (min(rows, replicas - start), N, d)
        memory.store(draw_embeddings("sphere", shape, generator=generator, device=device))
        own = memory.weights(memory.outputs).diagonal(dim1=1, dim2=2)
        parts.append(((1 - own) / own).mean(1))
    return torch.cat(parts)


def sample_attention_noise(
    *, d: int, N: int, beta: float, s: float, replicas: int, generator: torch.Generator, device: torch.device
) -> torch.Tensor:
    """The same at every stored pattern with noise N(0, s^2 I/d) of its own."""
    d, N, beta = check_whole("d", d, low=2), check_whole("N", N, low=2), check_number("beta", beta, strict=True)
    s = check_number("s", s)
    memory = Attention(beta)
    parts = []
    rows = max(1, CHUNK // (N * max(N, d)))
    for start in range(0, replicas, rows):
        shape = (min(rows, replicas - start), N, d)
        memory.store(draw_embeddings("sphere", shape, generator=generator, device=device))
        noise = s / math.sqrt(d) * normals(shape, generator=generator, device=device)
        own = memory.weights(memory.outputs + noise).diagonal(dim1=1, dim2=2)
        parts.append(((1 - own) / own).mean(1))
    return torch.cat(parts)


def sample_attention_linear(
    *, d: int, N: int, s: float, replicas: int, generator: torch.Generator, device: torch.device
) -> torch.Tensor:
    """Patterns that a step of attention, at beta = d, loses under noise N(0, s^2 I/d), over those that a linear memory loses.

    Both hold the same N patterns and see the same noisy ones, about 1024 or eight for every pattern; one is added to both
    counts.
    """
    d, N, s = check_whole("d", d), check_whole("N", N, low=2), check_number("s", s)
    own, times = torch.arange(N, device=device), max(8, 1024 // N)
    found = []
    for _ in range(replicas):
        e = draw_embeddings("sphere", (1, N, d), generator=generator, device=device)
        asked = e.repeat(1, times, 1) + s / math.sqrt(d) * normals(
            (1, times * N, d), generator=generator, device=device
        )
        lost = [
            (1 - share_recalled(memory, asked, own.repeat(times))) * times * N
            for memory in (Attention(float(d)).store(e), Hebbian().store(e, e, own))
        ]
        found.append((lost[0] + 1) / (lost[1] + 1))
    return torch.cat(found)


def sample_attention_capacity(
    *,
    d: int,
    lam: float,
    most: int = 2**26,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """log N, N the number of patterns at which the others first outweigh the right one, at beta = lam d.

    Patterns are added to those that are there, up to `most`; a replica is the mean over 16 queries, which see the same
    patterns.
    """
    d, beta = check_whole("d", d, low=2), check_number("lam", lam, strict=True) * d
    values = []
    for _ in range(replicas):
        queries = draw_embeddings("sphere", (QUERIES, d), generator=generator, device=device)
        leak = torch.zeros(QUERIES, dtype=torch.float64, device=device)
        found = torch.full((QUERIES,), math.nan, dtype=torch.float64, device=device)
        stored = 1
        while stored < most:
            count = min(max(256, stored), CHUNK // d)
            xi = draw_embeddings("sphere", (count, d), generator=generator, device=device)
            sums = leak[:, None] + torch.cumsum(torch.exp(beta * (queries @ xi.mT - 1)), 1)
            over = sums > 1
            first = over.to(torch.float64).argmax(1)
            found = torch.where(over.any(1) & found.isnan(), torch.log(stored + first + 1.0), found)
            leak = sums.select(1, count - 1)
            stored += count
            if not isinstance(found, FakeTensor) and not bool(found.isnan().any()):
                break
        values.append(found.mean())
    return torch.stack(values)


attention_step_experiment = experiment("attention-step", sample_attention_step, block=16)
attention_descent_experiment = experiment("attention-descent", sample_attention_descent, block=16)
attention_leak_experiment = experiment("attention-leak", sample_attention_leak, block=64)
attention_noise_experiment = experiment("attention-noise", sample_attention_noise, block=64)
attention_linear_experiment = experiment("attention-linear", sample_attention_linear, block=4)
attention_capacity_experiment = experiment("attention-capacity", sample_attention_capacity, block=1)
