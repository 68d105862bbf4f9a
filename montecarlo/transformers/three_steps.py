"""Three gradient steps of a two-layer transformer at infinite width: embeddings are disjoint one-hot blocks.

Layer 1 scores positions only and carries tokens; layer 2 compares the last token with what layer 1 carried, and reads
tokens. Gradients of the cross-entropy at the last position come from automatic differentiation on sampled sequences, whose
mean is the population gradient.
"""

import math
from typing import Any

import torch

from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.recall.checks import check_choice, check_whole

__all__ = [
    "sample_step_entry",
    "sample_three_step_accuracy",
    "step_entry_experiment",
    "three_step_accuracy_experiment",
]

MATRICES = ("OV2", "KQ2", "KQ1")
SMALL = 1e-4


def _sequences(N: int, T: int, count: int, **how: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """Sequences (count, T) and their second outputs y: q y somewhere, q last, all other tokens uniform except q."""
    device, generator = how["device"], how["generator"]
    q = torch.randint(N, (count,), generator=generator, device=device)
    y = torch.randint(N, (count,), generator=generator, device=device)
    at = torch.randint(1, T - 1, (count,), generator=generator, device=device)
    z = (q[:, None] + torch.randint(1, N, (count, T), generator=generator, device=device)) % N
    rows = torch.arange(count, device=device)
    z[rows, at - 1], z[rows, at], z[:, T - 1] = q, y, q
    return z, y


def _logits(z: torch.Tensor, N: int, KQ1: torch.Tensor, KQ2: torch.Tensor, OV2: torch.Tensor) -> torch.Tensor:
    """The logits at the last position.

    A one-hot vector times a matrix is one of its rows: entries are looked up, and no (sequences, T, N) tensor is made.
    """
    T = z.shape[1]
    later = torch.triu(torch.ones(T, T, dtype=torch.bool, device=z.device), 1)
    first = KQ1.masked_fill(later, -math.inf).softmax(1)
    # What the last token asks of the token at s, averaged over the s that position t carried.
    second = (KQ2[z[:, -1:], z] @ first.T).softmax(1)
    read = second.new_zeros(len(z), N).scatter_add(1, z, second)
    return read @ OV2.T


def sample_step_entry(
    *,
    N: int,
    T: int,
    matrix: str,
    entry: str = "diagonal",
    t: int = 2,
    sequences: int = 4096,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """Minus the gradient in one matrix after those before it were stepped: its mean diagonal or off-diagonal entry.

    For KQ1 the entry from position t to the one before. Steps before are taken to first order: the identity times 1e-4,
    divided out again.
    """
    N, T = check_whole("N", N, low=2), check_whole("T", T, low=3)
    check_choice("matrix", matrix, MATRICES)
    check_choice("entry", entry, ("diagonal", "off"))
    eye, zero = (
        make(N, dtype=torch.float64, device=device) for make in (torch.eye, lambda n, **k: torch.zeros(n, n, **k))
    )
    order = MATRICES.index(matrix)
    values = []
    for _ in range(replicas):
        z, y = _sequences(N, T, sequences, generator=generator, device=device)
        given = {
            "OV2": (SMALL * eye if order > 0 else zero).clone(),
            "KQ2": (SMALL * eye if order > 1 else zero).clone(),
            "KQ1": torch.zeros(T, T, dtype=torch.float64, device=device),
        }
        stepped = given[matrix].requires_grad_()
        loss = torch.nn.functional.cross_entropy(_logits(z, N, **given), y)
        (gradient,) = torch.autograd.grad(loss, stepped)
        gradient = -gradient / SMALL**order
        if matrix == "KQ1":
            values.append(gradient[t - 1, t - 2])
        elif entry == "diagonal":
            values.append(gradient.diagonal().mean())
        else:
            values.append((gradient.sum() - gradient.diagonal().sum()) / (N * (N - 1)))
    return torch.stack(values).detach()


def sample_three_step_accuracy(
    *,
    N: int,
    T: int,
    sequences: int = 1024,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """Accuracy of the ideal end state: position t attends to t - 1, the last token to itself one place on; ties shared."""
    N, T = check_whole("N", N, low=2), check_whole("T", T, low=4)
    large = 60.0
    previous = torch.diag(torch.full((T - 1,), large, dtype=torch.float64, device=device), -1)
    # Position 1 has nothing before it and attends to itself.
    eye = large * torch.eye(N, dtype=torch.float64, device=device)
    values = []
    for _ in range(replicas):
        z, y = _sequences(N, T, sequences, generator=generator, device=device)
        logits = _logits(z, N, previous, eye, eye)
        best = logits >= logits.amax(1, keepdim=True) - 1e-6
        share = best.gather(1, y[:, None])[:, 0].double() / best.sum(1)
        values.append(share.mean())
    return torch.stack(values)


step_entry_experiment = experiment("three-steps-entry", sample_step_entry, version=2, block=4)
three_step_accuracy_experiment = experiment(
    "three-steps-accuracy", sample_three_step_accuracy, version=2, block=16, bounds=(0.0, 1.0)
)
