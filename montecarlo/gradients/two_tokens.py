"""Full-batch training with correlated embeddings: two tokens whose inputs overlap, and many at random.

Two tokens: N = M = d = 2, unit inputs with e_1.e_2 = a, orthonormal outputs, p_1 = p. The loss is the cross-entropy and
its gradient comes from automatic differentiation. A time is the number of steps after which every token is right for
good.
"""

from typing import Any

import torch

from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.recall.checks import check_choice, check_number, check_whole
from asymp.montecarlo.scores.embeddings import draw_embeddings, uniforms

__all__ = [
    "first_step_experiment",
    "loss_rise_experiment",
    "random_time_ratio_experiment",
    "sample_first_step",
    "sample_loss_rise",
    "sample_random_time_ratio",
    "sample_time_ratio",
    "time_ratio_experiment",
]

LONGEST = 4000


def _tokens(a: torch.Tensor) -> torch.Tensor:
    """The unit inputs (1, 0) and (a, sqrt(1 - a^2)), replica by replica."""
    one, zero = torch.ones_like(a), torch.zeros_like(a)
    return torch.stack([torch.stack([one, zero], 1), torch.stack([a, (1 - a**2).clamp(min=0).sqrt()], 1)], 1)


def _loss(W: torch.Tensor, U: torch.Tensor, E: torch.Tensor, p: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Losses by replica and the scores (replica, input, output); input z has the target z mod M."""
    scores = torch.einsum("rmd,rde,rne->rnm", U, W, E)
    targets = (torch.arange(E.shape[1], device=E.device) % U.shape[1]).expand(len(E), -1)[:, :, None]
    return -(p * scores.log_softmax(2).gather(2, targets)[:, :, 0]).sum(1), scores


def _steps(
    U: torch.Tensor, E: torch.Tensor, p: torch.Tensor, eta: float, steps: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Losses (step, replica) from before the first step on, and whether all inputs are right after each step."""
    W = torch.zeros(len(E), U.shape[2], E.shape[2], dtype=torch.float64, device=E.device)
    targets = torch.arange(E.shape[1], device=E.device) % U.shape[1]
    losses, right = [], []
    for step in range(steps + 1):
        W.requires_grad_()
        loss, scores = _loss(W, U, E, p)
        losses.append(loss.detach())
        if step:
            right.append((scores.argmax(2) == targets).all(1))
        (gradient,) = torch.autograd.grad(loss.sum(), W)
        W = (W - eta * gradient).detach()
    return torch.stack(losses), torch.stack(right)


def _time(right: torch.Tensor) -> torch.Tensor:
    """The number of steps from which on all inputs are right; one more than were taken if they never stay so."""
    wrong_later = torch.flip(torch.cummax(torch.flip((~right).int(), [0]), 0).values, [0])
    return 1 + wrong_later.sum(0).double()


def _two(p: float, **how: Any) -> torch.Tensor:
    p = check_number("p", p, strict=True)
    if p >= 1:
        raise ValueError(f"p must be a number in (0, 1); got {p!r}")
    return torch.tensor([p, 1 - p], dtype=torch.float64, device=how["device"])


def sample_time_ratio(
    *,
    p: float,
    low: float,
    high: float,
    large: float = 10.0,
    small: float = 1.0,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """Time to perfect accuracy with large steps over that with small ones; every run draws its overlap in low..high."""
    how: dict[str, Any] = {"generator": generator, "device": device}
    weights = _two(p, **how)
    if not -1 < low <= high < 1:
        raise ValueError(f"low and high must satisfy -1 < low <= high < 1; got {low!r} and {high!r}")
    a = low + (high - low) * uniforms((replicas,), **how)
    E = _tokens(a)
    U = torch.eye(2, dtype=torch.float64, device=device).expand(replicas, 2, 2)
    times = []
    for eta in (check_number("large", large, strict=True), check_number("small", small, strict=True)):
        steps = 64
        while True:
            time = _time(_steps(U, E, weights, eta, steps)[1])
            # Right for good: at least as long again without a mistake.
            if bool((2 * time <= steps).all()) or steps >= LONGEST:
                break
            steps *= 2
        times.append(time)
    return times[0] / times[1]


def sample_first_step(
    *,
    eta: float,
    a: float,
    p: float,
    token: str = "rare",
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """The margin of the frequent or of the rare token after the first step."""
    check_choice("token", token, ("frequent", "rare"))
    weights = _two(p, generator=generator, device=device)
    E = _tokens(torch.full((replicas,), float(a), dtype=torch.float64, device=device))
    U = torch.eye(2, dtype=torch.float64, device=device).expand(replicas, 2, 2)
    W = torch.zeros(replicas, 2, 2, dtype=torch.float64, device=device, requires_grad=True)
    (gradient,) = torch.autograd.grad(_loss(W, U, E, weights)[0].sum(), W)
    scores = torch.einsum("rmd,rde,rne->rnm", U, -float(eta) * gradient, E)
    z = 0 if token == "frequent" else 1
    return scores[:, z, z] - scores[:, z, 1 - z]


def sample_loss_rise(
    *,
    eta: float,
    a: float,
    p: float,
    steps: int = 64,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """The largest rise of the loss in one step over training from a random start; below 0 if it only falls."""
    how: dict[str, Any] = {"generator": generator, "device": device}
    weights = _two(p, **how)
    E = _tokens(torch.full((replicas,), float(a), dtype=torch.float64, device=device))
    U = torch.eye(2, dtype=torch.float64, device=device).expand(replicas, 2, 2)
    W = draw_embeddings("gaussian", (replicas, 2, 2), **how)
    losses = []
    for _ in range(check_whole("steps", steps) + 1):
        W.requires_grad_()
        loss, _ = _loss(W, U, E, weights)
        losses.append(loss.detach())
        (gradient,) = torch.autograd.grad(loss.sum(), W)
        W = (W - float(eta) * gradient).detach()
    return torch.diff(torch.stack(losses), dim=0).amax(0)


def sample_random_time_ratio(
    *,
    d: int,
    N: int,
    M: int,
    alpha: float = 1.0,
    large: float = 100.0,
    small: float = 1.0,
    steps: int = 2000,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """Time to perfect accuracy with large over small steps, N inputs at random on the sphere, p(x) ~ x^-alpha.

    A run that is not right for good within `steps` counts with steps + 1.
    """
    d, N, M, steps = (check_whole(n, v) for n, v in (("d", d), ("N", N), ("M", M), ("steps", steps)))
    how: dict[str, Any] = {"generator": generator, "device": device}
    E, U = draw_embeddings("sphere", (replicas, N, d), **how), draw_embeddings("sphere", (replicas, M, d), **how)
    p = torch.arange(1, N + 1, dtype=torch.float64, device=device) ** -float(alpha)
    p = p / p.sum()
    times = [_time(_steps(U, E, p, float(eta), steps)[1]) for eta in (large, small)]
    return times[0] / times[1]


time_ratio_experiment = experiment("two-token-times", sample_time_ratio, block=8)
first_step_experiment = experiment("two-token-first-step", sample_first_step, block=4)
loss_rise_experiment = experiment("two-token-loss-rise", sample_loss_rise, block=32)
random_time_ratio_experiment = experiment("random-token-times", sample_random_time_ratio, block=8)
