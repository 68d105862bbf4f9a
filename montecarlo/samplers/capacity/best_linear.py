"""The best linear memory of N random items, and a trained one.

Keys and values are drawn at random. A convex search looks for a matrix that has all items right, and measured is whether it
found one; or full-batch Adam on cross-entropy trains a matrix, and measured is the share of items it recalls.
"""

import math

import torch

from asymp.models.linear import Fitted
from asymp.models.memory import share_recalled
from asymp.montecarlo.arguments import Embedding, Positive, TwoOrMore, Whole, checked
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.margin_fit import BestPairs, separate
from asymp.montecarlo.samplers.recalled_items import descend


@checked
def sample_best_linear(
    draw: Draw, *, d: Whole, N: TwoOrMore, embeddings: Embedding = "gaussian", steps: Whole = 1000
) -> torch.Tensor:
    """1 if a matrix was found that has all N items right, else 0."""
    keys = draw.embeddings(embeddings, (N, d))
    values = draw.embeddings(embeddings, (N, d))
    # the sum of outer products, at a scale at which scores have standard deviation one
    start = values.mT @ keys * (d / math.sqrt(N))
    return separate(BestPairs(keys, values), start, steps=steps).found.to(torch.float64)


@checked
def sample_trained_linear(
    draw: Draw, *, d: Whole, N: TwoOrMore, embeddings: Embedding = "sphere", steps: Whole = 500, rate: Positive = 0.1
) -> torch.Tensor:
    """The share of items that a matrix recalls after full-batch Adam on cross-entropy from zero, betas (0.9, 0.999)."""
    keys = draw.embeddings(embeddings, (N, d))
    values = draw.embeddings(embeddings, (N, d))
    answers = torch.arange(N, device=draw.device)
    memory = Fitted().store(keys, values, answers)
    descend(memory, steps=steps, rate=rate)
    return share_recalled(memory, keys, answers)


best_linear_experiment = experiment("best-linear-found", sample_best_linear, block=32, bounds=(0.0, 1.0))
trained_linear_experiment = experiment("trained-linear", sample_trained_linear, version=2, block=32, bounds=(0.0, 1.0))
