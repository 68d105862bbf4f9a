"""Learning the three memories of an induction head at once, against one after the other with the others frozen."""

from typing import Any

import torch
from torch import Tensor

from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.recall.checks import check_whole
from asymp.montecarlo.transformers import induction

__all__ = ["ORDER", "joint_gain_experiment", "sample_joint_gain", "stage"]

# The order in which the sources see them learned.
ORDER = ("OV2", "KQ2", "KQ1")


def stage(step: int, steps: int) -> list[str]:
    """What learns at a step when each of the three has a third of the steps to itself."""
    return [ORDER[min(3 * step // max(steps, 1), 2)]]


def sample_joint_gain(
    *,
    steps: int,
    text: str = "uniform",
    N: int = 16,
    T: int = 16,
    K: int = 4,
    d: int = 64,
    batch: int = 64,
    optimiser: Any = None,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> Tensor:
    """In-context accuracy of the basic model after so many steps on all three, less that after as many in three stages."""
    how: dict[str, Any] = {"replicas": replicas, "generator": generator, "device": device}
    steps = check_whole("steps", steps)
    given: dict[str, Any] = {"text": text, "N": N, "T": T, "K": K, "d": d, "batch": batch, "steps": steps}

    def accuracy(schedule: Any) -> Tensor:
        made, task, _ = induction._trained(
            layers=2, model="basic", optimiser=optimiser or induction.ADAM, schedule=schedule, **given, **how
        )
        return induction._accuracy(made, task, sequences=512, generator=generator, device=device)

    return accuracy(None) - accuracy(lambda step: stage(step, steps))


joint_gain_experiment = experiment("joint-gain", sample_joint_gain, version=2, block=8)
