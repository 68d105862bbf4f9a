"""How it is measured: samplers, estimates with honest intervals, exponent fits."""

from asymp.montecarlo.estimate import Estimate
from asymp.montecarlo.experiment import Experiment, ExperimentError, experiment
from asymp.montecarlo.exponent import fit_exponent
from asymp.montecarlo.missing_mass import missing_mass
from asymp.montecarlo.recall_error import recall_error
from asymp.montecarlo.score_moments import score_moments

__all__ = [
    "MEASUREMENTS",
    "Estimate",
    "Experiment",
    "ExperimentError",
    "experiment",
    "fit_exponent",
    "missing_mass",
    "recall_error",
    "score_moments",
]

# What `asymp measure` knows, by the function's name.
MEASUREMENTS = ("missing_mass", "recall_error", "score_moments")
