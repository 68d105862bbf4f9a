"""The random parts of a training run: embeddings, the first W, and the samples, one generator a block.

The score route needs only Gram matrices and first scores. With E = L Q (Bartlett) and W0 gaussian, Q_u W0 Q_e^T is
gaussian again, so U W0 E^T = L_u Z L_e^T with Z of min(M, d) x min(N, d) normals: nothing of size d is drawn.
"""

import math

import torch

from asymp.montecarlo.draws import Draw, on_sphere
from asymp.montecarlo.samplers.memory_training.problem import Embeddings, TrainProblem


def draw_for_scores(draw: Draw, problem: TrainProblem, K: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Fill K = E E^T (R, N, N); return G = U U^T (R, M, M) and the first scores (R, M, N)."""
    M, N, d = problem.M, problem.N, problem.d
    E = _rotated(draw, problem.inputs, N, d)
    U = _rotated(draw, problem.outputs, M, d)
    if problem.init == "zero":
        scores = draw.zeros((M, N))
    else:
        Z = draw.normal((U.shape[2], E.shape[2])).mul_(1 / math.sqrt(d))
        scores = U @ Z @ E.mT
    torch.bmm(E, E.mT, out=K)
    return U @ U.mT, scores


def draw_for_weights(draw: Draw, problem: TrainProblem) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
    """What the weights route starts from: E (R, N, d), U (R, M, d), W (R, d, d) or None."""
    M, N, d = problem.M, problem.N, problem.d
    E = _embedded(draw, problem.inputs, N, d)
    U = _embedded(draw, problem.outputs, M, d)
    if problem.learn == "exponential":
        return E, U, None
    if problem.init == "zero":
        return E, U, draw.zeros((d, d))
    return E, U, draw.normal((d, d)).mul_(1 / math.sqrt(d))


def draw_samples(draw: Draw, problem: TrainProblem) -> tuple[torch.Tensor | None, torch.Tensor | None]:
    """Samples (R, T) of inputs from 0; or weights, where a step sums over all inputs: p, or each batch's counts/B."""
    p = torch.as_tensor(problem.law, device=draw.device)
    if problem.population:
        return None, p.expand(draw.replicas, 1, problem.N)
    # the last edge is above every uniform, so that rounding in the sum cannot give an input N + 1
    edges = torch.cumsum(p, 0)[:-1]
    uniform = draw.uniform(shape=(problem.T,))
    samples = torch.searchsorted(edges, uniform, right=True)
    if not problem.whole:
        return samples, None
    counts = draw.zeros((problem.steps, problem.N))
    share = torch.full((), 1 / problem.batch, dtype=torch.float64, device=draw.device)
    batches = samples.view(draw.replicas, problem.steps, problem.batch)
    return None, counts.scatter_add_(2, batches, share.expand(batches.shape))


def _rotated(draw: Draw, kind: Embeddings, rows: int, d: int) -> torch.Tensor:
    """Embeddings up to a common rotation: (replicas, rows, at most d)."""
    if not isinstance(kind, str):
        return torch.as_tensor(kind, device=draw.device).expand(draw.replicas, rows, d)
    if kind == "orthonormal":
        return torch.eye(rows, dtype=torch.float64, device=draw.device).expand(draw.replicas, rows, rows)
    L = _triangle(draw, rows, d)
    return on_sphere(L) if kind == "sphere" else L.mul_(1 / math.sqrt(d))


def _triangle(draw: Draw, rows: int, d: int) -> torch.Tensor:
    """L (replicas, rows, min(rows, d)), lower trapezoidal: L Q has the law of a standard normal rows x d matrix.

    As `embeddings.factor`, but the normals above the diagonal are not drawn: half the work where rows <= d.
    """
    rank = min(rows, d)
    below = torch.tril_indices(rows, rank, -1, device=draw.device)
    drawn = draw.normal((below.shape[1],))
    halves = (d - torch.arange(rank, dtype=torch.float64, device=draw.device)) / 2
    lengths = (2 * torch._standard_gamma(halves.repeat(draw.replicas, 1), generator=draw.generator)).sqrt_()
    L = draw.zeros((rows * rank,))
    L.index_copy_(1, below[0] * rank + below[1], drawn)
    L.index_copy_(1, torch.arange(rank, device=draw.device) * (rank + 1), lengths)
    return L.view(draw.replicas, rows, rank)


def _embedded(draw: Draw, kind: Embeddings, rows: int, d: int) -> torch.Tensor:
    """Embeddings (replicas, rows, d), each replica with its own memory."""
    if not isinstance(kind, str):
        return torch.as_tensor(kind, device=draw.device).repeat(draw.replicas, 1, 1)
    if kind == "orthonormal":
        gaussian = draw.normal((d, rows))
        Q, upper = torch.linalg.qr(gaussian)
        # the signs make the columns uniform among orthonormal systems
        signs = torch.sign(upper.diagonal(dim1=1, dim2=2))[:, None, :]
        rotated: torch.Tensor = (Q * signs).mT.contiguous()
        return rotated
    return draw.embeddings(kind, (rows, d))
