"""Memories trained with layer norm against memories trained without.

Embeddings and samples are drawn and several memories are trained in each of two ways; a run is the ratio of their mean
errors.
"""

from asymp.montecarlo.samplers.memory_training.comparisons import training_ratio_experiment

__all__ = ["training_ratio_experiment"]
