"""The power rho that fits the weights of SGD, q = A p^rho.

Weights are simulated sight by sight on orthonormal embeddings; measured is the exponent of a least-squares fit, on log-log
or linear axes.
"""

from typing import Annotated

import numpy as np
import torch

from asymp.montecarlo.arguments import Positive, TwoOrMore, checked, one_of
from asymp.montecarlo.checks import check_whole
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.memory_training.map_weights import weights_by_sight

Fit = Annotated[str, one_of("log-log", "linear", "anchored")]


@checked
def sample_fitted_power(draw: Draw, *, gamma: Positive, N: int, M: TwoOrMore, fit: Fit = "log-log") -> torch.Tensor:
    """The rho of q = A p^rho for inputs seen ((N + 3)/(x + 3))^2 times, by least squares on log-log or linear axes.

    The weights come from the simulated sights, interpolated linearly between whole numbers; on linear axes rho is found
    on a grid and refined (A free, or fixed at x = 1).
    """
    N = check_whole("N", N, low=3)
    counts = ((N + 3) / (np.arange(1, N + 1) + 3)) ** 2
    most = int(np.ceil(counts.max()))
    kept = weights_by_sight(
        draw.of(1), gamma=gamma, M=M, n=most, start=0.0, written="target", keep=list(range(most + 1))
    )
    table = np.array([float(kept[k][0]) for k in range(most + 1)])
    q = np.interp(counts, np.arange(most + 1), table)
    x = np.log(counts / counts[0])
    if fit == "log-log":
        rho = float(np.polyfit(x, np.log(q), 1)[0])
    else:
        low, high = -1.0, 3.0
        for _ in range(12):
            grid = np.linspace(low, high, 41)
            powers = np.exp(np.outer(grid, x))
            A = np.full(len(grid), q[0]) if fit == "anchored" else powers @ q / (powers**2).sum(1)
            best = int(np.argmin(((q - A[:, None] * powers) ** 2).sum(1)))
            low, high = grid[max(best - 1, 0)], grid[min(best + 1, 40)]
        rho = (low + high) / 2
    return torch.full((draw.replicas,), rho, dtype=torch.float64, device=draw.device)


# one simulated table of weights for all replicas: nothing is random
fitted_power_experiment = experiment("fitted-power", sample_fitted_power, block=4, deterministic=True)
