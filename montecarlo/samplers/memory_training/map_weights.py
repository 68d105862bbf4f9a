"""Weights that SGD gives to associations, simulated on orthonormal embeddings, one occurrence of an input after the other.

`written="all"` is SGD itself: a step writes on every output. `written="target"` keeps only what it writes on the target,
which is the memory W = sum_x q(x) u_f(x) e_x^T that the source's map is about. Gradients come from automatic
differentiation of the cross-entropy.
"""

from typing import Annotated

import numpy as np
import torch

from asymp.montecarlo.arguments import one_of
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.samplers.gradients import population_gradient

Written = Annotated[str, one_of("all", "target")]
"""What a step writes on: every output, as SGD does, or the target alone."""
INPUTS = 3


def weights_by_sight(
    draw: Draw, *, gamma: float, M: int, n: int, start: float, written: str, keep: list[int]
) -> dict[int, torch.Tensor]:
    """The coefficient of u_f e_x^T after the steps in `keep`, where every step is on the same input x."""
    d = max(M, INPUTS)
    E, U = (torch.linalg.qr(draw.gaussian((d, d)))[0] for _ in range(2))
    U, e, u = U[:, :M], E[:, 0], U[:, 0]
    W = start * torch.einsum("rd,re->rde", u, e)
    first, certain = torch.zeros(1, dtype=torch.long, device=draw.device), draw.alone.zeros((1,)) + 1
    found = {}
    for step in range(n + 1):
        if step in keep:
            found[step] = torch.einsum("rd,rde,re->r", u, W, e).detach()
        if step < n:
            gradient = population_gradient(W, U, e[:, None], first, certain)
            if written == "target":
                gradient = torch.einsum("rd,rf,rfe->rde", u, u, gradient)
            W = (W - gamma * gradient).detach()
    return found


def map_weights(*, gamma: float, M: int, most: int) -> torch.Tensor:
    """The weight on the target after an input has occurred 0, 1, ..., `most` times, one score and M - 1 zeros in the softmax."""
    q, found = 0.0, [0.0]
    for _ in range(most):
        q += gamma * (1 - 1 / (1 + (M - 1) * float(np.exp(-q))))
        found.append(q)
    return torch.tensor(found, dtype=torch.float64)
