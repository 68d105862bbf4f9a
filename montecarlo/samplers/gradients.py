"""The cross-entropy of a linear memory and its gradient, by automatic differentiation, and steps along its flow."""

from collections.abc import Callable
from typing import TypeVar

import torch

from asymp.models.linear import linear_scores

Time = TypeVar("Time", float, torch.Tensor)


def cross_entropy_gradient(W: torch.Tensor, U: torch.Tensor, x: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """The gradient in W of sum_i of labels_ik times -log softmax(U W x_i)_k, replica by replica."""
    W = W.clone().requires_grad_()
    loss = -(labels * linear_scores(W, U, x).log_softmax(2)).sum()
    (found,) = torch.autograd.grad(loss, W)
    return found


def predictions(W: torch.Tensor, U: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """What the memory predicts at its inputs: the softmax of the scores (replica, input, output)."""
    return linear_scores(W, U, x).softmax(2)


def population_loss(
    W: torch.Tensor, U: torch.Tensor, x: torch.Tensor, targets: torch.Tensor, p: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """sum_z p(z) times the cross-entropy of input x_z with its target, by replica; and the scores."""
    scores = linear_scores(W, U, x)
    chosen = targets.expand(len(x), -1)[:, :, None]
    return -(p * scores.log_softmax(2).gather(2, chosen)[:, :, 0]).sum(1), scores


def population_gradient(
    W: torch.Tensor, U: torch.Tensor, x: torch.Tensor, targets: torch.Tensor, p: torch.Tensor
) -> torch.Tensor:
    """The gradient in W of each replica's `population_loss`."""
    W = W.detach().requires_grad_()
    (found,) = torch.autograd.grad(population_loss(W, U, x, targets, p)[0].sum(), W)
    return found


def runge_kutta(slope: Callable[[torch.Tensor, Time], torch.Tensor], y: torch.Tensor, s: Time, h: Time) -> torch.Tensor:
    """y(s + h) of dy/ds = slope(y, s), by one step of the classical method of fourth order."""
    k1 = slope(y, s)
    k2 = slope(y + h / 2 * k1, s + h / 2)
    k3 = slope(y + h / 2 * k2, s + h / 2)
    k4 = slope(y + h * k3, s + h)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
