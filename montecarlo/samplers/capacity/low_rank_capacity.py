"""Memories of rank m: W = G G^T sum_x u_x e_x^T, N items with N different outputs.

Recall is measured on the memory itself. Exponents need m and d over a range where m << d, and there N is huge; for
gaussian embeddings a memory of any size can be drawn exactly in law without its items. K items are drawn, by the
triangular factors of their Gram matrices (Bartlett): Gram of the inputs, and G^T u = L xi with L L^T = G^T G. The other
items enter only by sum_x r_x (e_x . e_z), r_x = G^T u_x: given a_xz = e_x . e_z it is gaussian over the r_x, with the
covariance a^T a between the queries z, which is a Wishart matrix with N - K degrees of freedom.
"""

import math

import torch

from asymp.models.low_rank import Factored, LowRank
from asymp.models.memory import share_recalled
from asymp.montecarlo.arguments import Positive, TwoOrMore, Whole, batched, checked
from asymp.montecarlo.checks import check_whole
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.embeddings import factor
from asymp.montecarlo.samplers.growing_memory import crossing, sizes_between
from asymp.montecarlo.samplers.recalled_items import SCALE, descend, share_of_sample

ASKED = 512
CANDIDATES = 256


@batched(lambda: 1)
def sample_low_rank_recall(draw: Draw, *, d: TwoOrMore, m: Whole, N: TwoOrMore) -> torch.Tensor:
    """The share of items that are recalled, on a sample of them, all N outputs being candidates; sphere embeddings."""
    e, u, G = draw.sphere((N, d)), draw.sphere((N, d)), draw.gaussian((d, m))
    memory = LowRank(G).store(e, u, torch.arange(N, device=draw.device))
    return share_of_sample(draw, memory, e, ASKED)


def sample_low_rank_error(draw: Draw, *, d: int, m: int, N: int) -> torch.Tensor:
    """The share of items that are lost."""
    return 1 - sample_low_rank_recall(draw, d=d, m=m, N=N)


def sample_low_rank_capacity(draw: Draw, *, d: int, m: int, K: int = CANDIDATES) -> torch.Tensor:
    """The size at which half of K items are no longer recalled among the outputs of these K, for gaussian embeddings."""
    d, m, K = check_whole("d", d, low=2), check_whole("m", m, low=1, high=d), check_whole("K", K, low=2, high=d)
    # N lies near m d over the square of the largest of K normals, less what the answer's own length costs at small m.
    sizes = [N for N in sizes_between(m * d / 24, m * d / 4, per_octave=3) if N > K]
    own = torch.arange(K, device=draw.device)
    found = []
    for one in draw.batches(1):
        inputs = factor(one, K, d)[0] / math.sqrt(d)  # e_x . e_z is L L^T
        root = factor(one, m, d)[0] / math.sqrt(d * m)
        # r_x = root xi_x: hidden vectors are kept in the coordinates of xi, and a candidate reads them by root^T root xi_y.
        # Which product comes first decides half of the cost, differently for small ranks and for large ones.
        xi = one.alone.normal((K, m))
        readout = torch.linalg.multi_dot([xi, root.mT, root]).mT
        # of the K items themselves, sum_x (e_z . e_x) xi_x, one row a query
        scores = torch.linalg.multi_dot([inputs, inputs.mT, xi, readout])
        recalls, stored = [], K
        for N in sizes:
            more = factor(one, K, N - stored)[0] / math.sqrt(d)
            noise = one.alone.normal((more.shape[1], m))
            scores = scores + torch.linalg.multi_dot([inputs, more, noise, readout])
            recalls.append((scores.argmax(1) == own).to(torch.float64).mean())
            stored = N
        found.append(crossing(sizes, torch.stack(recalls)[:, None]))
    return torch.cat(found)


@checked
def sample_trained_low_rank(
    draw: Draw, *, d: TwoOrMore, m: Whole, N: TwoOrMore, steps: Whole = 200, rate: Positive = 0.03
) -> torch.Tensor:
    """Items that a matrix of rank m loses after training both factors, over those that the constructed one loses.

    Both hold the same N items, and one is added to both counts. The construction has one random factor and one correlation
    step on the other; training starts from two random factors.
    """
    e, u = (draw.sphere((N, d)) for _ in range(2))
    factor, left = (draw.normal((d, m)) / math.sqrt(m) for _ in range(2))
    right = draw.normal((m, d))
    own = torch.arange(N, device=draw.device)
    trained = Factored(left, right).store(e, u, own)
    descend(trained, steps=steps, rate=rate, scale=SCALE)
    lost = [(1 - share_recalled(memory, e, own)) * N for memory in (trained, LowRank(factor).store(e, u, own))]
    return (lost[0] + 1) / (lost[1] + 1)


low_rank_recall_experiment = experiment("low-rank-recall", sample_low_rank_recall, block=4, bounds=(0, 1))
low_rank_error_experiment = experiment("low-rank-error", sample_low_rank_error, block=4, bounds=(0.0, 1.0))
low_rank_capacity_experiment = experiment("low-rank-capacity", sample_low_rank_capacity, version=2, block=4)
trained_low_rank_experiment = experiment("trained-low-rank", sample_trained_low_rank, block=4)
