"""Random unit vectors that are nearly orthogonal.

P points are drawn uniformly on the unit sphere of R^d; measured is the largest inner product of two of them, or whether all
stay below a given size.
"""

import torch

from asymp.montecarlo.arguments import TwoOrMore, Whole, batched
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.scores.near_orthogonality import directions_experiment, largest_products

__all__ = ["directions_experiment", "largest_product_experiment"]


CHUNK = 2**20
"""Coordinates held at once: 8 MB."""


@batched(lambda d, P: CHUNK // (P * max(d, P)))
def sample_largest_product(draw: Draw, *, d: Whole, P: TwoOrMore) -> torch.Tensor:
    """max |u_i . u_j| over i < j of P points, uniform on the unit sphere of R^d."""
    return largest_products(draw, d, P)


largest_product_experiment = experiment("largest-product", sample_largest_product, block=32, bounds=(0.0, 1.0))
