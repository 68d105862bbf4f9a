"""Errors along time of memories whose weights follow the map of SGD, q -> q + gamma k/(B (1 + e^q/(M - 1))).

k of the B samples of a step are the input in question; batch one is the map of the source. The memory is W = sum over x of
q(x) u_f(x) e_x^T, f(x) = x mod M, with gaussian embeddings: every error is that of scores formed from it.
"""

from collections.abc import Sequence

import numpy as np
import torch

from asymp.montecarlo.checks import check_number, check_whole
from asymp.montecarlo.draws import Draw, block_generator, one_thread, pick_device
from asymp.montecarlo.samplers.zipf import zipf_law

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
