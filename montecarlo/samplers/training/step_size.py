"""Memories trained with one step size against memories trained with another.

Measured are the weight of an input seen n times over that of one seen once, simulated on orthonormal embeddings, and the
ratio of mean errors of memories trained in two ways.
"""

import torch

from asymp.montecarlo.arguments import Positive, TwoOrMore, WholeOrZero, checked
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.memory_training.comparisons import training_ratio_experiment
from asymp.montecarlo.samplers.memory_training.map_weights import Written, weights_by_sight

__all__ = ["training_ratio_experiment", "weight_ratio_experiment"]


@checked
def sample_weight_ratio(
    draw: Draw, *, gamma: Positive, M: TwoOrMore, n: WholeOrZero, written: Written = "target"
) -> torch.Tensor:
    """The weight of an input seen n times over that of one seen once."""
    found = weights_by_sight(draw, gamma=gamma, M=M, n=n, start=0.0, written=written, keep=[1, n])
    return found[n] / found[1]


# orthonormal embeddings are rotations of each other, and the weights do not see them
weight_ratio_experiment = experiment("sgd-weight-ratio", sample_weight_ratio, block=4, deterministic=True)
