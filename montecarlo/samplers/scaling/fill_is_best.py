"""Equal weights against weights p^rho in memories of the same size.

Embeddings (and T samples, where they are finite) are drawn; measured are the recall error of one scheme, and the error of
equal weights over that of p^rho, each a mean over many memories.
"""

from asymp.montecarlo.samplers.recall.error import recall_error_experiment
from asymp.montecarlo.samplers.recall.fill_ratio import fill_ratio_experiment

__all__ = ["fill_ratio_experiment", "recall_error_experiment"]
