"""The gradient of a matrix inside a deep network, beside the mean of outer products of what flows into and out of it.

The network has what deep networks have: residual blocks with layer norm, ReLU and causal softmax attention over a
sequence. W sits in the middle, x~ = W x. The loss as a function of W is differentiated forwards, along random
directions; the vectors dl/dx~ come from differentiation backwards, with W held fixed. The two share no code.
"""

import math
from typing import Any

import torch
from torch.nn import functional

from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.recall.checks import check_whole
from asymp.montecarlo.scores.embeddings import normals

__all__ = ["backward_vector_experiment", "sample_backward_vector"]

DIRECTIONS = 4


class _Network:
    """Blocks of attention and ReLU before and after W; one network, a batch of sequences."""

    def __init__(self, d: int, depth: int, outputs: int, **how: Any) -> None:
        def matrix(rows: int, columns: int) -> torch.Tensor:
            return normals((rows, columns), **how) / math.sqrt(columns)

        self.blocks = [[matrix(d, d) for _ in range(3)] + [matrix(4 * d, d), matrix(d, 4 * d)] for _ in range(depth)]
        self.readout = matrix(outputs, d)

    def run(self, h: torch.Tensor, blocks: list[list[torch.Tensor]]) -> torch.Tensor:
        length, d = h.shape[-2:]
        hidden = torch.triu(torch.ones(length, length, dtype=torch.bool, device=h.device), 1)
        for query, key, value, up, down in blocks:
            x = functional.layer_norm(h, (d,))
            scores = (x @ query.T) @ (x @ key.T).mT / math.sqrt(d)
            h = h + scores.masked_fill(hidden, -math.inf).softmax(-1) @ (x @ value.T)
            h = h + torch.relu(functional.layer_norm(h, (d,)) @ up.T) @ down.T
        return h


def _deviation(
    *, d: int, depth: int, positions: int, samples: int, uses: str, generator: torch.Generator, device: torch.device
) -> torch.Tensor:
    how: dict[str, Any] = {"generator": generator, "device": device}
    outputs = 7
    net = _Network(d, 2 * depth, outputs, **how)
    W = normals((d, d), **how) / math.sqrt(d)
    tokens = normals((samples, positions, d), **how)
    labels = torch.randint(outputs, (samples,), generator=generator, device=device)
    x = net.run(tokens, net.blocks[:depth])

    def loss_from(out: torch.Tensor) -> torch.Tensor:
        h = net.run(x + torch.relu(out), net.blocks[depth:])
        return functional.cross_entropy(h[:, -1] @ net.readout.T, labels, reduction="none")

    # Each sample's own dl/dx~: the losses of different samples share nothing, so the gradient of their sum has them all.
    out = (x @ W.T).requires_grad_()
    (backward,) = torch.autograd.grad(loss_from(out).sum(), out)
    inputs = x
    if uses == "last":
        backward, inputs = backward[:, -1:], inputs[:, -1:]
    expected = torch.einsum("nti,ntj->ij", backward, inputs) / samples
    # In a small network all units behind W may be off: the gradient is then 0, and so must the slope be.
    length = expected.norm()
    unit = torch.where(length > 0, length, torch.ones_like(length))
    worst = torch.zeros((), dtype=torch.float64, device=device)
    for _ in range(DIRECTIONS):
        along = normals((d, d), **how)
        slope = torch.func.jvp(lambda w: loss_from(x @ w.T).mean(), (W,), (along,))[1]
        worst = torch.maximum(worst, (slope - (expected * along).sum()).abs() / unit)
    return worst


def sample_backward_vector(
    *,
    d: int,
    depth: int = 1,
    positions: int = 1,
    samples: int = 8,
    uses: str = "all",
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """Largest difference of the loss's slope in W from that of the mean of (dl/dx~) x^T, over random directions.

    A direction has independent normal entries, and the difference is told as a share of the gradient's length.

    `uses`: 'all' sums over the positions at which W is used, 'last' takes the last one only, where the label is read.
    """
    d, depth, positions, samples = (
        check_whole(name, value)
        for name, value in (("d", d), ("depth", depth), ("positions", positions), ("samples", samples))
    )
    if d < 2:
        raise ValueError(f"d must be at least 2 for a layer norm; got {d}")
    made = [
        _deviation(
            d=d, depth=depth, positions=positions, samples=samples, uses=uses, generator=generator, device=device
        )
        for _ in range(replicas)
    ]
    return torch.stack(made).detach()


backward_vector_experiment = experiment("backward-vector", sample_backward_vector, block=4)
