"""The first update of a matrix, dW = sum over j of a_j v_j u_j^T, at the inputs u_j that it is made of.

The lengths are measured on u_j and v_j that are all drawn, with dW formed and multiplied; for N and d of very different
size the cheaper order of the products is taken, U (U^T ...) or (U U^T) ..., which are equal.

Rates need large sizes. For gaussian embeddings two facts, both exact in law and none of them a moment, make them cheap:
U^T = L Q/sqrt(d) with L lower trapezoidal (Bartlett) and Q of orthonormal rows, so that V^T Q^T is a gaussian matrix and
many pairs cost no more than d of them; and a gaussian matrix acts on few vectors as a gaussian matrix does on the rows
of the root of their Gram matrix.
"""

import math
from typing import Annotated

import torch

from asymp.montecarlo.arguments import Embedding, Number, Whole, batched, checked, one_of
from asymp.montecarlo.checks import check_whole
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.embeddings import factor
from asymp.montecarlo.samplers.length_tails import HYPERCONTRACTIVE, of_update

CHUNK = 2**18
"""Entries drawn at once: 2 MB."""


@batched(lambda N, d: CHUNK // (2 * N * d))
def sample_update_norm(
    draw: Draw,
    *,
    N: Whole,
    d: Whole,
    decay: Number = 0,
    j: int | None = None,
    inputs: Embedding = "gaussian",
    outputs: Embedding = "gaussian",
) -> torch.Tensor:
    """|dW u_j|^2 for coefficients a_j = j^-decay, j = 1..N; without j the average over all j (a_j = 1 only)."""
    if j is None and decay != 0:
        raise ValueError(f"j must be given where the coefficients differ: the average is over equal ones; got {j!r}")
    j = None if j is None else check_whole("j", j, high=N)
    a = torch.arange(1, N + 1, dtype=torch.float64, device=draw.device) ** -decay
    U, V = draw.embeddings(inputs, (N, d)), draw.embeddings(outputs, (N, d))
    read = U if j is None else U[:, j - 1 : j]
    return _moved(read, U, V * a[:, None]).square().sum(2).mean(1)


def _moved(read: torch.Tensor, U: torch.Tensor, V: torch.Tensor) -> torch.Tensor:
    """dW u for the rows u of `read`, as rows: (read U^T) V or read (U^T V), the order with fewer products."""
    N, d = U.shape[1:]
    few = read.shape[1]
    if few * N < d * (N + few):
        return (read @ U.mT) @ V
    return read @ (U.mT @ V)


@checked
def sample_update_entry(draw: Draw, *, N: Whole, d: Whole) -> torch.Tensor:
    """The mean square of an entry of dW u_j over all entries and j, for a_j = 1 and gaussian embeddings.

    Beyond N = d only L and the gaussian V^T Q^T are drawn: dW U^T = (V^T Q^T) L^T L Q/sqrt(d).
    """
    if d >= N:
        return sample_update_norm(draw, N=N, d=d) / d
    parts = []
    for part in draw.batches(max(1, CHUNK // (2 * d * d))):
        L = factor(part, d, N) / math.sqrt(d)
        V = part.gaussian((d, d))
        parts.append(((V @ L.mT) @ L).square().sum((1, 2)) / (N * d))
    return torch.cat(parts)


@batched(lambda N, d: CHUNK // (3 * N * d))
def sample_relative_update(
    draw: Draw, *, N: Whole, d: Whole, scaling: Annotated[str, one_of("maximal", "ntk")] = "ntk"
) -> torch.Tensor:
    """The squared size of dW u_j over that of W_0 u_j, both summed over j = 1..N <= d, after one step on the N scores.

    maximal: scores v^T W u, entries of W_0 and of the embeddings N(0, 1/d). ntk: scores v^T W u/d, all entries N(0, 1).
    The step is one and dW is the sum of the gradients of the scores v_j^T W u_j. W_0 is drawn on the span of the u_j
    only: W_0 U^T has the law of G R^T with G a gaussian d x N matrix and R R^T = U U^T.
    """
    N = check_whole("N", N, high=d)
    entry, score = (1 / math.sqrt(d), 1.0) if scaling == "maximal" else (1.0, 1 / d)
    G, U, V = (draw.normal((N, d)).mul_(entry) for _ in range(3))
    before = (torch.linalg.cholesky(U @ U.mT) @ G).square().sum((1, 2))
    return torch.div(_moved(U, U, V * score).square().sum((1, 2)), before)


def _norm_kurtosis(
    *, N: int, d: int, decay: float = 0, j: int | None = None, inputs: str = "gaussian", outputs: str = "gaussian"
) -> float:
    """From the exact moments for equal coefficients; for others, a polynomial of degree six."""
    if decay:
        return HYPERCONTRACTIVE**6
    return min(HYPERCONTRACTIVE**6, of_update(N=N, d=d, inputs=inputs, outputs=outputs, average=j is None))


update_norm_experiment = experiment("update-norm", sample_update_norm, version=1, block=64, kurtosis=_norm_kurtosis)
update_entry_experiment = experiment("update-entry", sample_update_entry, version=1, block=64)
relative_update_experiment = experiment("relative-update", sample_relative_update, version=1, block=64)
