"""Recall errors over the map of weight exponents, samples and dimensions, f(x) = x mod M.

Embeddings (and T samples, where they are finite) are drawn; measured are the recall error of weights p^rho, and the error
of equal weights over it.
"""

from asymp.montecarlo.samplers.recall.error import recall_error_experiment
from asymp.montecarlo.samplers.scaling.fill_is_best import fill_ratio_experiment

__all__ = ["fill_ratio_experiment", "recall_error_experiment"]
