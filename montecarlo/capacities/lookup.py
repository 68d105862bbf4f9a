"""Learned inputs, e_x = u_f(x), read by W = I: a lookup among the outputs themselves."""

import torch

from asymp.models.linear import Identity
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.recall.checks import check_choice, check_whole
from asymp.montecarlo.scores.embeddings import EMBEDDINGS, draw_embeddings

__all__ = [
    "learned_all_experiment",
    "learned_error_experiment",
    "sample_learned_all",
    "sample_learned_error",
]

CHUNK = 2**20
"""Scores held at once: 8 MB."""


def _right(
    kind: str, *, d: int, M: int, replicas: int, generator: torch.Generator, device: torch.device
) -> torch.Tensor:
    """(replicas, M): whether each output is its own best match."""
    outputs = draw_embeddings(kind, (replicas, M, d), generator=generator, device=device)
    answers = torch.arange(M, device=device)
    # the inputs are the outputs of their answers: N inputs with the same answer are one question
    return Identity().store(outputs, outputs, answers).recall(outputs) == answers


def sample_learned_error(
    *,
    d: int,
    M: int,
    N: int | None = None,
    outputs: str = "gaussian",
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """The share of N inputs that are lost, f(x) = x mod M; N = M unless given."""
    d, M = check_whole("d", d), check_whole("M", M)
    N = M if N is None else check_whole("N", N)
    check_choice("outputs", outputs, EMBEDDINGS)
    counts = torch.full((M,), float(N // M), dtype=torch.float64, device=device)
    counts += (torch.arange(M, device=device) < N % M).to(torch.float64)
    rows = max(1, CHUNK // (M * max(M, d)))
    lost = [
        1 - _right(outputs, d=d, M=M, replicas=n, generator=generator, device=device).to(torch.float64) @ counts / N
        for n in (min(rows, replicas - start) for start in range(0, replicas, rows))
    ]
    return torch.cat(lost)


def sample_learned_all(
    *, d: int, M: int, outputs: str = "gaussian", replicas: int, generator: torch.Generator, device: torch.device
) -> torch.Tensor:
    """1 if all M outputs are their own best match, else 0."""
    d, M = check_whole("d", d), check_whole("M", M)
    check_choice("outputs", outputs, EMBEDDINGS)
    rows = max(1, CHUNK // (M * max(M, d)))
    found = [
        _right(outputs, d=d, M=M, replicas=n, generator=generator, device=device).all(1)
        for n in (min(rows, replicas - start) for start in range(0, replicas, rows))
    ]
    return torch.cat(found).to(torch.float64)


learned_error_experiment = experiment("learned-error", sample_learned_error, block=64, bounds=(0.0, 1.0))
learned_all_experiment = experiment("learned-all", sample_learned_all, block=32, bounds=(0.0, 1.0))
