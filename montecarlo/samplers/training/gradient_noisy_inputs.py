"""The gradient of the cross-entropy when inputs are bags of tokens, most of them irrelevant.

Embeddings, weights and bags are drawn; measured are the gradient in W by automatic differentiation, returned with what was
drawn and what the model predicts, and one coordinate of one of its rows.
"""

import math

import torch

from asymp.montecarlo.arguments import Whole, checked
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.gradients import cross_entropy_gradient, predictions


@checked
def sample_noisy_inputs(
    draw: Draw, *, d: Whole, M: Whole, tokens: Whole = 12, bag: Whole = 4, samples: Whole = 64
) -> dict[str, torch.Tensor]:
    """The gradient in W of the mean loss over samples, for inputs x that are bags of tokens.

    The first token of a bag decides the output (token mod M), the others are irrelevant; x is the sum of their
    embeddings. Every output occurs. Returned with it: labels y, their shares p, embeddings u and predictions p_hat.
    """
    if samples < M or tokens < M:
        raise ValueError(
            f"samples and tokens must be at least M={M}, so that every output occurs; got {samples} and {tokens}"
        )
    U, W = draw.normal((M, d)) / math.sqrt(d), draw.normal((d, d))
    embeddings = draw.normal((tokens, d)) / math.sqrt(d)
    drawn = draw.integers(tokens, (samples, bag))
    drawn[:, :M, 0] = torch.arange(M, device=draw.device)
    rows = torch.arange(draw.replicas, device=draw.device)[:, None, None]
    x = embeddings[rows, drawn].sum(2)
    y = torch.nn.functional.one_hot(drawn[:, :, 0] % M, M).double()
    measured = cross_entropy_gradient(W, U, x, y / samples)
    n = torch.full((draw.replicas,), samples, dtype=torch.float64, device=draw.device)
    return {"measured": measured, "p": y.mean(1), "u": U, "x": x, "y": y, "p_hat": predictions(W, U, x), "n": n}


@checked
def sample_gradient_row(draw: Draw, *, d: Whole, M: Whole, m: float, p: float = 0.0) -> torch.Tensor:
    """A coordinate of the gradient's row of one output, at W = 0, which is the target of a share p of the inputs.

    Outputs are orthonormal, so the row is u_k^T grad L; every input has the coordinate m (its others are random).
    """
    if not 2 <= M <= d or not 0 <= p <= 1:
        raise ValueError(f"M must be from 2 to d, and p from 0 to 1; got M={M}, d={d}, p={p!r}")
    samples = 32
    U = torch.linalg.qr(draw.normal((d, M)))[0].mT
    x = draw.normal((samples, d))
    x[:, :, 0] = m
    labels = draw.zeros((samples, M))
    labels[:, :, 0] = p / samples
    labels[:, :, 1] = (1 - p) / samples
    found = cross_entropy_gradient(draw.zeros((d, d)), U, x, labels)
    return torch.einsum("rd,rd->r", U[:, 0], found[:, :, 0])


noisy_inputs_experiment = experiment("noisy-inputs", sample_noisy_inputs, block=16)
# at W = 0 the coordinate, which all inputs share, does not depend on what is drawn
gradient_row_experiment = experiment("gradient-row", sample_gradient_row, block=16, deterministic=True)
