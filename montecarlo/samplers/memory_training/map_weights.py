"""Weights that SGD gives to associations, simulated on orthonormal embeddings, one occurrence of an input after the other.

`written="all"` is SGD itself: a step writes on every output. `written="target"` keeps only what it writes on the target,
which is the memory W = sum_x q(x) u_f(x) e_x^T that the source's map is about. Gradients come from automatic
differentiation of the cross-entropy.

Errors along time of memories whose weights follow the map of SGD, q -> q + gamma k/(B (1 + e^q/(M - 1))).

k of the B samples of a step are the input in question; batch one is the map of the source. The memory is W = sum over x of
q(x) u_f(x) e_x^T, f(x) = x mod M, with gaussian embeddings: every error is that of scores formed from it.
"""

from collections.abc import Sequence
from typing import Annotated

import numpy as np
import torch

from asymp.montecarlo.arguments import one_of
from asymp.montecarlo.checks import check_number, check_whole
from asymp.montecarlo.draws import Draw, block_generator, one_thread, pick_device
from asymp.montecarlo.samplers.gradients import population_gradient
from asymp.montecarlo.samplers.zipf import zipf_law

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


ID, VERSION = "map-errors", 1


def map_errors(
    *,
    alpha: float,
    N: int,
    M: int,
    d: int,
    gamma: float,
    record: Sequence[int],
    batch: int = 1,
    replicas: int = 100,
    seed: int = 0,
    device: str = "auto",
) -> np.ndarray:
    """Errors (replicas, len(record)) after the recorded numbers of steps; samples and embeddings are each replica's own."""
    N, M, d, batch, replicas = (
        check_whole(n, v) for n, v in (("N", N), ("M", M), ("d", d), ("batch", batch), ("replicas", replicas))
    )
    gamma, alpha = check_number("gamma", gamma, strict=True), check_number("alpha", alpha)
    steps = [check_whole("record", step, low=0) for step in record]
    if steps != sorted(set(steps)) or not steps:
        raise ValueError(f"record must be steps in increasing order; got {list(record)!r}")
    where = pick_device(device)
    names = {"alpha": alpha, "N": N, "M": M, "d": d, "gamma": gamma, "batch": batch, "replicas": replicas}
    draw = Draw(replicas, block_generator(where, ID, VERSION, names, seed, 0), where)
    with one_thread(), torch.inference_mode():
        p = zipf_law(alpha, N, where)
        E, U = (draw.gaussian((n, d)) for n in (N, M))
        G = U @ U.mT
        targets = torch.arange(1, N + 1, device=where) % M
        q = draw.zeros((N,))
        errors = []
        for step in range(steps[-1] + 1):
            if step in steps:
                stored = draw.zeros((M, d))
                stored.index_add_(1, targets, q[:, :, None] * E)
                wrong = ((E @ stored.mT) @ G).argmax(2) != targets
                # With nothing stored all scores are equal, and a guess is right once in M.
                errors.append(wrong.double() @ p if step else torch.full((replicas,), 1 - 1 / M, dtype=torch.float64))
            seen = torch.multinomial(p.expand(replicas, N), batch, replacement=True, generator=draw.generator)
            share = torch.zeros_like(q).scatter_add_(1, seen, torch.full_like(seen, 1 / batch, dtype=torch.float64))
            q += gamma * share * (M - 1) / (M - 1 + torch.exp(q))
    return torch.stack([e.cpu() for e in errors], 1).numpy()
