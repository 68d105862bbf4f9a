"""Gradient flow of a linear-attention memory of facts on one-hot embeddings: when tokens are learnt, and the plateau.

Logits_a = sum over the two tokens z of V(a, z) w(z); the population cross-entropy over all facts (s, r) is differentiated
automatically, and the flow integrated by the Runge-Kutta method with a fixed step. Nothing is random: every entry starts
at `init`, and every relation has D answers of its own, each taken by as many subjects.
"""

from functools import lru_cache

import torch

from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.recall.checks import check_choice, check_number, check_whole

__all__ = [
    "conserved_drift_experiment",
    "learning_time_experiment",
    "plateau_loss_experiment",
    "sample_conserved_drift",
    "sample_learning_time",
    "sample_plateau_loss",
]

STEP = 0.5
LONGEST = 8000


class _Facts:
    """All facts: subject s and relation r to the answer floor(s D/S) + r D."""

    def __init__(self, S: int, R: int, D: int, device: torch.device) -> None:
        if S % D:
            raise ValueError(f"S must be a multiple of D, so that answers are balanced; got S={S}, D={D}")
        s, r = (g.flatten() for g in torch.meshgrid(torch.arange(S), torch.arange(R), indexing="ij"))
        self.subject, self.relation = s.to(device), (S + r).to(device)
        self.answer = (s * D // S + r * D).to(device)
        self.of_relation = (torch.arange(R * D) // D)[None].eq(r[:, None]).to(device)
        self.of_subject = (torch.arange(R * D) % D)[None].eq((s * D // S)[:, None]).to(device)

    def logits(self, V: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return (V[:, self.subject] * w[self.subject] + V[:, self.relation] * w[self.relation]).T

    def slope(self, V: torch.Tensor, w: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        V, w = V.detach().requires_grad_(), w.detach().requires_grad_()
        loss = torch.nn.functional.cross_entropy(self.logits(V, w), self.answer)
        dV, dw = torch.autograd.grad(loss, (V, w))
        return -dV, -dw


@lru_cache(maxsize=16)
def _flow(S: int, R: int, D: int, init: float, device: torch.device) -> dict[str, torch.Tensor]:
    """Times, losses, probabilities and the largest drift of what is conserved, until the loss is 1 % of its start."""
    facts = _Facts(S, R, D, device)
    V = torch.full((R * D, S + R), init, dtype=torch.float64, device=device)
    w = torch.full((S + R,), init, dtype=torch.float64, device=device)
    start = V.square().sum(0) - w.square()
    rows, h = [], STEP
    for step in range(LONGEST):
        p = facts.logits(V, w).softmax(1)
        loss = -p.gather(1, facts.answer[:, None]).log().mean()
        drift = (V.square().sum(0) - w.square() - start).abs().max()
        right = p.gather(1, facts.answer[:, None]).mean()
        row = [torch.tensor(step * h, dtype=torch.float64, device=device), loss, drift, right]
        row += [(p * facts.of_relation).sum(1).mean(), (p * facts.of_subject).sum(1).mean()]
        rows.append(torch.stack(row))
        if step and float(loss) < 0.01 * float(rows[0][1]):
            break
        k1 = facts.slope(V, w)
        k2 = facts.slope(V + h / 2 * k1[0], w + h / 2 * k1[1])
        k3 = facts.slope(V + h / 2 * k2[0], w + h / 2 * k2[1])
        k4 = facts.slope(V + h * k3[0], w + h * k3[1])
        V = V + h / 6 * (k1[0] + 2 * k2[0] + 2 * k3[0] + k4[0])
        w = w + h / 6 * (k1[1] + 2 * k2[1] + 2 * k3[1] + k4[1])
    table = torch.stack(rows)
    return dict(zip(("t", "loss", "drift", "right", "relation", "subject"), table.T, strict=True))


def _checked(S: int, R: int, D: int, init: float) -> tuple[int, int, int, float]:
    sizes = [check_whole(name, value, low=2) for name, value in (("S", S), ("R", R), ("D", D))]
    return sizes[0], sizes[1], sizes[2], check_number("init", init, strict=True)


def _same(value: float | torch.Tensor, replicas: int, device: torch.device) -> torch.Tensor:
    return torch.full((replicas,), float(value), dtype=torch.float64, device=device)


def sample_learning_time(
    *,
    S: int,
    R: int,
    D: int,
    init: float = 1e-5,
    P: float = 0.5,
    token: str = "relation",
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """The time at which a token is learnt: the answers of r have probability P, or the right answer has, once r is known."""
    check_choice("token", token, ("relation", "subject"))
    found = _flow(*_checked(S, R, D, init), device)
    reached = found["relation" if token == "relation" else "right"] >= P
    if not bool(reached.any()):
        raise ValueError(f"the {token} was not learnt by the time {float(found['t'][-1]):g}; take a larger init")
    i = int(reached.double().argmax())
    level = found["relation" if token == "relation" else "right"]
    # Linear between the two steps about the crossing.
    share = (P - level[i - 1]) / (level[i] - level[i - 1])
    return _same(found["t"][i - 1] + share * STEP, replicas, device)


def sample_plateau_loss(
    *,
    S: int,
    R: int,
    D: int,
    init: float = 1e-5,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """The loss where it falls most slowly, between 95 % and 5 % of its start."""
    found = _flow(*_checked(S, R, D, init), device)
    loss = found["loss"]
    fall = -torch.diff(loss)
    middle = (loss[:-1] < 0.95 * loss[0]) & (loss[:-1] > 0.05 * loss[0])
    i = int(torch.where(middle, fall, torch.full_like(fall, 1e9)).argmin())
    return _same(loss[i], replicas, device)


def sample_conserved_drift(
    *,
    S: int,
    R: int,
    D: int,
    init: float = 1e-5,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """The largest change of |V(., z)|^2 - w(z)^2 along the flow, over all tokens z."""
    return _same(_flow(*_checked(S, R, D, init), device)["drift"].max(), replicas, device)


learning_time_experiment = experiment("learning-time", sample_learning_time, block=2)
plateau_loss_experiment = experiment("plateau-loss", sample_plateau_loss, block=2)
conserved_drift_experiment = experiment("conserved-drift", sample_conserved_drift, block=2)
