"""Lengths and inner products of random embeddings, measured on vectors drawn coordinate by coordinate.

The laws of |u|^2 and of u.u' are what is checked, so no shortcut through a chi-square variable is taken. `vectors`
embeddings give as many lengths and vectors (vectors - 1)/2 inner products, whose average is one replica.
"""

from typing import Any

import torch

from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.recall.checks import check_choice, check_number, check_whole
from asymp.montecarlo.scores.embeddings import EMBEDDINGS, draw_embeddings

__all__ = [
    "directions_experiment",
    "embedding_law_experiment",
    "embedding_moment_experiment",
    "sample_directions",
    "sample_embedding_law",
    "sample_embedding_moment",
]

CHUNK = 2**18
"""Coordinates drawn at once: 2 MB."""
OF = ("product", "norm")


def sample_embedding_moment(
    *,
    d: int,
    of: str = "product",
    order: int = 1,
    embeddings: str = "gaussian",
    vectors: int = 32,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """The average of |u_i.u_j|^order over the pairs of `vectors` embeddings (of 'product'), or of |u_i|^order ('norm')."""
    d, order = check_whole("d", d), check_whole("order", order)
    vectors = check_whole("vectors", vectors, low=2)
    check_choice("of", of, OF)
    check_choice("embeddings", embeddings, EMBEDDINGS)
    rows = max(1, CHUNK // (vectors * d))
    parts = []
    for start in range(0, replicas, rows):
        n = min(rows, replicas - start)
        u = draw_embeddings(embeddings, (n, vectors, d), generator=generator, device=device)
        if of == "norm":
            parts.append((torch.linalg.vector_norm(u, dim=2) ** order).mean(1))
        else:
            powers = (u @ u.mT).abs() ** order
            total = powers.sum((1, 2)) - powers.diagonal(dim1=1, dim2=2).sum(1)
            parts.append(total / (vectors * (vectors - 1)))
    return torch.cat(parts)


def sample_embedding_law(
    *,
    d: int,
    t: float,
    of: str = "product",
    embeddings: str = "gaussian",
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """1 if |u.u'| <= t (of 'product') or |u|^2 <= t ('norm'), else 0; one pair, or one vector, a replica."""
    d, t = check_whole("d", d), check_number("t", t)
    check_choice("of", of, OF)
    check_choice("embeddings", embeddings, EMBEDDINGS)
    how: dict[str, Any] = {"generator": generator, "device": device}
    rows = max(1, CHUNK // (2 * d))
    parts = []
    for start in range(0, replicas, rows):
        shape = (min(rows, replicas - start), d)
        u = draw_embeddings(embeddings, shape, **how)
        other = draw_embeddings(embeddings, shape, **how) if of == "product" else u
        parts.append((u * other).sum(1).abs() <= t)
    return torch.cat(parts).to(torch.float64)


def sample_directions(
    *, d: int, P: int, epsilon: float, replicas: int, generator: torch.Generator, device: torch.device
) -> torch.Tensor:
    """1 if all pairs of P directions, uniform on the unit sphere, have |u_i.u_j| <= epsilon, else 0."""
    d, P = check_whole("d", d), check_whole("P", P)
    epsilon = check_number("epsilon", epsilon, strict=True)
    rows = max(1, CHUNK // (P * max(d, P)))
    parts = []
    for start in range(0, replicas, rows):
        u = draw_embeddings("sphere", (min(rows, replicas - start), P, d), generator=generator, device=device)
        products = (u @ u.mT).abs_()
        products.diagonal(dim1=1, dim2=2).zero_()
        parts.append(products.amax((1, 2)) <= epsilon)
    return torch.cat(parts).to(torch.float64)


embedding_moment_experiment = experiment("embedding-moment", sample_embedding_moment, version=1, block=64)
embedding_law_experiment = experiment("embedding-law", sample_embedding_law, version=1, block=4096, bounds=(0.0, 1.0))
directions_experiment = experiment("directions", sample_directions, version=1, block=16, bounds=(0.0, 1.0))
