"""Memories with the weights that leave the least error, found numerically, and with other weights.

Embeddings are drawn at random, for any number of inputs and any dimension; measured is the recall error.
"""

from asymp.montecarlo.samplers.recall.scheme_error import scheme_error_experiment

__all__ = ["scheme_error_experiment"]
