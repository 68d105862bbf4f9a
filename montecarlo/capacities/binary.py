"""Recall of memories with two answers, and whether any matrix has random labels right.

`binary-recall` builds W = sum_x u_f(x) e_x^T. `binary-gram` uses that only G y matters, G the Gram matrix of the inputs and
y = +-1 the answers: u_f - u_other projects W e_z on (1 - u_0 . u_1) sum_x y_x y_z e_x . e_z for outputs of length one. With
E = L Q, L lower trapezoidal (Bartlett), G y = L (L^T y) costs O(N min(N, d)) for any d. `binary-labels` decides by a convex
fit whether a hyperplane through the origin realises random labels.
"""

import torch

from asymp.models.linear import Hebbian
from asymp.models.memory import share_recalled
from asymp.montecarlo.capacities.margin_fit import one_sided, separate
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.recall.checks import check_choice, check_whole
from asymp.montecarlo.scores.embeddings import draw_embeddings, factor

__all__ = [
    "binary_gram_experiment",
    "binary_labels_experiment",
    "binary_recall_experiment",
    "sample_binary_gram",
    "sample_binary_labels",
    "sample_binary_recall",
]

CHUNK = 2**20
"""Numbers held at once: 8 MB."""


def sample_binary_recall(
    *, d: int, N: int, replicas: int, generator: torch.Generator, device: torch.device
) -> torch.Tensor:
    """The share of lost items, f(x) = x mod 2; gaussian inputs, outputs on the sphere."""
    d, N = check_whole("d", d), check_whole("N", N)
    targets = torch.arange(N, device=device) % 2
    lost = []
    rows = max(1, CHUNK // (N * d))
    for start in range(0, replicas, rows):
        n = min(rows, replicas - start)
        keys = draw_embeddings("gaussian", (n, N, d), generator=generator, device=device)
        values = draw_embeddings("sphere", (n, 2, d), generator=generator, device=device)
        lost.append(1 - share_recalled(Hebbian().store(keys, values, targets), keys, targets))
    return torch.cat(lost)


def sample_binary_gram(
    *, d: int, N: int, of: str = "share", replicas: int, generator: torch.Generator, device: torch.device
) -> torch.Tensor:
    """The share of items that are right (of 'share'), or 1 if all are (of 'all')."""
    d, N = check_whole("d", d), check_whole("N", N)
    check_choice("of", of, ("share", "all"))
    y = 1.0 - 2.0 * (torch.arange(N, device=device) % 2).to(torch.float64)
    found = []
    rows = max(1, CHUNK // (N * min(N, d)))
    for start in range(0, replicas, rows):
        L = factor(min(rows, replicas - start), N, d, generator=generator, device=device)
        right = y * (L @ (L.mT @ y).unsqueeze(2)).squeeze(2) > 0
        found.append(right.to(torch.float64).mean(1) if of == "share" else right.all(1).to(torch.float64))
    return torch.cat(found)


def sample_binary_labels(
    *, d: int, N: int, steps: int = 2000, replicas: int, generator: torch.Generator, device: torch.device
) -> torch.Tensor:
    """1 if a hyperplane through the origin has N random labels of gaussian points of R^d right, else 0."""
    d, N, steps = check_whole("d", d), check_whole("N", N), check_whole("steps", steps)
    points = draw_embeddings("gaussian", (replicas, N, d), generator=generator, device=device)
    labels = torch.randint(2, (replicas, N, 1), generator=generator, device=device).to(torch.float64) * 2 - 1
    start = (labels * points).sum(1, keepdim=True) * (d / N**0.5)
    margins = one_sided(points, labels)
    return separate(margins, start, steps=steps, tolerance=1e-3).found.to(torch.float64)


binary_recall_experiment = experiment("binary-recall", sample_binary_recall, block=256, bounds=(0.0, 1.0))
binary_gram_experiment = experiment("binary-gram", sample_binary_gram, block=16, bounds=(0.0, 1.0))
binary_labels_experiment = experiment("binary-labels", sample_binary_labels, block=512, bounds=(0.0, 1.0))
