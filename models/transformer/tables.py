"""One attention layer by token tables: scores and values depend on the token alone, so they are computed once a token.

Without positions, norm and residual stream the last token's attention over a sequence is a function of how often each
token occurs in it: with counts n_z, head h carries sum_z n_z exp(s_hz) V_h e_z / sum_z n_z exp(s_hz), two matrix products
for a whole batch. The dense pass of `Transformer` does the same token by token.
"""

import math

import torch
from torch import Tensor

from asymp.models.transformer.model import Transformer

# Scores are taken relative to the last token's, which every sequence has: no sum underflows. Beyond exp(60) a float32 sum
# has long lost everything else, and exp(88) would overflow.
LARGEST = 60.0


def table_logits(model: Transformer, counts: Tensor) -> Tensor:
    """Logits (replicas, batch, outputs) of the last position, for token counts (replicas, batch, vocabulary).

    The last token of every sequence is the vocabulary's last one. Equal to the dense pass up to rounding, as long as no
    token's score exceeds the last token's by more than 60.
    """
    shape = model.shape
    if shape.layers != 1 or shape.residual or shape.positions or shape.norm or shape.head_dim is None:
        raise ValueError("token tables take one layer with head_dim, without residual stream, positions and norm")
    if shape.queries != "last" or shape.attention != "softmax":
        raise ValueError("token tables take softmax attention of the last token (queries='last')")
    if tuple(counts.shape[::2]) != (model.replicas, shape.vocabulary):
        raise ValueError(
            f"counts must have the shape ({model.replicas}, batch, {shape.vocabulary}); got {tuple(counts.shape)}"
        )
    tokens = model["tokens"]
    R, heads, width = model.replicas, shape.heads, shape.head_dim
    asked = tokens[:, None, -1:] @ model["Q1"].mT  # (replicas, heads, 1, head)
    # K^T q first: the keys themselves are never formed.
    scores = (asked @ model["K1"] @ tokens[:, None].mT)[:, :, 0] / math.sqrt(width)
    weights = (scores - scores[..., -1:]).clamp(max=LARGEST).exp()  # (replicas, heads, vocabulary)
    values = tokens @ model["V1"].reshape(R, heads * width, shape.d).mT
    table = (values.view(R, -1, heads, width) * weights.mT[..., None]).flatten(2)
    carried = (counts @ table).view(R, -1, heads, width) / (counts @ weights.mT)[..., None]
    x = carried.flatten(2) @ model["O1"].mT.reshape(R, heads * width, shape.d)
    if shape.mlp:
        hidden = torch.relu(torch.baddbmm(model["bias1"][:, None], x, model["up1"].mT))
        x = torch.baddbmm(x, hidden, model["down1"].mT)
    return x @ model["unembed"].mT
