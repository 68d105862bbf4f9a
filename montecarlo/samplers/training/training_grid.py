"""The published grid of trainings: one pass over T samples by SGD or sign descent.

Embeddings, first weights and samples are drawn; measured is the recall error at the end of training, one value a run.
"""

from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.memory_training.memory import sample_training_error

# The unit is the run, as in published tables of means and deviations over seeds; its errors spread by a share of their
# mean. An interval that knows only that they lie in [0, 1] would need 10^6 runs to say as much.
training_runs_experiment = experiment("training-runs", sample_training_error, block=20)
