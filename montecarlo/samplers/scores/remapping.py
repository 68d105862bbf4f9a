"""A random matrix W, entries N(0, 1/d), applied to random embeddings: the length of W u and the overlap u^T W u.

Their laws given u are what is checked, so the matrix is drawn, all d^2 entries, and multiplied. A matrix is applied to
`probes` independent embeddings, and a replica is the average over them: its mean is that of one.
"""

import math
from typing import Annotated

import torch

from asymp.montecarlo.arguments import Embedding, Positive, Whole, batched, one_of
from asymp.montecarlo.checks import check_number
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.length_tails import of_images

CHUNK = 2**18
"""Entries drawn at once: 2 MB."""
Of = Annotated[str, one_of("overlap", "norm")]


@batched(lambda d, probes: CHUNK // (d * (d + probes)))
def sample_remapping_moment(
    draw: Draw,
    *,
    d: Whole,
    of: Of = "overlap",
    order: Whole = 1,
    embeddings: Embedding = "gaussian",
    probes: Whole = 64,
) -> torch.Tensor:
    """The average of |u^T W u|^order (of 'overlap') or of |W u|^order ('norm') over `probes` embeddings u."""
    W = draw.gaussian((d, d))
    u = draw.embeddings(embeddings, (probes, d))
    image = u @ W.mT
    values = (u * image).sum(2).abs() if of == "overlap" else torch.linalg.vector_norm(image, dim=2)
    return (values**order).mean(1)


@batched(lambda d: CHUNK // (d * (d + 1)))
def sample_remapping_law(draw: Draw, *, d: Whole, r: Positive, t: float, of: Of = "overlap") -> torch.Tensor:
    """1 if u^T W u <= t (of 'overlap') or |W u|^2 <= t ('norm'), else 0, for a random direction u of length r."""
    t = check_number("t", t, low=-math.inf)
    W = draw.gaussian((d, d))
    u = r * draw.sphere((d,))
    image = (W @ u[:, :, None])[:, :, 0]
    return (((u if of == "overlap" else image) * image).sum(1) <= t).to(torch.float64)


def _moment_kurtosis(
    *, d: int, of: str = "overlap", order: int = 1, embeddings: str = "gaussian", probes: int = 64
) -> float:
    """From the exact moments of one probe: sharp for one, large for many, which share their matrix."""
    return of_images(d=d, of=of, order=order, probes=probes, embeddings=embeddings)


remapping_moment_experiment = experiment(
    "remapping-moment", sample_remapping_moment, version=1, block=64, kurtosis=_moment_kurtosis
)
remapping_law_experiment = experiment("remapping-law", sample_remapping_law, version=1, block=4096, bounds=(0.0, 1.0))
