"""K hops, trained: a transformer learns f^K(x) from tables of f and a query x, with a curriculum of hops or without.

A sequence lists f(0), ..., f(N - 1), a fresh permutation each time, and ends with x: positions say whose image a token is.
Embeddings are frozen; attention is not causal, so that the table can look itself up. Only the answer at x counts.
"""

from itertools import count
from typing import Any

import torch
from torch import Tensor

from asymp.models.transformer import Shape, Transformer
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.recall.checks import check_number, check_whole
from asymp.montecarlo.transformers.training import Optimiser, train

__all__ = [
    "hop_sequences",
    "layer_gain_experiment",
    "sample_layer_gain",
    "sample_trained_hops",
    "trained_hops_experiment",
]


def hop_sequences(
    N: int, K: int, *, replicas: int, batch: int, generator: torch.Generator, device: torch.device
) -> tuple[Tensor, Tensor]:
    """Tables with their query at the end (replicas, batch, N + 1), and the answers f^K(x)."""
    drawn = torch.rand((replicas, batch, N), generator=generator, device=device, dtype=torch.float64)
    f = drawn.argsort(2)
    x = torch.randint(N, (replicas, batch, 1), generator=generator, device=device)
    answer = x
    for _ in range(K):
        answer = f.gather(2, answer)
    return torch.cat([f, x], 2), answer[..., 0]


def sample_trained_hops(
    *,
    K: int,
    layers: int,
    curriculum: bool = False,
    N: int = 6,
    d: int = 32,
    steps: int = 600,
    batch: int = 128,
    lr: float = 1e-2,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> Tensor:
    """The share of 1024 fresh queries answered with f^K(x) after so many steps of Adam.

    With a curriculum they are shared equally: first the answer is f(x), then f^2(x), f^4(x), and so on up to f^K(x).
    """
    K, N, batch = (check_whole(name, value) for name, value in (("K", K), ("N", N), ("batch", batch)))
    steps = check_whole("steps", steps, low=0)
    shape = Shape(vocabulary=N, length=N + 1, d=check_whole("d", d), layers=check_whole("layers", layers), causal=False)
    how: dict[str, Any] = {"generator": generator, "device": device}
    model = Transformer(shape, replicas=replicas, spread=d**-0.5, **how)
    names = [f"{kind}{layer}" for layer in range(1, layers + 1) for kind in ("KQ", "OV")]
    lessons = [*(2**n for n in range((K - 1).bit_length())), K] if curriculum else [K]
    number = count()

    def draw() -> tuple[Tensor, Tensor, Tensor]:
        hops = lessons[min(len(lessons) * next(number) // max(1, steps), len(lessons) - 1)]
        tokens, answers = hop_sequences(N, hops, replicas=replicas, batch=batch, **how)
        mask = torch.zeros_like(tokens, dtype=torch.bool)
        mask[..., -1] = True
        return tokens, tokens.clone().index_copy(2, torch.tensor([N], device=device), answers[..., None]), mask

    train(model, draw, steps=steps, names=names, optimiser=Optimiser("adam", check_number("lr", lr, strict=True)))
    with torch.no_grad():
        tokens, answers = hop_sequences(N, K, replicas=replicas, batch=1024, **how)
        right: Tensor = model(tokens)[:, :, -1].argmax(-1) == answers
        return right.double().mean(1)


def sample_layer_gain(
    *, layers: int, fewer: int, replicas: int, generator: torch.Generator, device: torch.device, **settings: Any
) -> Tensor:
    """The share answered by a model of so many layers less that by one of `fewer`, trained alike."""
    how: dict[str, Any] = {"replicas": replicas, "generator": generator, "device": device}
    deep, shallow = (sample_trained_hops(layers=count, **settings, **how) for count in (layers, fewer))
    return deep - shallow


trained_hops_experiment = experiment("trained-hops", sample_trained_hops, version=2, block=8, bounds=(0.0, 1.0))
layer_gain_experiment = experiment("layer-gain", sample_layer_gain, version=2, block=8)
