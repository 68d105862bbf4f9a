"""Memories that store, with equal weights, what they saw among T samples of a Zipf law, in d dimensions.

Embeddings and samples are drawn; measured is the recall error. For memories of many inputs blocks of replicas are smaller.
"""

from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.recall.equal_weights import equal_weights_experiment, sample_equal_weights

__all__ = ["equal_weights_experiment", "equal_weights_large_experiment"]


# the same in smaller blocks, for memories of many inputs, of which a few replicas are enough
equal_weights_large_experiment = experiment(
    "equal-weights-error-large", sample_equal_weights, version=1, block=8, bounds=(0.0, 1.0)
)
