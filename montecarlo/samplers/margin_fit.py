"""Is there a matrix that has all items right? A convex fit of the margins, batched over problems, with certificates.

The margins m_i(W) of a problem are linear in W: <A_i, W>, or the least of several such. W is right if all are positive, and
can then be scaled until all are at least 1, so the convex loss F(W) = sum_i (1 - m_i)_+^2 / 2 reaches 0 exactly if there is
such a W. It is minimised by accelerated gradient steps (Nesterov; step sizes by backtracking, momentum restarted when F
grows). Both
answers are certified: any W on the way with all margins positive proves yes. With the multipliers l_i = (1 - m_i)_+, every
W of norm one has min_i m_i <= <sum l_i A_i, W>/sum l_i <= |grad F|/sum l_i, so a gradient this small proves no, up to a
margin too small to matter (`tolerance`). What neither has shown after `steps` counts as no.
"""

from abc import ABC, abstractmethod
from copy import copy
from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor


class Margins(ABC):
    """The margins m_i(W) of a batch of problems, from inputs `keys` and output vectors `sides` (problems, N, d)."""

    axes: tuple[int, ...] = (1,)
    """The axes of a problem's margins."""

    def __init__(self, keys: Tensor, sides: Tensor) -> None:
        self.keys, self.sides = keys, sides

    @abstractmethod
    def shortfall(self, W: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The multipliers l_i = (1 - m_i)_+, the margins, and what `gradient` needs besides the multipliers."""

    @abstractmethod
    def gradient(self, short: Tensor, needed: Tensor) -> Tensor:
        """The gradient of F in W."""

    def smallest(self, margins: Tensor) -> Tensor:
        """The smallest margin of each problem."""
        return margins.amin(self.axes)

    def value(self, W: Tensor) -> Tensor:
        """F(W)."""
        return self.shortfall(W)[0].square_().sum(self.axes) / 2

    def slope(self, W: Tensor) -> tuple[Tensor, Tensor]:
        """F(W) and its gradient."""
        short, _, needed = self.shortfall(W)
        return short.square().sum(self.axes) / 2, self.gradient(short, needed)

    def certificates(self, W: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The gradient, the sum of the multipliers and the smallest margin."""
        short, margins, needed = self.shortfall(W)
        return self.gradient(short, needed), short.sum(self.axes), self.smallest(margins)

    def select(self, rows: Tensor) -> Self:
        """Some of the problems alone."""
        other = copy(self)
        other.keys, other.sides = (x.index_select(0, rows) for x in (self.keys, self.sides))
        return other


@dataclass(frozen=True)
class Separation:
    """`found`: a W with positive margins was found; `decided`: one of the certificates was reached; `weight`: that W."""

    found: Tensor
    decided: Tensor
    weight: Tensor
    steps: int


class BestPairs(Margins):
    """The margins u_z . W e_z - u_y . W e_z of all z and y != z: each answer above every other output."""

    axes = (1, 2)

    def __init__(self, keys: Tensor, sides: Tensor) -> None:
        super().__init__(keys, sides)
        self.own = torch.eye(keys.shape[1], dtype=torch.bool, device=keys.device)

    def shortfall(self, W: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        scores = (self.keys @ W.mT) @ self.sides.mT
        margins = scores.diagonal(dim1=1, dim2=2).unsqueeze(2) - scores
        return (1 - margins).clamp_(min=0).masked_fill_(self.own, 0), margins, scores

    def gradient(self, short: Tensor, needed: Tensor) -> Tensor:
        return (short @ self.sides - short.sum(2, keepdim=True) * self.sides).mT @ self.keys

    def smallest(self, margins: Tensor) -> Tensor:
        return super().smallest(margins.masked_fill_(self.own, torch.inf))


class TopMeans(Margins):
    """The margins of the answers above the mean of the `top` largest of their N - 1 competitors' scores.

    The mean of the K largest is max <w, s> over 0 <= w <= 1/K, sum w = 1: the least of many linear margins, with kinks that
    gradient steps do not like. The loss has max <w, s> - (K/2) sum w^2 + 1/2 in its place, which is smooth and larger by at
    most 1/2: margins of at least 1 then are margins above 1/2, and the answer is the same.
    """

    def __init__(self, keys: Tensor, sides: Tensor, top: int) -> None:
        super().__init__(keys, sides)
        self.top = top
        self.itself = torch.eye(keys.shape[1], dtype=torch.bool, device=keys.device)

    def shortfall(self, W: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        scores = (self.keys @ W.mT) @ self.sides.mT
        own = scores.diagonal(dim1=1, dim2=2)
        others = scores.masked_fill(self.itself, -torch.inf)
        best = others.topk(self.top, dim=2, sorted=False).values
        weight = _smooth_top(others, best.amin(2, keepdim=True), self.top)
        smooth = (weight * scores).sum(2) - self.top / 2 * weight.square().sum(2) + 0.5
        return (1 - own + smooth).clamp_(min=0), own - best.mean(2), weight

    def gradient(self, short: Tensor, needed: Tensor) -> Tensor:
        return (short.unsqueeze(2) * (needed @ self.sides - self.sides)).mT @ self.keys


class OneSided(Margins):
    """The margins a_z . W e_z, one an item, a_z the rows of `sides`: no table of scores is needed."""

    def shortfall(self, W: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        margins = ((self.keys @ W.mT) * self.sides).sum(2)
        return (1 - margins).clamp_(min=0), margins, margins

    def gradient(self, short: Tensor, needed: Tensor) -> Tensor:
        return -((short.unsqueeze(2) * self.sides).mT @ self.keys)


def list_means(keys: Tensor, values: Tensor, fraction: float) -> Margins:
    """The margins of the answers above the mean of the top `fraction` of their N - 1 competitors' scores."""
    N = keys.shape[1]
    top = max(1, round(fraction * (N - 1)))
    if top == N - 1:  # the mean of all competitors is linear
        return OneSided(keys, values - (values.sum(1, keepdim=True) - values) / top)
    return TopMeans(keys, values, top)


def _smooth_top(scores: Tensor, edge: Tensor, top: int) -> Tensor:
    """w = min(max(s - t, 0), 1)/K with sum w = 1, t within 1 below the K-th largest score.

    Bisection to 1/32, then Newton's steps, which end at the root itself: the sum is piecewise linear in t. A root known to a
    thousandth only would give a gradient that does not belong to the loss, and stall the descent.
    """
    low, width = edge - 1, 1.0
    for _ in range(5):
        width /= 2
        middle = low + width
        low = torch.where((scores - middle).clamp_(0, 1).sum(2, keepdim=True) > top, middle, low)
    for _ in range(5):
        part = (scores - low).clamp_(0, 1)
        free = ((part > 0) & (part < 1)).sum(2, keepdim=True).clamp_(min=1)
        low = low + (part.sum(2, keepdim=True) - top) / free
    return (scores - low).clamp_(0, 1) / top


def separate(
    margins: Margins, start: Tensor, *, steps: int = 2000, tolerance: float = 0.005, look: int = 20
) -> Separation:
    """Run the fit from `start` (problems, d_out, d_in). `tolerance` is a margin in units of |W|/d, the size of a score."""
    problems, d = len(start), max(start.shape[1:])
    device = start.device
    found = torch.zeros(problems, dtype=torch.bool, device=device)
    decided = torch.zeros(problems, dtype=torch.bool, device=device)
    weight = start.clone()
    rows = torch.arange(problems, device=device)
    run = _Run(margins, start)
    done = 0
    for done in range(1, steps + 1):
        run.step()
        if done % look and done != steps:
            continue
        gradient, multipliers, smallest = run.margins.certificates(run.point)
        yes = smallest > 0
        no = gradient.flatten(1).norm(dim=1) * d <= tolerance * multipliers
        if done < look:  # a run too short to look at has nothing to drop
            found, decided, weight = yes, yes | no, run.point
            break
        found[rows] = yes
        decided[rows] = yes | no
        weight[rows] = run.point
        left = torch.nonzero(~(yes | no)).flatten()
        if len(left) == 0:
            break
        if len(left) < len(rows):
            rows, run = rows[left], run.select(left)
    return Separation(found=found, decided=decided, weight=weight, steps=done)


class _Run:
    """Accelerated gradient descent on a batch, each problem with a step size and a momentum of its own."""

    def __init__(self, margins: Margins, start: Tensor) -> None:
        self.margins = margins
        self.point = start.clone()
        self.before = start.clone()
        self.clock = start.new_ones(len(start))
        self.curvature = start.new_ones(len(start))
        self.value = margins.value(self.point)

    def select(self, rows: Tensor) -> "_Run":
        """The run of some of the problems alone."""
        other = object.__new__(_Run)
        other.margins = self.margins.select(rows)
        for name in ("point", "before", "clock", "curvature", "value"):
            setattr(other, name, getattr(self, name).index_select(0, rows))
        return other

    def step(self) -> None:
        """One step from the extrapolated point; the curvature is doubled when it was too small, lowered a little when not."""
        clock = (1 + (1 + 4 * self.clock.square()).sqrt()) / 2
        ahead = self.point + ((self.clock - 1) / clock).view(-1, 1, 1) * (self.point - self.before)
        value, slope = self.margins.slope(ahead)
        size = slope.flatten(1).square().sum(1)
        trial = ahead - slope / self.curvature.view(-1, 1, 1)
        new = self.margins.value(trial)
        # enough decrease for this curvature? else stay, and try the next step with a larger one
        good = new <= value - size / (2 * self.curvature) + 1e-12 * value
        worse = good & (new > self.value)
        keep, restart = good.view(-1, 1, 1), worse.view(-1, 1, 1)
        self.before = torch.where(restart, trial, torch.where(keep, self.point, self.before))
        self.point = torch.where(keep, trial, self.point)
        self.clock = torch.where(worse, 1.0, torch.where(good, clock, self.clock))
        self.curvature = torch.where(good, self.curvature * 0.95, self.curvature * 2)
        self.value = torch.where(good, new, self.value)
