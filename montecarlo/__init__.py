"""How it is measured: samplers, estimates with honest intervals, exponent fits. Only what simulates needs torch."""

from typing import TYPE_CHECKING

from asymp.lazy import lazy_names

if TYPE_CHECKING:
    from asymp.montecarlo.capacity.find import capacity_of as capacity_of
    from asymp.montecarlo.capacity.find import find_capacity as find_capacity
    from asymp.montecarlo.estimate import Estimate as Estimate
    from asymp.montecarlo.experiment import Experiment as Experiment
    from asymp.montecarlo.experiment import ExperimentError as ExperimentError
    from asymp.montecarlo.experiment import experiment as experiment
    from asymp.montecarlo.experiment import recorded as recorded
    from asymp.montecarlo.exponent.fit import fit_exponent as fit_exponent
    from asymp.montecarlo.exponent.fit import fit_exponent_of_logs as fit_exponent_of_logs
    from asymp.montecarlo.samplers import experiments as experiments
    from asymp.montecarlo.samplers.memory_training.memory import train_memory as train_memory
    from asymp.montecarlo.samplers.recall.error import recall_error as recall_error
    from asymp.montecarlo.samplers.scaling.missing_mass import missing_mass as missing_mass
    from asymp.montecarlo.samplers.score_moments import score_moments as score_moments
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
