"""The scores that one gradient step from W = 0 leaves, on a population of tokens.

Embeddings are drawn, the population loss is differentiated once; measured are the score of the target or of another output,
the variance of a score between two draws, and the share of the inputs whose target has the largest score.
"""

from asymp.montecarlo.samplers.one_step import (
    one_step_accuracy_experiment,
    one_step_score_experiment,
    one_step_spread_experiment,
)

__all__ = ["one_step_accuracy_experiment", "one_step_score_experiment", "one_step_spread_experiment"]
