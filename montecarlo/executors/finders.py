"""Three ways for a worker to come by an experiment: it is here, it can be imported, or its code travels with it."""

import pickle
from dataclasses import dataclass

from asymp.montecarlo.executors.task import CannotLoad
from asymp.montecarlo.experiment import Experiment

__all__ = ["Here", "Imported", "Sent", "finder_for"]


@dataclass(frozen=True, eq=False)
class Here:
    """For work in this process: the experiment itself."""

    experiment: Experiment

    def find(self) -> Experiment:
        """The experiment."""
        return self.experiment


@dataclass(frozen=True)
class Imported:
    """A pickle that names the functions of an experiment by their modules: the worker imports them."""

    id: str
    pickled: bytes

    def find(self) -> Experiment:
        """The experiment, its modules imported."""
        try:
            found = pickle.loads(self.pickled)
        except Exception as error:
            raise CannotLoad(
                f"experiment {self.id!r} cannot be imported on the worker ({type(error).__name__}: {error})"
            ) from error
        assert isinstance(found, Experiment)
        return found


@dataclass(frozen=True)
class Sent(Imported):
    """A pickle that carries the functions' code (cloudpickle): closures, lambdas, a notebook's functions."""


def finder_for(experiment: Experiment) -> Imported | None:
    """How another process finds an experiment; None if it cannot without cloudpickle, which comes with the extras."""
    functions = [f for f in (experiment.sample, experiment.bounds) if callable(f)]
    at_home = all(getattr(f, "__module__", "__main__") not in ("__main__", "asymp_user_claims") for f in functions)
    if at_home:
        try:
            return Imported(experiment.id, pickle.dumps(experiment))
        except Exception:
            pass  # a closure or a lambda: its code has to travel
    try:
        import cloudpickle
    except ImportError:
        return None
    try:
        return Sent(experiment.id, cloudpickle.dumps(experiment))
    except Exception:
        return None
