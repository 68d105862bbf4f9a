"""Full-batch training with correlated embeddings: two tokens whose inputs overlap, and many at random.

Two tokens: N = M = d = 2, unit inputs with e_1.e_2 = a, orthonormal outputs, p_1 = p. The loss is the cross-entropy and
its gradient comes from automatic differentiation. A time is the number of steps after which every token is right for
good.
"""

from typing import Annotated

import torch

from asymp.models.linear import linear_scores
from asymp.montecarlo.arguments import Positive, Whole, checked, one_of
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.gradients import population_gradient, population_loss
from asymp.montecarlo.samplers.zipf import zipf_law

LONGEST = 4000


def _tokens(a: torch.Tensor) -> torch.Tensor:
    """The unit inputs (1, 0) and (a, sqrt(1 - a^2)), replica by replica."""
    one, zero = torch.ones_like(a), torch.zeros_like(a)
    return torch.stack([torch.stack([one, zero], 1), torch.stack([a, (1 - a**2).clamp(min=0).sqrt()], 1)], 1)


def _steps(
    W: torch.Tensor, U: torch.Tensor, E: torch.Tensor, p: torch.Tensor, eta: float, steps: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Losses (step, replica) from before the first step on, and whether all inputs are right after each step.

    Training starts at W; input z has the target z mod M.
    """
    targets = torch.arange(E.shape[1], device=E.device) % U.shape[1]
    losses, right = [], []
    for step in range(steps + 1):
        W.requires_grad_()
        loss, scores = population_loss(W, U, E, targets, p)
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


def _two(draw: Draw, p: float) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The probabilities of two tokens, their outputs and the first matrix, 0."""
    if p >= 1:
        raise ValueError(f"p must be a number in (0, 1); got {p!r}")
    outputs = torch.eye(2, dtype=torch.float64, device=draw.device).expand(draw.replicas, 2, 2)
    return torch.tensor([p, 1 - p], dtype=torch.float64, device=draw.device), outputs, draw.zeros((2, 2))


@checked
def sample_time_ratio(
    draw: Draw, *, p: Positive, low: float, high: float, large: Positive = 10.0, small: Positive = 1.0
) -> torch.Tensor:
    """Time to perfect accuracy with large steps over that with small ones; every run draws its overlap in low..high."""
    weights, U, W = _two(draw, p)
    if not -1 < low <= high < 1:
        raise ValueError(f"low and high must satisfy -1 < low <= high < 1; got {low!r} and {high!r}")
    E = _tokens(draw.uniform(low, high))
    times = []
    for eta in (large, small):
        steps = 64
        while True:
            time = _time(_steps(W, U, E, weights, eta, steps)[1])
            # Right for good: at least as long again without a mistake.
            if bool((2 * time <= steps).all()) or steps >= LONGEST:
                break
            steps *= 2
        times.append(time)
    return times[0] / times[1]


@checked
def sample_first_step(
    draw: Draw, *, eta: float, a: float, p: Positive, token: Annotated[str, one_of("frequent", "rare")] = "rare"
) -> torch.Tensor:
    """The margin of the frequent or of the rare token after the first step."""
    weights, U, W = _two(draw, p)
    E = _tokens(torch.full((draw.replicas,), float(a), dtype=torch.float64, device=draw.device))
    gradient = population_gradient(W, U, E, torch.arange(2, device=draw.device), weights)
    scores = linear_scores(-float(eta) * gradient, U, E)
    z = 0 if token == "frequent" else 1
    return scores[:, z, z] - scores[:, z, 1 - z]


@checked
def sample_loss_rise(draw: Draw, *, eta: float, a: float, p: Positive, steps: Whole = 64) -> torch.Tensor:
    """The largest rise of the loss in one step over training from a random start; below 0 if it only falls."""
    weights, U, _ = _two(draw, p)
    E = _tokens(torch.full((draw.replicas,), float(a), dtype=torch.float64, device=draw.device))
    losses, _ = _steps(draw.gaussian((2, 2)), U, E, weights, float(eta), steps)
    return torch.diff(losses, dim=0).amax(0)


@checked
def sample_random_time_ratio(
    draw: Draw,
    *,
    d: Whole,
    N: Whole,
    M: Whole,
    alpha: float = 1.0,
    large: float = 100.0,
    small: float = 1.0,
    steps: Whole = 2000,
) -> torch.Tensor:
    """Time to perfect accuracy with large over small steps, N inputs at random on the sphere, p(x) ~ x^-alpha.

    A run that is not right for good within `steps` counts with steps + 1.
    """
    E, U = draw.sphere((N, d)), draw.sphere((M, d))
    p = zipf_law(float(alpha), N, draw.device)
    times = [_time(_steps(draw.zeros((d, d)), U, E, p, float(eta), steps)[1]) for eta in (large, small)]
    return times[0] / times[1]


time_ratio_experiment = experiment("two-token-times", sample_time_ratio, block=8)
# two tokens with a given overlap: nothing else is random
first_step_experiment = experiment("two-token-first-step", sample_first_step, block=4, deterministic=True)
loss_rise_experiment = experiment("two-token-loss-rise", sample_loss_rise, block=32)
random_time_ratio_experiment = experiment("random-token-times", sample_random_time_ratio, block=8)
