"""Induction heads written down by hand: three memories as sums of outer products of random embeddings.

Embeddings and sequences are drawn; measured are the in-context accuracy of the head, its gain from more dimensions, and the
attention of the first layer to the position before.
"""

from typing import Any

import torch
from torch import Tensor

from asymp.models.transformer import Shape, Transformer
from asymp.montecarlo.arguments import TwoOrMore, Whole, checked, takes
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.transformers.induction import bigram_task, in_context_accuracy
from asymp.montecarlo.samplers.transformers.training import drawn_model


@torch.no_grad()
def induction_head_by_hand(model: Transformer, c: float) -> None:
    """Write the three memories of an induction head into a basic model of two layers, with scale c.

    W_KQ^1 = c sum_t p_t p_(t-1)^T, W_KQ^2 = c sum_k e_k (W_OV^1 e_k)^T, W_OV^2 = c sum_k u_k e_k^T, each over the squared
    lengths of the vectors it reads, so that a match scores c whatever the scale of the embeddings.
    """
    E, P, U = model["tokens"], model["positions"], model["unembed"]
    d = model.shape.d
    values = E @ model["OV1"][:, 0].mT
    root = d**0.5  # attention divides scores by sqrt d
    p2, e2, v2 = (x.square().sum(2).mean() for x in (P, E, values))
    model.set("KQ1", (c * root / p2**2 * P[:, 1:].mT @ P[:, :-1])[:, None])
    model.set("KQ2", (c * root / (e2 * v2) * E.mT @ values)[:, None])
    # The residual stream itself scores of order one at the outputs: what is written has to stand out of that.
    model.set("OV2", (c * U.mT @ E / e2)[:, None])


@checked
def sample_induction_by_hand(
    draw: Draw, *, d: Whole, text: str = "uniform", N: int = 16, T: int = 16, K: int = 4, c: float = 20.0
) -> Tensor:
    """In-context accuracy of the induction head by hand, random embeddings, on 64 sequences a replica."""
    task = bigram_task(text, N, T, K)
    shape = Shape(vocabulary=task.law.N, length=T, d=d, layers=2)
    model = drawn_model(draw, shape, dtype=torch.float64)
    induction_head_by_hand(model, float(c))
    return in_context_accuracy(draw, model, task, sequences=64)


@takes(sample_induction_by_hand)
def sample_by_hand_gain(draw: Draw, *, d: int, less: int, **settings: Any) -> Tensor:
    """In-context accuracy of the head by hand in d dimensions less that in `less`, each with embeddings of its own."""
    many, few = (sample_induction_by_hand(draw, d=width, **settings) for width in (d, less))
    return many - few


@checked
def sample_attention_by_hand(draw: Draw, *, c: float, t: TwoOrMore) -> Tensor:
    """Attention of the first layer's position t to the one before it, with one-hot embeddings (infinite width)."""
    N = 3
    d = N + t
    shape = Shape(vocabulary=N, length=t, d=d, layers=1)
    model = drawn_model(draw, shape, dtype=torch.float64)
    blocks = torch.eye(d, dtype=torch.float64, device=draw.device)
    model.set("tokens", blocks[:N])
    model.set("positions", blocks[N:])
    P = blocks[N:]
    model.set("KQ1", (float(c) * d**0.5 * P[1:].mT @ P[:-1])[None])
    tokens = draw.integers(N, (1, t))
    return model.read(tokens).attention[0][:, 0, 0, t - 1, t - 2]


by_hand_gain_experiment = experiment("by-hand-gain", sample_by_hand_gain, version=2, block=8)
induction_by_hand_experiment = experiment(
    "induction-by-hand", sample_induction_by_hand, version=3, block=16, bounds=(0.0, 1.0)
)
# embeddings are one-hot, and tokens have no say in the first layer's scores
attention_by_hand_experiment = experiment(
    "attention-by-hand", sample_attention_by_hand, version=2, block=4, deterministic=True
)
