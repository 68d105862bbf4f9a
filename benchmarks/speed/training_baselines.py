"""What `train_memory` is measured against: one replica at a time, as the field's published code does it.

Float64, like the product. Each draws its own embeddings, W0 and samples, and returns the error after every step (or
at the end only), shape (replicas, steps + 1) or (replicas,). No step could be left out: U W is formed once a step and
serves the error and the next gradient; nothing is measured that is not returned.
"""

import math

import numpy as np
import torch

__all__ = ["autograd_batches", "autograd_loop", "handwritten_loop"]


def _zipf(alpha: float, N: int) -> np.ndarray:
    weights = np.arange(1, N + 1, dtype=np.float64) ** -alpha
    return np.asarray(weights / weights.sum())


def autograd_loop(
    *, alpha: float, N: int, M: int, d: int, T: int, lr: float, replicas: int, seed: int = 0
) -> np.ndarray:
    """SGD of batch one through autograd and torch.optim, error before training and after every step."""
    generator = torch.Generator().manual_seed(seed)
    p = torch.as_tensor(_zipf(alpha, N))
    f = torch.arange(1, N + 1) % M
    errors = np.empty((replicas, T + 1))
    for r in range(replicas):
        E, U, W0 = (torch.randn(rows, d, dtype=torch.float64, generator=generator) / math.sqrt(d) for rows in (N, M, d))
        W = torch.nn.Parameter(W0)
        optimiser = torch.optim.SGD([W], lr=lr)
        samples = torch.multinomial(p, T, replacement=True, generator=generator)
        for t in range(T):
            with torch.no_grad():
                wrong = (E @ (U @ W).T).argmax(1) != f
                errors[r, t] = float(p[wrong].sum())
            x = samples[t : t + 1]
            loss = torch.nn.functional.cross_entropy(E[x] @ W.T @ U.T, f[x])
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
        with torch.no_grad():
            wrong = (E @ (U @ W).T).argmax(1) != f
            errors[r, T] = float(p[wrong].sum())
    return errors


def handwritten_loop(
    *, alpha: float, N: int, M: int, d: int, T: int, lr: float, replicas: int, seed: int = 0
) -> np.ndarray:
    """SGD of batch one with the gradient written out, in NumPy (its calls on small arrays are cheaper than torch's)."""
    generator = np.random.default_rng(seed)
    p = _zipf(alpha, N)
    f = np.arange(1, N + 1) % M
    errors = np.empty((replicas, T + 1))
    for r in range(replicas):
        E, U, W = (generator.standard_normal((rows, d)) / math.sqrt(d) for rows in (N, M, d))
        samples = generator.choice(N, size=T, p=p)
        UW = U @ W
        errors[r, 0] = p[(E @ UW.T).argmax(1) != f].sum()
        for t, x in enumerate(samples):
            s = UW @ E[x]
            residual = np.exp(s - s.max())
            residual /= -residual.sum()
            residual[f[x]] += 1.0
            W += np.outer(lr * (residual @ U), E[x])
            UW = U @ W
            errors[r, t + 1] = p[(E @ UW.T).argmax(1) != f].sum()
    return errors


def autograd_batches(
    *,
    alpha: float,
    N: int,
    M: int,
    d: int,
    T: int,
    batch: int,
    lr: float,
    optimiser: str,
    layer_norm: bool,
    replicas: int,
    seed: int = 0,
    learn: str = "W",
) -> np.ndarray:
    """Minibatch training through autograd, vectorised over the batch's rows, error at the end.

    The optimiser is `sgd`, or `sign` as Adam with betas (0, 0).
    """
    generator = torch.Generator().manual_seed(seed)
    p = torch.as_tensor(_zipf(alpha, N))
    f = torch.arange(1, N + 1) % M
    errors = np.empty(replicas)
    for r in range(replicas):
        E, U, W = (
            torch.nn.Parameter(torch.randn(rows, d, dtype=torch.float64, generator=generator) / math.sqrt(d))
            for rows in (N, M, d)
        )
        groups = [{"params": [W], "lr": lr if optimiser == "sgd" else lr / d}]
        if learn == "all":
            groups.append({"params": [E, U], "lr": lr if optimiser == "sgd" else lr / math.sqrt(d)})
        else:
            E.requires_grad_(False)
            U.requires_grad_(False)
        stepper: torch.optim.Optimizer
        stepper = torch.optim.SGD(groups, lr=lr) if optimiser == "sgd" else torch.optim.Adam(groups, betas=(0.0, 0.0))
        samples = torch.multinomial(p, T, replacement=True, generator=generator)
        for t in range(0, T, batch):
            x = samples[t : t + batch]
            loss = torch.nn.functional.cross_entropy(_forward(E[x], W, U, layer_norm), f[x])
            stepper.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            stepper.step()
        with torch.no_grad():
            errors[r] = float(p[_forward(E, W, U, layer_norm).argmax(1) != f].sum())
    return errors


def _forward(e: torch.Tensor, W: torch.Tensor, U: torch.Tensor, layer_norm: bool) -> torch.Tensor:
    h = e @ W.T
    if layer_norm:
        h = h / torch.sqrt((h**2).sum(dim=1, keepdim=True) + 1e-6)
    return h @ U.T
