"""Gradient flow of a linear-attention memory of facts on one-hot embeddings: when tokens are learnt, and the plateau.

Logits_a = sum over the two tokens z of V(a, z) w(z); the population cross-entropy over all facts (s, r) is differentiated
automatically, and the flow integrated by the Runge-Kutta method with a fixed step. Nothing is random: every entry starts
at `init`, and every relation has D answers of its own, each taken by as many subjects.
"""

from functools import lru_cache
from typing import Annotated

import torch

from asymp.montecarlo.arguments import Positive, TwoOrMore, checked, one_of
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.gradients import runge_kutta

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

    def logits(self, state: torch.Tensor) -> torch.Tensor:
        """The state has the rows of V and w below them."""
        V, w = state[:-1], state[-1]
        return (V[:, self.subject] * w[self.subject] + V[:, self.relation] * w[self.relation]).T

    def slope(self, state: torch.Tensor, time: float) -> torch.Tensor:
        state = state.detach().requires_grad_()
        loss = torch.nn.functional.cross_entropy(self.logits(state), self.answer)
        return -torch.autograd.grad(loss, state)[0]


@lru_cache(maxsize=16)
def fact_losses(S: int, R: int, D: int, init: float, device: torch.device) -> dict[str, torch.Tensor]:
    """Times, losses, probabilities and both factors' squares, token by token, until the loss is 1 % of its start."""
    facts = _Facts(S, R, D, device)
    state = torch.full((R * D + 1, S + R), init, dtype=torch.float64, device=device)
    rows, squares, h = [], [], STEP
    for step in range(LONGEST):
        p = facts.logits(state).softmax(1)
        loss = -p.gather(1, facts.answer[:, None]).log().mean()
        squares.append(torch.stack((state[:-1].square().sum(0), state[-1])))
        right = p.gather(1, facts.answer[:, None]).mean()
        row = [torch.tensor(step * h, dtype=torch.float64, device=device), loss, right]
        row += [(p * facts.of_relation).sum(1).mean(), (p * facts.of_subject).sum(1).mean()]
        rows.append(torch.stack(row))
        if step and float(loss) < 0.01 * float(rows[0][1]):
            break
        state = runge_kutta(facts.slope, state, step * h, h)
    table = torch.stack(rows)
    found = dict(zip(("t", "loss", "right", "relation", "subject"), table.T, strict=True))
    return {**found, **dict(zip(("V", "w"), torch.stack(squares, 1), strict=True))}


def _same(draw: Draw, value: torch.Tensor) -> torch.Tensor:
    return torch.full((draw.replicas,), float(value), dtype=torch.float64, device=draw.device)


@checked
def sample_learning_time(
    draw: Draw,
    *,
    S: TwoOrMore,
    R: TwoOrMore,
    D: TwoOrMore,
    init: Positive = 1e-5,
    P: float = 0.5,
    token: Annotated[str, one_of("relation", "subject")] = "relation",
) -> torch.Tensor:
    """The time at which a token is learnt: the answers of r have probability P, or the right answer has, once r is known."""
    found = fact_losses(S, R, D, init, draw.device)
    level = found["relation" if token == "relation" else "right"]
    reached = level >= P
    if not bool(reached.any()):
        raise ValueError(f"the {token} was not learnt by the time {float(found['t'][-1]):g}; take a larger init")
    i = int(reached.double().argmax())
    # Linear between the two steps about the crossing.
    share = (P - level[i - 1]) / (level[i] - level[i - 1])
    return _same(draw, found["t"][i - 1] + share * STEP)


@checked
def sample_plateau_loss(draw: Draw, *, S: TwoOrMore, R: TwoOrMore, D: TwoOrMore, init: Positive = 1e-5) -> torch.Tensor:
    """The loss where it falls most slowly, between 95 % and 5 % of its start."""
    found = fact_losses(S, R, D, init, draw.device)
    loss = found["loss"]
    fall = -torch.diff(loss)
    middle = (loss[:-1] < 0.95 * loss[0]) & (loss[:-1] > 0.05 * loss[0])
    i = int(torch.where(middle, fall, torch.full_like(fall, 1e9)).argmin())
    return _same(draw, loss[i])


@checked
def sample_final_loss(draw: Draw, *, S: TwoOrMore, R: TwoOrMore, D: TwoOrMore, init: Positive = 1e-5) -> torch.Tensor:
    """The loss at the end over that at the start: after 4000 units of time, or when it is below 1 %."""
    loss = fact_losses(S, R, D, init, draw.device)["loss"]
    return _same(draw, loss[-1] / loss[0])


@checked
def sample_conserved_drift(
    draw: Draw, *, S: TwoOrMore, R: TwoOrMore, D: TwoOrMore, init: Positive = 1e-5
) -> dict[str, torch.Tensor]:
    """|V(., z)|^2 of every token z along the flow, with w(z), the number A of answers and the start `init` of every entry."""
    found = fact_losses(S, R, D, init, draw.device)
    answers, start = (torch.tensor(float(x), dtype=torch.float64, device=draw.device) for x in (R * D, init))
    drawn = {"measured": found["V"], "w": found["w"], "A": answers, "init": start}
    return {name: v.expand(draw.replicas, *v.shape) for name, v in drawn.items()}


# the flow starts at a given point: nothing is random
learning_time_experiment = experiment("learning-time", sample_learning_time, block=2, deterministic=True)
plateau_loss_experiment = experiment("plateau-loss", sample_plateau_loss, block=2, deterministic=True)
conserved_drift_experiment = experiment("conserved-drift", sample_conserved_drift, version=2, block=2)
final_loss_experiment = experiment("final-loss", sample_final_loss, block=2, deterministic=True)
