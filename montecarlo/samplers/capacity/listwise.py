"""A linear memory whose answers beat the mean of their strongest competitors.

Keys and values are drawn at random, and a convex search looks for a matrix under which every answer scores above the mean
of the top fraction r of its competitors; measured is whether one was found.
"""

import math

import torch

from asymp.montecarlo.arguments import Embedding, Positive, TwoOrMore, Whole, checked
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.margin_fit import list_means, separate


@checked
def sample_listwise(
    draw: Draw, *, d: Whole, N: TwoOrMore, r: Positive, embeddings: Embedding = "gaussian", steps: Whole = 400
) -> torch.Tensor:
    """1 if a matrix was found whose answers all beat the mean of the top fraction r of their competitors, else 0."""
    if r > 1:
        raise ValueError(f"r must be a fraction in (0, 1]; got {r!r}")
    keys = draw.embeddings(embeddings, (N, d))
    values = draw.embeddings(embeddings, (N, d))
    start = values.mT @ keys * (d / math.sqrt(N))
    return separate(list_means(keys, values, r), start, steps=steps).found.to(torch.float64)


listwise_experiment = experiment("listwise-found", sample_listwise, version=2, block=32, bounds=(0.0, 1.0))
