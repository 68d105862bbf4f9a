"""Lengths and inner products of random embeddings, measured on vectors drawn coordinate by coordinate.

The laws of |u|^2 and of u.u' are what is checked, so no shortcut through a chi-square variable is taken. `vectors`
embeddings give as many lengths and vectors (vectors - 1)/2 inner products, whose average is one replica.
"""

from typing import Annotated

import torch

from asymp.montecarlo.arguments import Embedding, Number, Positive, TwoOrMore, Whole, batched, one_of
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.length_tails import of_lengths, of_products

CHUNK = 2**18
"""Coordinates drawn at once: 2 MB."""
Of = Annotated[str, one_of("product", "norm")]


@batched(lambda d, vectors: CHUNK // (vectors * d))
def sample_embedding_moment(
    draw: Draw, *, d: Whole, of: Of = "product", order: Whole = 1, embeddings: Embedding = "gaussian",
    vectors: TwoOrMore = 32,
) -> torch.Tensor:  # fmt: skip
    """The average of |u_i.u_j|^order over the pairs of `vectors` embeddings (of 'product'), or of |u_i|^order ('norm')."""
    u = draw.embeddings(embeddings, (vectors, d))
    if of == "norm":
        return torch.mean(torch.linalg.vector_norm(u, dim=2) ** order, 1)
    powers = (u @ u.mT).abs() ** order
    total = powers.sum((1, 2)) - powers.diagonal(dim1=1, dim2=2).sum(1)
    return total / (vectors * (vectors - 1))


@batched(lambda d: CHUNK // (2 * d))
def sample_embedding_law(
    draw: Draw, *, d: Whole, t: Number, of: Of = "product", embeddings: Embedding = "gaussian"
) -> torch.Tensor:
    """1 if |u.u'| <= t (of 'product') or |u|^2 <= t ('norm'), else 0; one pair, or one vector, a replica."""
    u = draw.embeddings(embeddings, (d,))
    other = draw.embeddings(embeddings, (d,)) if of == "product" else u
    return ((u * other).sum(1).abs() <= t).to(torch.float64)


def largest_products(draw: Draw, d: int, P: int) -> torch.Tensor:
    """max |u_i . u_j| over i < j of P points, uniform on the unit sphere of R^d."""
    u = draw.sphere((P, d))
    products = (u @ u.mT).abs_()
    products.diagonal(dim1=1, dim2=2).zero_()
    return products.amax((1, 2))


@batched(lambda d, P: CHUNK // (P * max(d, P)))
def sample_directions(draw: Draw, *, d: Whole, P: Whole, epsilon: Positive) -> torch.Tensor:
    """1 if all pairs of P directions, uniform on the unit sphere, have |u_i.u_j| <= epsilon, else 0."""
    return (largest_products(draw, d, P) <= epsilon).to(torch.float64)


def _moment_bounds(*, embeddings: str = "gaussian", of: str = "product", **_: object) -> tuple[float, float] | None:
    """On the sphere lengths are 1, but for rounding, and cosines at most 1."""
    if embeddings == "gaussian":
        return None
    return (1 - 1e-9, 1 + 1e-9) if of == "norm" else (0.0, 1.0)


def _moment_kurtosis(
    *, d: int, of: str = "product", order: int = 1, embeddings: str = "gaussian", vectors: int = 32
) -> float | None:
    """Of gaussian embeddings: from the exact moments of lengths and inner products."""
    bound = of_lengths if of == "norm" else of_products
    return bound(d=d, order=order, vectors=vectors) if embeddings == "gaussian" else None


embedding_moment_experiment = experiment(
    "embedding-moment", sample_embedding_moment, version=1, block=64, bounds=_moment_bounds, kurtosis=_moment_kurtosis
)
embedding_law_experiment = experiment("embedding-law", sample_embedding_law, version=1, block=4096, bounds=(0.0, 1.0))
directions_experiment = experiment("directions", sample_directions, version=1, block=16, bounds=(0.0, 1.0))
