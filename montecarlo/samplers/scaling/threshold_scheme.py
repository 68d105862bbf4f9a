"""Memories with weights p^rho for the inputs up to a threshold P, fixed or growing with d.

Embeddings are drawn at random, for any number of inputs and any dimension; measured is the recall error.
"""

from asymp.montecarlo.samplers.recall.scheme_error import scheme_error_experiment

__all__ = ["scheme_error_experiment"]
