"""A random matrix W, entries N(0, 1/d), applied to random embeddings: the length of W u and the overlap u^T W u.

Their laws given u are what is checked, so the matrix is drawn, all d^2 entries, and multiplied. A matrix is applied to
`probes` independent embeddings, and a replica is the average over them: its mean is that of one.
"""

import math
from typing import Any

import torch

from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.recall.checks import check_choice, check_number, check_whole
from asymp.montecarlo.scores.embeddings import EMBEDDINGS, draw_embeddings, normals

__all__ = [
    "remapping_law_experiment",
    "remapping_moment_experiment",
    "sample_remapping_law",
    "sample_remapping_moment",
]

CHUNK = 2**18
"""Entries drawn at once: 2 MB."""
OF = ("overlap", "norm")


def sample_remapping_moment(
    *,
    d: int,
    of: str = "overlap",
    order: int = 1,
    embeddings: str = "gaussian",
    probes: int = 64,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """The average of |u^T W u|^order (of 'overlap') or of |W u|^order ('norm') over `probes` embeddings u."""
    d, order, probes = (check_whole(n, v) for n, v in (("d", d), ("order", order), ("probes", probes)))
    check_choice("of", of, OF)
    check_choice("embeddings", embeddings, EMBEDDINGS)
    how: dict[str, Any] = {"generator": generator, "device": device}
    rows = max(1, CHUNK // (d * (d + probes)))
    parts = []
    for start in range(0, replicas, rows):
        n = min(rows, replicas - start)
        W = normals((n, d, d), **how).mul_(1 / math.sqrt(d))
        u = draw_embeddings(embeddings, (n, probes, d), **how)
        image = u @ W.mT
        values = (u * image).sum(2).abs() if of == "overlap" else torch.linalg.vector_norm(image, dim=2)
        parts.append((values**order).mean(1))
    return torch.cat(parts)


def sample_remapping_law(
    *,
    d: int,
    r: float,
    t: float,
    of: str = "overlap",
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """1 if u^T W u <= t (of 'overlap') or |W u|^2 <= t ('norm'), else 0, for a random direction u of length r."""
    d, r = check_whole("d", d), check_number("r", r, strict=True)
    t = check_number("t", t, low=-math.inf)
    check_choice("of", of, OF)
    how: dict[str, Any] = {"generator": generator, "device": device}
    rows = max(1, CHUNK // (d * (d + 1)))
    parts = []
    for start in range(0, replicas, rows):
        n = min(rows, replicas - start)
        W = normals((n, d, d), **how).mul_(1 / math.sqrt(d))
        u = r * draw_embeddings("sphere", (n, d), **how)
        image = (W @ u[:, :, None])[:, :, 0]
        parts.append(((u if of == "overlap" else image) * image).sum(1) <= t)
    return torch.cat(parts).to(torch.float64)


remapping_moment_experiment = experiment("remapping-moment", sample_remapping_moment, version=1, block=64)
remapping_law_experiment = experiment("remapping-law", sample_remapping_law, version=1, block=4096, bounds=(0.0, 1.0))
