"""One way of training against another, and SGD against its map: a run is a ratio of errors, each a mean over memories."""

from collections.abc import Mapping
from typing import Any

import torch

from asymp.montecarlo.arguments import Whole, checked
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.memory_training.memory import sample_training_error

AT_ONCE = 128
"""Memories of a run that are trained together."""


def mean_training_error(draw: Draw, setting: Mapping[str, Any], *, memories: int) -> torch.Tensor:
    """Mean errors over `memories` memories, one value a run; `late` is a factor on the steps of the second half."""
    given = dict(setting)
    late = given.pop("late", None)
    if late is not None:
        steps = -(-given["T"] // given.get("batch", 1))
        given["schedule"] = [1.0] * (steps // 2) + [float(late)] * (steps - steps // 2)
    total = draw.zeros()
    for start in range(0, memories, AT_ONCE):
        here = min(AT_ONCE, memories - start)
        errors = sample_training_error(draw.of(draw.replicas * here), **given)
        total += errors.view(draw.replicas, here).mean(1) * (here / memories)
    return total


def error_ratio(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    """first/second; two errors of 0 are equal."""
    return torch.where((first == 0) & (second == 0), 1.0, first / second.clamp(min=1e-300))


@checked
def sample_training_ratio(
    draw: Draw, *, first: Mapping[str, Any], second: Mapping[str, Any], memories: Whole = 10, **shared: Any
) -> torch.Tensor:
    """Error after training by the setting `first` over that by `second`; `shared` holds for both."""
    errors = [mean_training_error(draw, {**shared, **own}, memories=memories) for own in (first, second)]
    return error_ratio(*errors)


training_ratio_experiment = experiment("training-ratio", sample_training_ratio, block=4)
