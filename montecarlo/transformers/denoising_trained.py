"""In-context denoising, trained: one layer of softmax attention with full matrices, from small random weights.

The task is that of `denoising`: the query is a point of the context under noise. The model says W_OV sum_t p_t x_t with
p_t = softmax(y.W_KQ x_t), both d x d; it is trained on the mean squared error to the clean point.
"""

import math
from typing import Any

import torch
from torch import Tensor

from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.recall.checks import check_choice, check_number, check_whole
from asymp.montecarlo.scores.embeddings import draw_embeddings, normals

__all__ = ["sample_trained_denoiser", "trained_denoiser_experiment"]

OF = ("temperature", "value", "excess")


def _batch(replicas: int, batch: int, context: int, d: int, sigma: float, **how: Any) -> tuple[Tensor, Tensor]:
    """Context points on the sphere of radius sqrt d, the first of them the clean one, and the noisy query."""
    x = math.sqrt(d) * draw_embeddings("sphere", (replicas, batch, context, d), **how)
    return x, x[:, :, 0] + sigma * normals((replicas, batch, d), **how)


def _guess(x: Tensor, y: Tensor, KQ: Tensor, OV: Tensor) -> Tensor:
    weights = torch.einsum("rbtd,rbd->rbt", x, y @ KQ).softmax(2)
    return torch.einsum("rbt,rbtd->rbd", weights, x) @ OV.mT


def _errors(guess: Tensor, clean: Tensor) -> Tensor:
    return (guess - clean).square().sum(2).mean(1)


def sample_trained_denoiser(
    *,
    sigma: float,
    d: int = 8,
    context: int = 8,
    steps: int = 500,
    batch: int = 256,
    lr: float = 0.02,
    of: str = "temperature",
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> Tensor:
    """After training: the mean diagonal entry of W_KQ ('temperature') or of W_OV ('value').

    'excess' is the mean squared error over that of the posterior mean, on 16384 fresh contexts: Bayes' rule for a context of
    equally likely points, summed from its definition. Adam, its rate falling linearly to 0.
    """
    check_choice("of", of, OF)
    sigma, lr = check_number("sigma", sigma, strict=True), check_number("lr", lr, strict=True)
    d, context = check_whole("d", d, low=2), check_whole("context", context, low=2)
    steps, batch = check_whole("steps", steps, low=0), check_whole("batch", batch)
    how: dict[str, Any] = {"generator": generator, "device": device}
    KQ, OV = ((0.1 * draw_embeddings("gaussian", (replicas, d, d), **how)).requires_grad_() for _ in range(2))
    optimiser = torch.optim.Adam([KQ, OV], lr=lr)
    for step in range(steps):
        optimiser.param_groups[0]["lr"] = lr * (1 - step / steps)
        x, y = _batch(replicas, batch, context, d, sigma, **how)
        optimiser.zero_grad(set_to_none=True)
        torch.autograd.backward(_errors(_guess(x, y, KQ, OV), x[:, :, 0]).sum())
        optimiser.step()
    with torch.no_grad():
        if of != "excess":
            return (KQ if of == "temperature" else OV).diagonal(dim1=1, dim2=2).mean(1)
        x, y = _batch(replicas, 16384, context, d, sigma, **how)
        # The density of y about each point of the context is the weight of that point.
        weights = (-(y[:, :, None] - x).square().sum(3) / (2 * sigma**2)).softmax(2)
        best = _errors(torch.einsum("rbt,rbtd->rbd", weights, x), x[:, :, 0])
        return _errors(_guess(x, y, KQ, OV), x[:, :, 0]) / best


trained_denoiser_experiment = experiment("trained-denoiser", sample_trained_denoiser, block=8)
