"""Recall of memories with two answers, and whether any matrix has random labels right.

`binary-recall` builds W = sum_x u_f(x) e_x^T. `binary-gram` uses that only G y matters, G the Gram matrix of the inputs and
y = +-1 the answers: u_f - u_other projects W e_z on (1 - u_0 . u_1) sum_x y_x y_z e_x . e_z for outputs of length one. With
E = L Q, L lower trapezoidal (Bartlett), G y = L (L^T y) costs O(N min(N, d)) for any d. `binary-labels` decides by a convex
fit whether a hyperplane through the origin realises random labels.
"""

from typing import Annotated

import torch

from asymp.models.linear import Hebbian
from asymp.models.memory import share_recalled
from asymp.montecarlo.arguments import Whole, batched, checked, one_of
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.embeddings import factor
from asymp.montecarlo.samplers.margin_fit import OneSided, separate

CHUNK = 2**20
"""Numbers held at once: 8 MB."""


@batched(lambda d, N: CHUNK // (N * d))
def sample_binary_recall(draw: Draw, *, d: Whole, N: Whole) -> torch.Tensor:
    """The share of lost items, f(x) = x mod 2; gaussian inputs, outputs on the sphere."""
    targets = torch.arange(N, device=draw.device) % 2
    keys, values = draw.gaussian((N, d)), draw.sphere((2, d))
    return 1 - share_recalled(Hebbian().store(keys, values, targets), keys, targets)


@batched(lambda d, N: CHUNK // (N * min(N, d)))
def sample_binary_gram(
    draw: Draw, *, d: Whole, N: Whole, of: Annotated[str, one_of("share", "all")] = "share"
) -> torch.Tensor:
    """The share of items that are right (of 'share'), or 1 if all are (of 'all')."""
    y = 1.0 - 2.0 * (torch.arange(N, device=draw.device) % 2).to(torch.float64)
    L = factor(draw, N, d)
    right = y * (L @ (L.mT @ y).unsqueeze(2)).squeeze(2) > 0
    return right.to(torch.float64).mean(1) if of == "share" else right.all(1).to(torch.float64)


@checked
def sample_binary_labels(draw: Draw, *, d: Whole, N: Whole, steps: Whole = 2000) -> torch.Tensor:
    """1 if a hyperplane through the origin has N random labels of gaussian points of R^d right, else 0."""
    points = draw.gaussian((N, d))
    labels = draw.signs((N, 1))
    start = (labels * points).sum(1, keepdim=True) * (d / N**0.5)
    margins = OneSided(points, labels)
    return separate(margins, start, steps=steps, tolerance=1e-3).found.to(torch.float64)


binary_recall_experiment = experiment("binary-recall", sample_binary_recall, block=256, bounds=(0.0, 1.0))
binary_gram_experiment = experiment("binary-gram", sample_binary_gram, block=16, bounds=(0.0, 1.0))
binary_labels_experiment = experiment("binary-labels", sample_binary_labels, block=512, bounds=(0.0, 1.0))
