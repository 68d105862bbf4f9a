"""How many dimensions the induction head by hand needs: its accuracy in many against that in few."""

from typing import Any

import torch
from torch import Tensor

from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.transformers.induction import sample_induction_by_hand

__all__ = ["by_hand_gain_experiment", "sample_by_hand_gain"]


def sample_by_hand_gain(
    *, d: int, less: int, replicas: int, generator: torch.Generator, device: torch.device, **settings: Any
) -> Tensor:
    """In-context accuracy of the head by hand in d dimensions less that in `less`, each with embeddings of its own."""
    how: dict[str, Any] = {"replicas": replicas, "generator": generator, "device": device}
    many, few = (sample_induction_by_hand(d=width, **settings, **how) for width in (d, less))
    return many - few


by_hand_gain_experiment = experiment("by-hand-gain", sample_by_hand_gain, version=2, block=8)
