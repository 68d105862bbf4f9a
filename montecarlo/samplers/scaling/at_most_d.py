"""Memories that store N inputs with equal weights, each with an output of its own or M outputs in turn.

Embeddings are drawn at random; measured is the share of the stored inputs that are recalled.
"""

from asymp.montecarlo.samplers.recall.equal_weights import equal_weights_recall_experiment

__all__ = ["equal_weights_recall_experiment"]
