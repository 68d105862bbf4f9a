"""The gradient of a matrix inside a deep network, and next to it the mean of outer products of what flows into and out of it.

The network has what deep networks have: residual blocks with layer norm, ReLU and causal softmax attention over a
sequence. W sits in the middle, x~ = W x. The loss as a function of W is differentiated forwards, along random
directions; the vectors dl/dx~ come from differentiation backwards, with W held fixed. The two share no code.
"""

import math

import torch
from torch.nn import functional

from asymp.montecarlo.arguments import Whole, checked
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment

DIRECTIONS = 4


class _Network:
    """Blocks of attention and ReLU before and after W; one network, a batch of sequences."""

    def __init__(self, draw: Draw, d: int, depth: int, outputs: int) -> None:
        def matrix(rows: int, columns: int) -> torch.Tensor:
            return draw.normal((rows, columns)) / math.sqrt(columns)

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


def _measured(draw: Draw, *, d: int, depth: int, positions: int, samples: int) -> dict[str, torch.Tensor]:
    outputs = 7
    net = _Network(draw, d, 2 * depth, outputs)
    W = draw.normal((d, d)) / math.sqrt(d)
    tokens = draw.normal((samples, positions, d))
    labels = draw.integers(outputs, (samples,))
    x = net.run(tokens, net.blocks[:depth])

    def loss_from(out: torch.Tensor) -> torch.Tensor:
        h = net.run(x + torch.relu(out), net.blocks[depth:])
        return functional.cross_entropy(h[:, -1] @ net.readout.T, labels, reduction="none")

    # Each sample's own dl/dx~: the losses of different samples share nothing, so the gradient of their sum has them all.
    out = (x @ W.T).requires_grad_()
    (backward,) = torch.autograd.grad(loss_from(out).sum(), out)
    directions = [draw.normal((d, d)) for _ in range(DIRECTIONS)]
    slopes = [torch.func.jvp(lambda w: loss_from(x @ w.T).mean(), (W,), (along,))[1] for along in directions]
    n = torch.tensor(float(samples), dtype=torch.float64, device=draw.device)
    return {"measured": torch.stack(slopes), "g": backward, "x": x, "D": torch.stack(directions), "n": n}


@checked
def sample_backward_vector(
    draw: Draw, *, d: Whole, depth: Whole = 1, positions: Whole = 1, samples: Whole = 8
) -> dict[str, torch.Tensor]:
    """Slopes of the mean loss in W along random directions D, with the backward vectors g = dl/dx~ and the inputs x.

    `positions`: at how many positions of a sequence W is used; the label is read at the last one.
    """
    if d < 2:
        raise ValueError(f"d must be at least 2 for a layer norm; got {d}")
    made = [_measured(one, d=d, depth=depth, positions=positions, samples=samples) for one in draw.each()]
    return {name: torch.stack([one[name] for one in made]).detach() for name in made[0]}


backward_vector_experiment = experiment("backward-vector", sample_backward_vector, block=4)
