"""The memory matrix: softmax of the scores, inputs by outputs, of a memory with the weights of a scheme."""

from typing import Annotated, Any

import torch

from asymp.models.linear import linear_scores
from asymp.montecarlo.arguments import Number, TwoOrMore, Whole, checked, one_of, takes
from asymp.montecarlo.checks import check_whole
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.memory_training.comparisons import training_ratio_experiment
from asymp.montecarlo.samplers.zipf import zipf_law

__all__ = [
    "argmax_agreement_experiment",
    "argmax_mass_experiment",
    "memory_matrix",
    "target_mass_experiment",
    "training_ratio_experiment",
]


@checked
def memory_matrix(
    draw: Draw,
    *,
    N: Whole,
    M: TwoOrMore,
    d: Whole | None = None,
    alpha: Number = 1.0,
    rho: Number = 0.0,
    P: int | None = None,
    scale: float = 1.0,
    embeddings: Annotated[str, one_of("orthonormal", "gaussian", "sphere")] = "orthonormal",
) -> tuple[torch.Tensor, torch.Tensor]:
    """Scores and memory matrices (replica, input, output) of W = sum_x q(x) u_f(x) e_x^T, f(x) = x mod M.

    q(x) = scale p(x)^rho for x <= P, else 0; p(x) ~ x^-alpha. Orthonormal embeddings need d >= N and d >= M.
    """
    d = max(N, M) if d is None else d
    if embeddings == "orthonormal":
        if d < max(N, M):
            raise ValueError(f"d must be at least N={N} and M={M} for orthonormal embeddings; got {d}")
        E, U = (torch.linalg.qr(draw.gaussian((d, d)))[0][:, :n] for n in (N, M))
    else:
        E, U = (draw.embeddings(embeddings, (n, d)) for n in (N, M))
    x = torch.arange(1, N + 1, dtype=torch.float64, device=draw.device)
    q = float(scale) * zipf_law(alpha, N, draw.device) ** rho * (x <= (N if P is None else P))
    W = torch.einsum("n,rnd,rne->rde", q, U[:, torch.arange(1, N + 1, device=draw.device) % M], E)
    scores = linear_scores(W, U, E)
    return scores, scores.softmax(2)


@takes(memory_matrix, without=("d", "embeddings"))
def sample_target_mass(draw: Draw, *, N: int, M: int, x: int, **settings: Any) -> torch.Tensor:
    """The mass of row x on its target, orthonormal embeddings."""
    x = check_whole("x", x, high=int(N))
    _, matrix = memory_matrix(draw, N=N, M=M, **settings)
    return matrix[:, x - 1, x % M]


@takes(memory_matrix)
def sample_argmax_mass(draw: Draw, **settings: Any) -> torch.Tensor:
    """The mean over the rows of their largest mass."""
    _, matrix = memory_matrix(draw, **settings)
    return matrix.amax(2).mean(1)


@takes(memory_matrix)
def sample_argmax_agreement(draw: Draw, **settings: Any) -> dict[str, torch.Tensor]:
    """The largest mass of every row, with its scores s and that of the output recalled, r."""
    scores, matrix = memory_matrix(draw, **settings)
    return {"measured": matrix.amax(2), "s": scores, "r": scores.amax(2)}


# orthonormal embeddings are rotations of each other, and scores do not see them
target_mass_experiment = experiment("target-mass", sample_target_mass, block=4, deterministic=True)
argmax_mass_experiment = experiment("argmax-mass", sample_argmax_mass, block=32, bounds=(0.0, 1.0))
argmax_agreement_experiment = experiment("argmax-agreement", sample_argmax_agreement, version=2, block=32)
