"""Weights that SGD gives to associations, simulated sight by sight on orthonormal embeddings.

`written="all"` is SGD itself: a step writes on every output. `written="target"` keeps only what it writes on the target,
which is the memory W = sum_x q(x) u_f(x) e_x^T that the source's map is about. Gradients come from automatic
differentiation of the cross-entropy.
"""

from typing import Any

import numpy as np
import torch

from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.recall.checks import check_choice, check_number, check_whole
from asymp.montecarlo.scores.embeddings import draw_embeddings

__all__ = [
    "fitted_power_experiment",
    "map_weights",
    "sample_fitted_power",
    "sample_sgd_weight",
    "sample_weight_ratio",
    "sgd_weight_experiment",
    "weight_ratio_experiment",
]

WRITTEN = ("all", "target")
FITS = ("log-log", "linear", "anchored")
INPUTS = 3


def _run(
    *, gamma: float, M: int, n: int, start: float, written: str, keep: list[int], replicas: int, **how: Any
) -> dict[int, torch.Tensor]:
    """The coefficient of u_f e_x^T after the steps in `keep`, x being seen at every step."""
    d = max(M, INPUTS)
    E, U = (torch.linalg.qr(draw_embeddings("gaussian", (replicas, d, d), **how))[0] for _ in range(2))
    U, e, u = U[:, :M], E[:, 0], U[:, 0]
    W = start * torch.einsum("rd,re->rde", u, e)
    found = {}
    for step in range(n + 1):
        if step in keep:
            found[step] = torch.einsum("rd,rde,re->r", u, W, e).detach()
        if step < n:
            W = W.detach().requires_grad_()
            loss = -torch.einsum("rmd,rde,re->rm", U, W, e).log_softmax(1)[:, 0].sum()
            (gradient,) = torch.autograd.grad(loss, W)
            if written == "target":
                gradient = torch.einsum("rd,rf,rfe->rde", u, u, gradient)
            W = (W - gamma * gradient).detach()
    return found


def _checked(gamma: float, M: int, n: int, written: str) -> tuple[float, int, int]:
    check_choice("written", written, WRITTEN)
    return check_number("gamma", gamma, strict=True), check_whole("M", M, low=2), check_whole("n", n, low=0)


def sample_sgd_weight(
    *,
    gamma: float,
    M: int,
    n: int,
    q: float = 0.0,
    written: str = "all",
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """The weight of an input after n sights with steps of size gamma, from the weight q on its target."""
    gamma, M, n = _checked(gamma, M, n, written)
    how = {"generator": generator, "device": device}
    return _run(gamma=gamma, M=M, n=n, start=float(q), written=written, keep=[n], replicas=replicas, **how)[n]


def sample_weight_ratio(
    *,
    gamma: float,
    M: int,
    n: int,
    written: str = "target",
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """The weight of an input seen n times over that of one seen once."""
    gamma, M, n = _checked(gamma, M, n, written)
    how = {"generator": generator, "device": device}
    found = _run(gamma=gamma, M=M, n=n, start=0.0, written=written, keep=[1, n], replicas=replicas, **how)
    return found[n] / found[1]


def map_weights(*, gamma: float, M: int, most: int) -> torch.Tensor:
    """Weights on the target after 0, 1, ..., most sights, in plain numbers: the softmax of one score and M - 1 zeros."""
    q, found = 0.0, [0.0]
    for _ in range(most):
        q += gamma * (1 - 1 / (1 + (M - 1) * float(np.exp(-q))))
        found.append(q)
    return torch.tensor(found, dtype=torch.float64)


def sample_fitted_power(
    *,
    gamma: float,
    N: int,
    M: int,
    fit: str = "log-log",
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """The rho of q = A p^rho for inputs seen ((N + 3)/(x + 3))^2 times, by least squares on log-log or linear axes.

    The weights come from the simulated sights, interpolated linearly between whole numbers; on linear axes rho is found
    on a grid and refined (A free, or fixed at x = 1).
    """
    check_choice("fit", fit, FITS)
    N = check_whole("N", N, low=3)
    counts = ((N + 3) / (np.arange(1, N + 1) + 3)) ** 2
    most = int(np.ceil(counts.max()))
    gamma, M, most = _checked(gamma, M, most, "target")
    how: dict[str, Any] = {"generator": generator, "device": device}
    kept = _run(gamma=gamma, M=M, n=most, start=0.0, written="target", keep=list(range(most + 1)), replicas=1, **how)
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
    return torch.full((replicas,), rho, dtype=torch.float64, device=device)


sgd_weight_experiment = experiment("sgd-weight", sample_sgd_weight, block=4)
weight_ratio_experiment = experiment("sgd-weight-ratio", sample_weight_ratio, block=4)
fitted_power_experiment = experiment("fitted-power", sample_fitted_power, block=4)
