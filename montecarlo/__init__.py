"""How it is measured: samplers, estimates with honest intervals, exponent fits."""

from asymp.montecarlo.capacity.find import find_capacity
from asymp.montecarlo.estimate import Estimate
from asymp.montecarlo.experiment import Experiment, ExperimentError, experiment
from asymp.montecarlo.exponent.fit import fit_exponent
from asymp.montecarlo.recall.error import recall_error
from asymp.montecarlo.scores.moments import score_moments
from asymp.montecarlo.train.memory import train_memory
from asymp.montecarlo.zipf.missing_mass import missing_mass

__all__ = [
    "MEASUREMENTS",
    "Estimate",
    "Experiment",
    "ExperimentError",
    "experiment",
    "find_capacity",
    "fit_exponent",
    "missing_mass",
    "recall_error",
    "score_moments",
    "train_memory",
]

# What `asymp measure` knows, by the function's name.
MEASUREMENTS = ("missing_mass", "recall_error", "score_moments", "train_memory")
