"""The recall error of a finite memory, to be compared with a lower bound.

Embeddings are drawn at random, W = sum over x of q(x) u_f(x) e_x^T is asked about every input, and measured is the
probability, under the law of the inputs, of those whose answer is wrong.
"""

from asymp.montecarlo.samplers.recall.error import recall_error_experiment

__all__ = ["recall_error_experiment"]
