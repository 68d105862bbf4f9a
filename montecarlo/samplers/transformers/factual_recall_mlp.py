"""Factual recall with an MLP: how many facts a model of a given number of parameters holds.

Facts, models and sequences are drawn; measured are the share recalled by trained models, whose sizes grow together, and its
difference between two models, the number of facts that a constructed memory of pairs holds, and the number of parameters,
counted on the model itself.
"""

import math

import torch
from torch import Tensor

from asymp.models.transformer import Shape, Transformer
from asymp.montecarlo.checks import check_whole
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.capacity.multi_input_capacity import facts_capacity_experiment
from asymp.montecarlo.samplers.transformers.facts_trained import sample_trained_facts, trained_facts_gap_experiment

__all__ = [
    "facts_capacity_experiment",
    "facts_slope_experiment",
    "parameter_count_experiment",
    "trained_facts_gap_experiment",
]


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
    draw: Draw,
    *,
    parameters: int,
    n: int,
    D: int = 4,
    T: int = 8,
    d_h: int = 4,
    batch: int = 1024,
    steps: int = 800,
    lr: float = 2e-2,
) -> Tensor:
    """The share of fresh sequences whose fact is recalled by a trained model with so many parameters, one number a run.

    n subjects and relations together, half of them of each kind (a subject more where n is odd): n^2/4 facts, in finer steps
    than a square of subjects and relations has.
    """
    n, sizes = check_whole("n", n, low=2), model_of(parameters, d_h=d_h)
    return sample_trained_facts(draw, S=n - n // 2, R=n // 2, D=D, T=T, batch=batch, steps=steps, lr=lr, **sizes)


FROZEN = ("tokens", "unembed", "positions", "bias")


def sample_parameter_count(draw: Draw, *, H: int, d_h: int, d: int, m: int) -> torch.Tensor:
    """Trained parameters of one attention layer with H heads of size d_h and an MLP of width m; no biases, no embeddings."""
    H, d_h, d = (check_whole(name, value) for name, value in (("H", H), ("d_h", d_h), ("d", d)))
    shape = Shape(
        vocabulary=4, length=4, d=d, layers=1, heads=H, head_dim=d_h, mlp=check_whole("m", m, low=0), residual=False,
        positions=False, queries="last",
    )  # fmt: skip
    model = Transformer(shape, generator=draw.generator, device=draw.device)
    count = sum(p.numel() for name, p in model.named_parameters() if not name.startswith(FROZEN))
    return torch.full((draw.replicas,), float(count), dtype=torch.float64, device=draw.device)


facts_slope_experiment = experiment("facts-slope", sample_facts_slope, block=4, bounds=(0.0, 1.0))
# the number of parameters does not depend on their values
parameter_count_experiment = experiment("parameter-count", sample_parameter_count, block=2, deterministic=True)
