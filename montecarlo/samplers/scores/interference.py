"""Scores and recalled outputs of a matrix that stores given embeddings: W = sum over x of u_x e_x^T.

Nothing is random: every replica is the same number, computed from W itself.
"""

from collections.abc import Sequence
from typing import Any

import torch

from asymp.montecarlo.checks import check_whole
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment

Rows = Sequence[Sequence[float]]


def sample_stored_score(draw: Draw, *, e: Rows, u: Rows, x: int = 1, y: int) -> torch.Tensor:
    """The score u_y . W e_x; e and u are lists of vectors, x and y count from 1."""
    scores = _scores(e, u, x, draw.device)
    return scores[check_whole("y", y, high=len(scores)) - 1].repeat(draw.replicas)


def sample_recalled_output(draw: Draw, *, e: Rows, u: Rows, x: int = 1) -> torch.Tensor:
    """f_W(x), the output with the largest score, counted from 1."""
    return (1.0 + _scores(e, u, x, draw.device).argmax().to(torch.float64)).repeat(draw.replicas)


def _scores(e: Rows, u: Rows, x: int, device: torch.device) -> torch.Tensor:
    E, U = _matrix("e", e, device), _matrix("u", u, device)
    if len(E) != len(U):
        raise ValueError(f"e and u must hold as many vectors: f(x) = x; got {len(E)} and {len(U)}")
    at = check_whole("x", x, high=len(E)) - 1
    W = U.mT @ E
    return U @ (W @ E[at])


def _matrix(name: str, rows: Any, device: torch.device) -> torch.Tensor:
    try:
        made = torch.as_tensor(rows, dtype=torch.float64, device=device)
    except (TypeError, ValueError):
        made = None
    if made is None or made.dim() != 2 or made.numel() == 0 or not torch.isfinite(made).all():
        raise ValueError(f"{name} must be a list of vectors of one length, finite numbers; got {rows!r}")
    return made


# the embeddings are given: nothing is random
stored_score_experiment = experiment("stored-score", sample_stored_score, version=1, block=8, deterministic=True)
recalled_output_experiment = experiment(
    "recalled-output", sample_recalled_output, version=1, block=8, deterministic=True
)
