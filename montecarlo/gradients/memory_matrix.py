"""The memory matrix: softmax of the scores, inputs by outputs, of a memory with the weights of a scheme."""

from typing import Any

import torch

from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.recall.checks import check_choice, check_number, check_whole
from asymp.montecarlo.scores.embeddings import draw_embeddings

__all__ = [
    "argmax_agreement_experiment",
    "argmax_mass_experiment",
    "memory_matrix",
    "sample_argmax_agreement",
    "sample_argmax_mass",
    "sample_target_mass",
    "target_mass_experiment",
]

EMBEDDINGS = ("orthonormal", "gaussian", "sphere")


def memory_matrix(
    *,
    N: int,
    M: int,
    d: int | None = None,
    alpha: float = 1.0,
    rho: float = 0.0,
    P: int | None = None,
    scale: float = 1.0,
    embeddings: str = "orthonormal",
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Scores and memory matrices (replica, input, output) of W = sum_x q(x) u_f(x) e_x^T, f(x) = x mod M.

    q(x) = scale p(x)^rho for x <= P, else 0; p(x) ~ x^-alpha. Orthonormal embeddings need d >= N and d >= M.
    """
    N, M = check_whole("N", N), check_whole("M", M, low=2)
    d = max(N, M) if d is None else check_whole("d", d)
    check_choice("embeddings", embeddings, EMBEDDINGS)
    how: dict[str, Any] = {"generator": generator, "device": device}
    if embeddings == "orthonormal":
        if d < max(N, M):
            raise ValueError(f"d must be at least N={N} and M={M} for orthonormal embeddings; got {d}")
        E, U = (torch.linalg.qr(draw_embeddings("gaussian", (replicas, d, d), **how))[0][:, :n] for n in (N, M))
    else:
        E, U = (draw_embeddings(embeddings, (replicas, n, d), **how) for n in (N, M))
    x = torch.arange(1, N + 1, dtype=torch.float64, device=device)
    p = x ** -check_number("alpha", alpha)
    q = float(scale) * (p / p.sum()) ** check_number("rho", rho) * (x <= (N if P is None else P))
    W = torch.einsum("n,rnd,rne->rde", q, U[:, torch.arange(1, N + 1, device=device) % M], E)
    scores = torch.einsum("rmd,rde,rne->rnm", U, W, E)
    return scores, scores.softmax(2)


def sample_target_mass(
    *,
    N: int,
    M: int,
    x: int,
    alpha: float = 1.0,
    rho: float = 0.0,
    P: int | None = None,
    scale: float = 1.0,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """The mass of row x on its target, orthonormal embeddings."""
    x = check_whole("x", x, high=int(N))
    _, matrix = memory_matrix(
        N=N, M=M, alpha=alpha, rho=rho, P=P, scale=scale, replicas=replicas, generator=generator, device=device
    )
    return matrix[:, x - 1, x % M]


def sample_argmax_mass(
    *, replicas: int, generator: torch.Generator, device: torch.device, **settings: Any
) -> torch.Tensor:
    """The mean over the rows of their largest mass; settings as for `memory_matrix`."""
    _, matrix = memory_matrix(**settings, replicas=replicas, generator=generator, device=device)
    return matrix.amax(2).mean(1)


def sample_argmax_agreement(
    *, replicas: int, generator: torch.Generator, device: torch.device, **settings: Any
) -> torch.Tensor:
    """The share of rows whose largest mass is on the output that the memory recalls; settings as for `memory_matrix`."""
    scores, matrix = memory_matrix(**settings, replicas=replicas, generator=generator, device=device)
    return torch.eq(matrix.argmax(2), scores.argmax(2)).double().mean(1)


target_mass_experiment = experiment("target-mass", sample_target_mass, block=4)
argmax_mass_experiment = experiment("argmax-mass", sample_argmax_mass, block=32, bounds=(0.0, 1.0))
# An identity of every row, not a chance: no interval of a share is wanted.
argmax_agreement_experiment = experiment("argmax-agreement", sample_argmax_agreement, block=32)
