"""Memories of rank m: W = G G^T sum_x u_x e_x^T, N items with N different outputs.

Recall is measured on the memory itself. Exponents need m and d over a range where m << d, and there N is huge; for
gaussian embeddings a memory of any size can be drawn exactly in law without its items. K items are drawn, by the
triangular factors of their Gram matrices (Bartlett): Gram of the inputs, and G^T u = L xi with L L^T = G^T G. The other
items enter only by sum_x r_x (e_x . e_z), r_x = G^T u_x: given a_xz = e_x . e_z it is gaussian over the r_x, with the
covariance a^T a between the queries z, which is a Wishart matrix with N - K degrees of freedom.
"""

import math

import torch

from asymp.models.low_rank import LowRank
from asymp.models.memory import sampled_items, share_recalled
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.memories.grow import crossing, sizes_between
from asymp.montecarlo.recall.checks import check_whole
from asymp.montecarlo.scores.embeddings import draw_embeddings, factor, normals

__all__ = [
    "low_rank_capacity_experiment",
    "low_rank_error_experiment",
    "low_rank_recall_experiment",
    "sample_low_rank_capacity",
    "sample_low_rank_error",
    "sample_low_rank_recall",
]

ASKED = 512
CANDIDATES = 256


def sample_low_rank_recall(
    *, d: int, m: int, N: int, replicas: int, generator: torch.Generator, device: torch.device
) -> torch.Tensor:
    """The share of items that are recalled, on a sample of them, all N outputs being candidates; sphere embeddings."""
    d, m, N = check_whole("d", d, low=2), check_whole("m", m), check_whole("N", N, low=2)
    found = []
    for _ in range(replicas):
        e = draw_embeddings("sphere", (1, N, d), generator=generator, device=device)
        u = draw_embeddings("sphere", (1, N, d), generator=generator, device=device)
        G = normals((1, d, m), generator=generator, device=device).mul_(1 / math.sqrt(m))
        asked = sampled_items(N, ASKED, replicas=1, generator=generator, device=device)
        memory = LowRank(G).store(e, u, torch.arange(N, device=device))
        queries = e.gather(1, asked[..., None].expand(-1, -1, d))
        found.append(share_recalled(memory, queries, asked))
    return torch.cat(found)


def sample_low_rank_error(
    *, d: int, m: int, N: int, replicas: int, generator: torch.Generator, device: torch.device
) -> torch.Tensor:
    """The share of items that are lost."""
    return 1 - sample_low_rank_recall(d=d, m=m, N=N, replicas=replicas, generator=generator, device=device)


def sample_low_rank_capacity(
    *, d: int, m: int, K: int = CANDIDATES, replicas: int, generator: torch.Generator, device: torch.device
) -> torch.Tensor:
    """The size at which half of K items are no longer recalled among the outputs of these K, for gaussian embeddings."""
    d, m, K = check_whole("d", d, low=2), check_whole("m", m, low=1, high=d), check_whole("K", K, low=2, high=d)
    # N lies near m d over the square of the largest of K normals, less what the answer's own length costs at small m.
    sizes = [N for N in sizes_between(m * d / 24, m * d / 4, per_octave=3) if N > K]
    own = torch.arange(K, device=device)
    found = []
    for _ in range(replicas):
        inputs = factor(1, K, d, generator=generator, device=device)[0] / math.sqrt(d)  # e_x . e_z is L L^T
        root = factor(1, m, d, generator=generator, device=device)[0] / math.sqrt(d * m)
        # r_x = root xi_x: hidden vectors are kept in the coordinates of xi, and a candidate reads them by root^T root xi_y.
        # Which product comes first decides half of the cost, differently for small ranks and for large ones.
        xi = normals((K, m), generator=generator, device=device)
        readout = torch.linalg.multi_dot([xi, root.mT, root]).mT
        # of the K items themselves, sum_x (e_z . e_x) xi_x, one row a query
        scores = torch.linalg.multi_dot([inputs, inputs.mT, xi, readout])
        recalls, stored = [], K
        for N in sizes:
            more = factor(1, K, N - stored, generator=generator, device=device)[0] / math.sqrt(d)
            noise = normals((more.shape[1], m), generator=generator, device=device)
            scores = scores + torch.linalg.multi_dot([inputs, more, noise, readout])
            recalls.append((scores.argmax(1) == own).to(torch.float64).mean())
            stored = N
        found.append(crossing(sizes, torch.stack(recalls)[:, None]))
    return torch.cat(found)


low_rank_recall_experiment = experiment("low-rank-recall", sample_low_rank_recall, block=4, bounds=(0, 1))
low_rank_error_experiment = experiment("low-rank-error", sample_low_rank_error, block=4)
low_rank_capacity_experiment = experiment("low-rank-capacity", sample_low_rank_capacity, version=2, block=4)
