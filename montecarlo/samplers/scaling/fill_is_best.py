"""Equal weights against weights p^rho in memories of the same size.

Embeddings (and T samples, where they are finite) are drawn; measured are the recall error of one scheme, and the error of
equal weights over that of p^rho, each a mean over many memories.

Equal weights against weights p^rho: the ratio of their recall errors, run by run.

A run measures each error on its own memories, `memories` of them for either scheme.
"""

import torch

from asymp.montecarlo.arguments import Positive, Whole, checked
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.recall.equal_weights import sample_equal_weights
from asymp.montecarlo.samplers.recall.error import recall_error_experiment, sample_recall_error

__all__ = ["fill_ratio_experiment", "recall_error_experiment"]


@checked
def sample_fill_ratio(
    draw: Draw,
    *,
    alpha: float,
    N: int,
    M: int,
    d: int,
    rho: Positive,
    T: int | None = None,
    memories: Whole = 1000,
    outputs: str = "gaussian",
) -> torch.Tensor:
    """E_fill/E_rho from `memories` memories of each scheme: shape (replicas,).

    With T samples p is the empirical frequency, and equal weights go to the inputs seen; T = None: everything is seen.
    A run in which a scheme makes no error at all counts half of its smallest possible one, p(N)/memories.
    """
    count = draw.replicas * memories
    equal = sample_equal_weights(draw.of(count), alpha=alpha, N=N, M=M, d=d, T=T, outputs=outputs)
    other = sample_recall_error(draw.of(count), alpha=alpha, N=N, M=M, d=d, rho=rho, T=T, outputs=outputs)
    rarest = torch.arange(1, N + 1, dtype=torch.float64, device=draw.device).pow(-float(alpha))
    least = rarest.narrow(0, N - 1, 1) / rarest.sum() / (2 * memories)
    fill, power = (torch.maximum(e.view(draw.replicas, memories).mean(1), least) for e in (equal, other))
    return fill / power


fill_ratio_experiment = experiment("fill-ratio", sample_fill_ratio, version=1, block=8, bounds=None)
