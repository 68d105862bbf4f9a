"""Gradients of the cross-entropy as sums of outer products: automatic differentiation beside the sum, written out.

Each replica is a fresh problem: embeddings, weights, inputs and labels are drawn, the gradient in W is taken by
automatic differentiation, and its largest difference from the sum is returned as a share of its largest entry.
"""

import math
from typing import Any

import torch

from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.recall.checks import check_choice, check_whole
from asymp.montecarlo.scores.embeddings import exponentials, normals

__all__ = [
    "gradient_memory_experiment",
    "gradient_row_experiment",
    "noisy_inputs_experiment",
    "sample_gradient_memory",
    "sample_gradient_row",
    "sample_noisy_inputs",
]

FORMS = ("sum", "without-predictions", "without-frequencies")


def _gradient(W: torch.Tensor, U: torch.Tensor, x: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """The gradient in W of sum_i of labels_ik times -log softmax(U W x_i)_k, replica by replica."""
    W = W.clone().requires_grad_()
    scores = torch.einsum("rmd,rde,rne->rnm", U, W, x)
    loss = -(labels * scores.log_softmax(2)).sum()
    (found,) = torch.autograd.grad(loss, W)
    return found


def _simplex(shape: tuple[int, ...], **how: Any) -> torch.Tensor:
    """Uniform points of the simplex in the last dimension."""
    draws = exponentials(shape, **how)
    return draws / draws.sum(-1, keepdim=True)


def _deviation(found: torch.Tensor, expected: torch.Tensor) -> torch.Tensor:
    largest = found.flatten(1).abs().amax(1)
    return (found - expected).flatten(1).abs().amax(1) / largest


def sample_gradient_memory(
    *,
    d: int,
    N: int,
    M: int,
    form: str = "sum",
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """Deviation of the gradient from sum_k sum_z p(z)(p^(k|z) - p(k|z)) u_k e_z^T; other forms leave something out."""
    d, N, M = (check_whole(name, value) for name, value in (("d", d), ("N", N), ("M", M)))
    check_choice("form", form, FORMS)
    how: dict[str, Any] = {"generator": generator, "device": device}
    E, U = normals((replicas, N, d), **how) / math.sqrt(d), normals((replicas, M, d), **how) / math.sqrt(d)
    W = normals((replicas, d, d), **how)
    p, given = _simplex((replicas, N), **how), _simplex((replicas, N, M), **how)
    found = _gradient(W, U, E, p[:, :, None] * given)
    predicted = torch.softmax(torch.einsum("rne,rde,rmd->rnm", E, W, U), 2)
    if form == "without-predictions":
        predicted = torch.full_like(predicted, 1 / M)
    weight = torch.full_like(p, 1 / N) if form == "without-frequencies" else p
    c = weight[:, :, None] * (predicted - given)
    return _deviation(found, torch.einsum("rnm,rmd,rne->rde", c, U, E))


def sample_noisy_inputs(
    *,
    d: int,
    M: int,
    tokens: int = 12,
    bag: int = 4,
    samples: int = 64,
    form: str = "sum",
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """Deviation of the gradient from sum_k p(k) u_k (mu^_k - mu_k)^T, for inputs that are bags of tokens.

    The first token of a bag decides the output (token mod M), the others are irrelevant; x is the sum of their
    embeddings. Every output occurs. The expectation is that over the samples.
    """
    d, M, tokens, bag, samples = (
        check_whole(name, value)
        for name, value in (("d", d), ("M", M), ("tokens", tokens), ("bag", bag), ("samples", samples))
    )
    check_choice("form", form, FORMS)
    if samples < M or tokens < M:
        raise ValueError(
            f"samples and tokens must be at least M={M}, so that every output occurs; got {samples} and {tokens}"
        )
    how: dict[str, Any] = {"generator": generator, "device": device}
    U, W = normals((replicas, M, d), **how) / math.sqrt(d), normals((replicas, d, d), **how)
    embeddings = normals((replicas, tokens, d), **how) / math.sqrt(d)
    drawn = torch.randint(tokens, (replicas, samples, bag), generator=generator, device=device)
    drawn[:, :M, 0] = torch.arange(M, device=device)
    rows = torch.arange(replicas, device=device)[:, None, None]
    x = embeddings[rows, drawn].sum(2)
    labels = torch.nn.functional.one_hot(drawn[:, :, 0] % M, M).double()
    found = _gradient(W, U, x, labels / samples)
    predicted = torch.softmax(torch.einsum("rne,rde,rmd->rnm", x, W, U), 2)
    if form == "without-predictions":
        predicted = torch.full_like(predicted, 1 / M)
    p = labels.mean(1)
    mean_hat = torch.einsum("rnm,rne->rme", predicted, x) / samples / p[:, :, None]
    mean = torch.einsum("rnm,rne->rme", labels, x) / samples / p[:, :, None]
    weight = torch.full_like(p, 1 / M) if form == "without-frequencies" else p
    return _deviation(found, torch.einsum("rm,rmd,rme->rde", weight, U, mean_hat - mean))


def sample_gradient_row(
    *,
    d: int,
    M: int,
    m: float,
    p: float = 0.0,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """A coordinate of the gradient's row of one output, at W = 0, which is the target of a share p of the inputs.

    Outputs are orthonormal, so the row is u_k^T grad L; every input has the coordinate m (its others are random).
    """
    d, M = (check_whole(name, value) for name, value in (("d", d), ("M", M)))
    if not 2 <= M <= d or not 0 <= p <= 1:
        raise ValueError(f"M must be from 2 to d, and p from 0 to 1; got M={M}, d={d}, p={p!r}")
    how: dict[str, Any] = {"generator": generator, "device": device}
    samples = 32
    U = torch.linalg.qr(normals((replicas, d, M), **how))[0].mT
    x = normals((replicas, samples, d), **how)
    x[:, :, 0] = m
    labels = torch.zeros(replicas, samples, M, dtype=torch.float64, device=device)
    labels[:, :, 0] = p / samples
    labels[:, :, 1] = (1 - p) / samples
    found = _gradient(torch.zeros(replicas, d, d, dtype=torch.float64, device=device), U, x, labels)
    return torch.einsum("rd,rd->r", U[:, 0], found[:, :, 0])


gradient_memory_experiment = experiment("gradient-memory", sample_gradient_memory, block=16)
noisy_inputs_experiment = experiment("noisy-inputs", sample_noisy_inputs, block=16)
gradient_row_experiment = experiment("gradient-row", sample_gradient_row, block=16)
