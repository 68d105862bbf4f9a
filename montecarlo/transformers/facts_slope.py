"""Factual recall, trained, at a number of parameters: a model and a task of which everything grows together."""

import math
from typing import Any

import torch
from torch import Tensor

from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.recall.checks import check_whole
from asymp.montecarlo.transformers.facts_trained import sample_trained_facts

__all__ = ["facts_slope_experiment", "model_of", "sample_facts_slope"]

# Heads of total size 2 d have 4 (2 d) d parameters and an MLP of width 4 d has 2 (4 d) d: half in each.
HEADS, WIDTH = 2, 4
EACH = 4 * HEADS + 2 * WIDTH


def model_of(parameters: int, *, d_h: int = 4) -> dict[str, int]:
    """The sizes of the model with so many parameters, 16 d^2: dimension d, heads of total size 2 d, an MLP of width 4 d."""
    parameters, d_h = check_whole("parameters", parameters), check_whole("d_h", d_h)
    d = math.isqrt(parameters // EACH)
    if EACH * d * d != parameters or HEADS * d % d_h:
        raise ValueError(
            f"parameters must be {EACH} d^2 with a whole number d and {HEADS} d a multiple of d_h={d_h}; got {parameters!r}"
        )
    return {"d": d, "H": HEADS * d // d_h, "d_h": d_h, "m": WIDTH * d}


def sample_facts_slope(
    *,
    parameters: int,
    n: int,
    D: int = 4,
    T: int = 8,
    d_h: int = 4,
    batch: int = 1024,
    steps: int = 800,
    lr: float = 2e-2,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> Tensor:
    """The share of fresh sequences whose fact is recalled by a trained model with so many parameters, one number a run.

    n subjects and relations together, half of them of each kind (a subject more where n is odd): n^2/4 facts, in finer steps
    than a square of subjects and relations has.
    """
    how: dict[str, Any] = {"replicas": replicas, "generator": generator, "device": device}
    n, sizes = check_whole("n", n, low=2), {**model_of(parameters, d_h=d_h), **how}
    return sample_trained_facts(S=n - n // 2, R=n // 2, D=D, T=T, batch=batch, steps=steps, lr=lr, **sizes)


facts_slope_experiment = experiment("facts-slope", sample_facts_slope, block=4, bounds=(0.0, 1.0))
