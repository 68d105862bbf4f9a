"""A task: the picklable description of a cell's work, and the function that a worker runs on it."""

import time
from collections.abc import Hashable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Protocol

import numpy as np

from asymp.montecarlo.experiment import Experiment
from asymp.montecarlo.store.provenance import machine
from asymp.montecarlo.store.source import source_hash

__all__ = ["CannotLoad", "Done", "Finder", "Task", "run_task"]


class CannotLoad(ValueError):
    """A worker cannot find the experiment that it should run, or finds another one."""


class Finder(Hashable, Protocol):
    """How a worker finds an experiment; picklable."""

    def find(self) -> Experiment:
        """The experiment, in whichever process this is."""
        ...


@dataclass(frozen=True, eq=False)
class Task:
    """Blocks first, ..., last - 1 of an experiment at one setting; after `seconds` no further block is begun."""

    finder: Finder
    params: dict[str, Any]
    seed: int
    device: str
    first: int
    last: int
    seconds: float
    source: str | None = None


@dataclass(frozen=True, eq=False)
class Done:
    """What came of a task: the blocks that were finished, and why it stopped if an error stopped it."""

    first: int
    last: int
    values: np.ndarray
    seconds: float
    provenance: dict[str, Any] = field(default_factory=dict)
    failure: str = ""
    bad_input: bool = False
    cannot_load: bool = False


def run_task(task: Task) -> Done:
    """Compute blocks until the range is finished or the time is up. It raises nothing: what failed comes back in words."""
    started, start = datetime.now(UTC), time.perf_counter()
    blocks: list[np.ndarray] = []
    failure, bad_input, cannot_load = "", False, False
    try:
        experiment = _found(task.finder, task.source)
        start = time.perf_counter()  # a worker's first task loads modules; that is no cost of the cell
        drawn = experiment.blocks(seed=task.seed, device=task.device, first_block=task.first, **task.params)
        for block in drawn:
            blocks.append(block)
            if len(blocks) == task.last - task.first or time.perf_counter() - start >= task.seconds:
                break
    except CannotLoad as error:
        failure, cannot_load = str(error), True
    except ValueError as error:
        failure, bad_input = str(error), True
    except Exception as error:
        failure = str(error) or type(error).__name__
    return Done(
        first=task.first,
        last=task.first + len(blocks),
        values=np.concatenate(blocks) if blocks else np.empty(0),
        seconds=time.perf_counter() - start,
        provenance={} if not blocks else {**machine(task.device), "started": started.isoformat(timespec="seconds")},
        failure=failure,
        bad_input=bad_input,
        cannot_load=cannot_load,
    )


@lru_cache(maxsize=256)
def _found(finder: Finder, source: str | None) -> Experiment:
    experiment = finder.find()
    if source is not None and source_hash(experiment.sample) != source:
        raise CannotLoad(
            f"the worker has other code for experiment {experiment.id!r} than the command that sent it; "
            "install the same version of asymp and of the claims there"
        )
    return experiment
