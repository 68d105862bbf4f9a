"""Is there a matrix that has all items right? A convex fit of the margins, batched over problems, with certificates.

The margins m_i(W) of a problem are linear in W: <A_i, W>, or the least of several such. W is right if all are positive, and
can then be scaled until all are at least 1, so the convex loss F(W) = sum_i (1 - m_i)_+^2 / 2 reaches 0 exactly if there is
such a W. It is
minimised by accelerated gradient steps (Nesterov; step sizes by backtracking, momentum restarted when F grows). Both
answers are certified: any W on the way with all margins positive proves yes. With the multipliers l_i = (1 - m_i)_+, every
W of norm one has min_i m_i <= <sum l_i A_i, W>/sum l_i <= |grad F|/sum l_i, so a gradient this small proves no, up to a
margin too small to matter (`tolerance`). What neither has shown after `steps` counts as no.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

__all__ = ["Margins", "Separation", "best_pairs", "list_means", "one_sided", "separate"]


@dataclass(frozen=True)
class Margins:
    """A batch of problems: `value(W)` gives F, `slope(W)` F and its gradient, `certificates(W)` the gradient, the sum of the
    multipliers and the smallest true margin."""

    value: Callable[[Tensor], Tensor]
    slope: Callable[[Tensor], tuple[Tensor, Tensor]]
    certificates: Callable[[Tensor], tuple[Tensor, Tensor, Tensor]]
    select: Callable[[Tensor], "Margins"]
    shape: tuple[int, int, int]


@dataclass(frozen=True)
class Separation:
    """`found`: a W with positive margins was found; `decided`: one of the certificates was reached; `weight`: that W."""

    found: Tensor
    decided: Tensor
    weight: Tensor
    steps: int


def best_pairs(keys: Tensor, values: Tensor) -> Margins:
    """The margins u_z . W e_z - u_y . W e_z of all z and y != z, for inputs `keys` and outputs `values` (problems, N, d)."""
    N = keys.shape[1]
    own = torch.eye(N, dtype=torch.bool, device=keys.device)

    def shortfall(W: Tensor) -> tuple[Tensor, Tensor]:
        scores = (keys @ W.mT) @ values.mT
        margins = scores.diagonal(dim1=1, dim2=2).unsqueeze(2) - scores
        return margins, (1 - margins).clamp_(min=0).masked_fill_(own, 0)

    def value(W: Tensor) -> Tensor:
        return shortfall(W)[1].square_().sum((1, 2)) / 2

    def gradient(short: Tensor) -> Tensor:
        return (short @ values - short.sum(2, keepdim=True) * values).mT @ keys

    def slope(W: Tensor) -> tuple[Tensor, Tensor]:
        short = shortfall(W)[1]
        return short.square().sum((1, 2)) / 2, gradient(short)

    def certificates(W: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        margins, short = shortfall(W)
        return gradient(short), short.sum((1, 2)), margins.masked_fill_(own, torch.inf).amin((1, 2))

    def select(rows: Tensor) -> Margins:
        return best_pairs(keys.index_select(0, rows), values.index_select(0, rows))

    return Margins(value, slope, certificates, select, _square(keys, values))


def list_means(keys: Tensor, values: Tensor, fraction: float) -> Margins:
    """The margins of the answers above the mean of the top `fraction` of their N - 1 competitors' scores.

    The mean of the K largest is max <w, s> over 0 <= w <= 1/K, sum w = 1: the least of many linear margins, with kinks that
    gradient steps do not like. The loss has max <w, s> - (K/2) sum w^2 + 1/2 in its place, which is smooth and larger by at
    most 1/2: margins of at least 1 then are margins above 1/2, and the answer is the same.
    """
    N = keys.shape[1]
    top = max(1, round(fraction * (N - 1)))
    if top == N - 1:
        return one_sided(keys, values - (values.sum(1, keepdim=True) - values) / top)
    itself = torch.eye(N, dtype=torch.bool, device=keys.device)

    def shortfall(W: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        scores = (keys @ W.mT) @ values.mT
        own = scores.diagonal(dim1=1, dim2=2)
        others = scores.masked_fill(itself, -torch.inf)
        best = others.topk(top, dim=2, sorted=False).values
        weight = _smooth_top(others, best.amin(2, keepdim=True), top)
        smooth = (weight * scores).sum(2) - top / 2 * weight.square().sum(2) + 0.5
        return (1 - own + smooth).clamp_(min=0), weight, own - best.mean(2)

    def value(W: Tensor) -> Tensor:
        return shortfall(W)[0].square().sum(1) / 2

    def gradient(short: Tensor, weight: Tensor) -> Tensor:
        return (short.unsqueeze(2) * (weight @ values - values)).mT @ keys

    def slope(W: Tensor) -> tuple[Tensor, Tensor]:
        short, weight, _ = shortfall(W)
        return short.square().sum(1) / 2, gradient(short, weight)

    def certificates(W: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        short, weight, margins = shortfall(W)
        return gradient(short, weight), short.sum(1), margins.amin(1)

    def select(rows: Tensor) -> Margins:
        return list_means(keys.index_select(0, rows), values.index_select(0, rows), fraction)

    return Margins(value, slope, certificates, select, _square(keys, values))


def one_sided(keys: Tensor, sides: Tensor) -> Margins:
    """The margins a_z . W e_z, one an item, a_z the rows of `sides`: no table of scores is needed."""

    def margins_of(W: Tensor) -> Tensor:
        return ((keys @ W.mT) * sides).sum(2)

    def value(W: Tensor) -> Tensor:
        return (1 - margins_of(W)).clamp_(min=0).square_().sum(1) / 2

    def gradient(short: Tensor) -> Tensor:
        return -((short.unsqueeze(2) * sides).mT @ keys)

    def slope(W: Tensor) -> tuple[Tensor, Tensor]:
        short = (1 - margins_of(W)).clamp_(min=0)
        return short.square().sum(1) / 2, gradient(short)

    def certificates(W: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        margins = margins_of(W)
        short = (1 - margins).clamp_(min=0)
        return gradient(short), short.sum(1), margins.amin(1)

    def select(rows: Tensor) -> Margins:
        return one_sided(keys.index_select(0, rows), sides.index_select(0, rows))

    return Margins(value, slope, certificates, select, _square(keys, sides))


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


def _square(keys: Tensor, values: Tensor) -> tuple[int, int, int]:
    return keys.shape[0], values.shape[2], keys.shape[2]


def separate(
    margins: Margins, start: Tensor, *, steps: int = 2000, tolerance: float = 0.005, look: int = 20
) -> Separation:
    """Run the fit from `start` (problems, d_out, d_in). `tolerance` is a margin in units of |W|/d, the size of a score."""
    problems, d = margins.shape[0], max(margins.shape[1:])
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
