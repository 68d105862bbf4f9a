"""The largest inner product of random unit vectors."""

import torch

from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.recall.checks import check_whole
from asymp.montecarlo.scores.embeddings import draw_embeddings

__all__ = ["largest_product_experiment", "sample_largest_product"]

CHUNK = 2**20
"""Coordinates held at once: 8 MB."""


def sample_largest_product(
    *, d: int, P: int, replicas: int, generator: torch.Generator, device: torch.device
) -> torch.Tensor:
    """max |u_i . u_j| over i < j of P points, uniform on the unit sphere of R^d."""
    d, P = check_whole("d", d), check_whole("P", P, low=2)
    rows = max(1, CHUNK // (P * max(d, P)))
    parts = []
    for start in range(0, replicas, rows):
        u = draw_embeddings("sphere", (min(rows, replicas - start), P, d), generator=generator, device=device)
        products = (u @ u.mT).abs_()
        products.diagonal(dim1=1, dim2=2).zero_()
        parts.append(products.amax((1, 2)))
    return torch.cat(parts)


largest_product_experiment = experiment("largest-product", sample_largest_product, block=32, bounds=(0.0, 1.0))
