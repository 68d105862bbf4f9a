"""The published grid of trainings: one pass over T samples by SGD or sign descent.

Embeddings, first weights and samples are drawn; measured is the recall error at the end of training, one value a run.
"""

from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.memory_training.memory import sample_training_error

# The unit is the run, as in published tables of means and deviations over seeds.
training_runs_experiment = experiment("training-runs", sample_training_error, block=20, bounds=(0.0, 1.0))
