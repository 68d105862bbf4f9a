"""The recall error of a memory of two answers whose labels are wrong now and then, with a function drawn at random.

The memory knows p(y|x): W = sum over x and y of q(x) p(y|x) u_y e_x^T. The answer asked for is the likelier one, f(x).
"""

from typing import Annotated

import torch

from asymp.montecarlo.arguments import Domain, Number, TwoOrMore, Whole, batched
from asymp.montecarlo.checks import check_number
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.zipf import zipf_law

__all__ = ["noisy_labels_experiment"]


def check_flip(name: str, value: object) -> float:
    """How often a label is wrong: below one half, or the other answer is the likelier one."""
    flip = check_number(name, value)
    if flip >= 0.5:
        raise ValueError(f"{name} must be below 0.5, from where on the other answer is the likelier one; got {flip:g}")
    return flip


@batched(lambda N, d: 2**18 // (N * (N + d)))
def sample_noisy_labels(
    draw: Draw,
    *,
    alpha: Number,
    N: Whole,
    d: TwoOrMore,
    rho: Number = 0.0,
    flip: Annotated[float, Domain(check_flip)] = 0.25,
) -> torch.Tensor:
    """The probability of the inputs whose largest score is not that of their likelier answer; W is formed."""
    f = draw.integers(2, (N,))
    p = zipf_law(alpha, N, draw.device)
    labels = torch.full((draw.replicas, N, 2), flip, dtype=torch.float64, device=draw.device)
    labels.scatter_(2, f[:, :, None], 1 - flip)
    U, E = draw.sphere((2, d)), draw.gaussian((N, d))
    W = (labels * (p**rho)[:, None] @ U).mT @ E
    scores = U @ (W @ E.mT)
    return ((scores.argmax(1) != f) * p).sum(1)


noisy_labels_experiment = experiment("noisy-labels", sample_noisy_labels, block=200, bounds=(0.0, 1.0))
