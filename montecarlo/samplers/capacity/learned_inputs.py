"""Learned inputs, e_x = u_f(x), read by W = I: a lookup among the outputs themselves."""

import torch

from asymp.models.linear import Hebbian, Identity
from asymp.montecarlo.arguments import Embedding, Whole, batched
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.memory_training.comparisons import training_ratio_experiment

__all__ = ["learned_all_experiment", "learned_error_experiment", "training_ratio_experiment"]

CHUNK = 2**20
"""Scores held at once: 8 MB."""


def _right(draw: Draw, kind: str, *, d: int, M: int) -> torch.Tensor:
    """(replicas, M): whether each output is its own best match."""
    outputs = draw.embeddings(kind, (M, d))
    answers = torch.arange(M, device=draw.device)
    # the inputs are the outputs of their answers: N inputs with the same answer are one question
    return Identity().store(outputs, outputs, answers).recall(outputs) == answers


@batched(lambda d, M: CHUNK // (M * max(M, d)))
def sample_learned_error(
    draw: Draw, *, d: Whole, M: Whole, N: Whole | None = None, outputs: Embedding = "gaussian"
) -> torch.Tensor:
    """The share of N inputs that are lost, f(x) = x mod M; N = M unless given."""
    N = M if N is None else N
    counts = torch.full((M,), float(N // M), dtype=torch.float64, device=draw.device)
    counts += (torch.arange(M, device=draw.device) < N % M).to(torch.float64)
    return 1 - _right(draw, outputs, d=d, M=M).to(torch.float64) @ counts / N


@batched(lambda d, M: CHUNK // (M * max(M, d)))
def sample_learned_all(draw: Draw, *, d: Whole, M: Whole, outputs: Embedding = "gaussian") -> torch.Tensor:
    """1 if all M outputs are their own best match, else 0."""
    return _right(draw, outputs, d=d, M=M).all(1).to(torch.float64)


@batched(lambda d, M: CHUNK // (M * max(M, d)))
def sample_learned_stored(draw: Draw, *, d: Whole, M: Whole, outputs: Embedding = "sphere") -> torch.Tensor:
    """The share of M outputs that W = sum over y of u_y u_y^T recalls from themselves, the learned inputs."""
    u = draw.embeddings(outputs, (M, d))
    answers = torch.arange(M, device=draw.device)
    return (Hebbian().store(u, u, answers).recall(u) == answers).to(torch.float64).mean(1)


learned_stored_experiment = experiment("learned-stored", sample_learned_stored, block=8, bounds=(0.0, 1.0))
learned_error_experiment = experiment("learned-error", sample_learned_error, block=64, bounds=(0.0, 1.0))
learned_all_experiment = experiment("learned-all", sample_learned_all, block=32, bounds=(0.0, 1.0))
