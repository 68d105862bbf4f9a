"""The gradient of the cross-entropy in W, by automatic differentiation.

Embeddings, weights, input frequencies and conditional laws of the outputs are drawn. Measured is the gradient; what was
drawn and what the model predicts are returned with it.
"""

import math

import torch

from asymp.montecarlo.arguments import Whole, checked
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.gradients import cross_entropy_gradient, predictions


@checked
def sample_gradient_memory(draw: Draw, *, d: Whole, N: Whole, M: Whole) -> dict[str, torch.Tensor]:
    """The gradient in W of the population loss, with embeddings, frequencies p, laws of outputs t and predictions p_hat."""
    E, U = draw.normal((N, d)) / math.sqrt(d), draw.normal((M, d)) / math.sqrt(d)
    W = draw.normal((d, d))
    p, given = draw.simplex((N,)), draw.simplex((N, M))
    measured = cross_entropy_gradient(W, U, E, p[:, :, None] * given)
    return {"measured": measured, "p": p, "t": given, "u": U, "e": E, "W": W, "p_hat": predictions(W, U, E)}


gradient_memory_experiment = experiment("gradient-memory", sample_gradient_memory, block=16)
