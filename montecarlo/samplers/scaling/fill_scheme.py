"""Memories that store every input with the same weight, or every input up to a rank.

Embeddings are drawn at random; measured are the recall error under a Zipf law and the share of stored inputs recalled.
"""

from asymp.montecarlo.samplers.recall.equal_weights import equal_weights_experiment, equal_weights_recall_experiment

__all__ = ["equal_weights_experiment", "equal_weights_recall_experiment"]
