"""Memories with weights p^rho.

Embeddings are drawn at random, for any number of inputs and any dimension; measured is the recall error.
"""

from asymp.montecarlo.samplers.recall.error import recall_error_experiment
from asymp.montecarlo.samplers.recall.scheme_error import scheme_error_experiment

__all__ = ["recall_error_experiment", "scheme_error_experiment"]
