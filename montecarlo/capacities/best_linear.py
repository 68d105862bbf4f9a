"""The best linear memory, found by a convex fit of its margins, and a trained one, by full-batch Adam on cross-entropy."""

import math

import torch

from asymp.models.linear import Fitted
from asymp.models.memory import share_recalled
from asymp.montecarlo.capacities.margin_fit import best_pairs, list_means, separate
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.memories.adam import descend
from asymp.montecarlo.recall.checks import check_choice, check_number, check_whole
from asymp.montecarlo.scores.embeddings import EMBEDDINGS, draw_embeddings

__all__ = [
    "best_linear_experiment",
    "listwise_experiment",
    "sample_best_linear",
    "sample_listwise",
    "sample_trained_linear",
    "trained_linear_experiment",
]


def sample_best_linear(
    *,
    d: int,
    N: int,
    embeddings: str = "gaussian",
    steps: int = 1000,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """1 if a matrix was found that has all N items right, else 0."""
    d, N, steps = check_whole("d", d), check_whole("N", N, low=2), check_whole("steps", steps)
    check_choice("embeddings", embeddings, EMBEDDINGS)
    keys = draw_embeddings(embeddings, (replicas, N, d), generator=generator, device=device)
    values = draw_embeddings(embeddings, (replicas, N, d), generator=generator, device=device)
    # the sum of outer products, at a scale at which scores have standard deviation one
    start = values.mT @ keys * (d / math.sqrt(N))
    return separate(best_pairs(keys, values), start, steps=steps).found.to(torch.float64)


def sample_listwise(
    *,
    d: int,
    N: int,
    r: float,
    embeddings: str = "gaussian",
    steps: int = 400,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """1 if a matrix was found whose answers all beat the mean of the top fraction r of their competitors, else 0."""
    d, N, steps = check_whole("d", d), check_whole("N", N, low=2), check_whole("steps", steps)
    r = check_number("r", r, strict=True)
    if r > 1:
        raise ValueError(f"r must be a fraction in (0, 1]; got {r!r}")
    check_choice("embeddings", embeddings, EMBEDDINGS)
    keys = draw_embeddings(embeddings, (replicas, N, d), generator=generator, device=device)
    values = draw_embeddings(embeddings, (replicas, N, d), generator=generator, device=device)
    start = values.mT @ keys * (d / math.sqrt(N))
    return separate(list_means(keys, values, r), start, steps=steps).found.to(torch.float64)


def sample_trained_linear(
    *,
    d: int,
    N: int,
    embeddings: str = "sphere",
    steps: int = 500,
    rate: float = 0.1,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """The share of items that a matrix recalls after full-batch Adam on cross-entropy from zero, betas (0.9, 0.999)."""
    d, N, steps = check_whole("d", d), check_whole("N", N, low=2), check_whole("steps", steps)
    rate = check_number("rate", rate, strict=True)
    check_choice("embeddings", embeddings, EMBEDDINGS)
    keys = draw_embeddings(embeddings, (replicas, N, d), generator=generator, device=device)
    values = draw_embeddings(embeddings, (replicas, N, d), generator=generator, device=device)
    answers = torch.arange(N, device=device)
    memory = Fitted().store(keys, values, answers)
    descend(memory, steps=steps, rate=rate)
    return share_recalled(memory, keys, answers)


best_linear_experiment = experiment("best-linear-found", sample_best_linear, block=32, bounds=(0.0, 1.0))
listwise_experiment = experiment("listwise-found", sample_listwise, version=2, block=32, bounds=(0.0, 1.0))
trained_linear_experiment = experiment("trained-linear", sample_trained_linear, version=2, block=32, bounds=(0.0, 1.0))
