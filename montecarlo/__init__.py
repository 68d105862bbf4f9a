"""How it is measured: samplers, estimates with honest intervals, exponent fits."""

from asymp.montecarlo.capacity.find import capacity_of, find_capacity
from asymp.montecarlo.estimate import Estimate
from asymp.montecarlo.experiment import Experiment, ExperimentError, experiment
from asymp.montecarlo.exponent.fit import fit_exponent, fit_exponent_of_logs
from asymp.montecarlo.recall.error import recall_error
from asymp.montecarlo.scores.moments import score_moments
from asymp.montecarlo.train.memory import train_memory
from asymp.montecarlo.transformers.runs import train_facts, train_induction
from asymp.montecarlo.zipf.missing_mass import missing_mass

__all__ = [
    "MEASUREMENTS",
    "Estimate",
    "Experiment",
    "ExperimentError",
    "capacity_of",
    "experiment",
    "find_capacity",
    "fit_exponent",
    "fit_exponent_of_logs",
    "missing_mass",
    "recall_error",
    "score_moments",
    "train_facts",
    "train_induction",
    "train_memory",
]

# What `asymp measure` knows, by the function's name.
MEASUREMENTS = ("missing_mass", "recall_error", "score_moments", "train_facts", "train_induction", "train_memory")
