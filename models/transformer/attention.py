"""Attention over a sequence, batched over replicas: scores, pattern, and what is carried along it.

Tensors are (replicas, batch, length, d); matrices (replicas, heads, d, d) where keys and queries, or outputs and values,
are merged, (replicas, heads, head, d) where they are factored.
"""

import math

import torch
from torch import Tensor
from torch.nn import functional


def causal_mask(length: int, device: torch.device) -> Tensor:
    """True where a query may not look: at later positions."""
    return torch.triu(torch.ones(length, length, dtype=torch.bool, device=device), 1)


def attention_scores(queries: Tensor, keys: Tensor, width: int) -> Tensor:
    """Inner products of queries and keys over sqrt(width): (replicas, batch, heads, queries, keys)."""
    return queries @ keys.mT / math.sqrt(width)


def attention_pattern(scores: Tensor, *, kind: str, causal: bool) -> Tensor:
    """The weights with which keys are read: softmax rows, or the scores themselves (linear attention)."""
    if causal:
        hidden = causal_mask(scores.shape[-1], scores.device)[-scores.shape[-2] :]
        scores = scores.masked_fill(hidden, -math.inf if kind == "softmax" else 0.0)
    return scores.softmax(-1) if kind == "softmax" else scores


SHORT = 24
"""In sequences of fewer tokens the pattern is cheaper than torch's kernel that does without it."""


def attend(queries: Tensor, keys: Tensor, values: Tensor, *, width: int, kind: str, causal: bool) -> Tensor:
    """What the pattern carries, without keeping the pattern where torch can do without it."""
    if kind == "softmax" and queries.shape[-2] == keys.shape[-2] >= SHORT:
        # Replicas and batch joined, as torch's fast kernel wants.
        q, k, v = (x.flatten(0, 1) for x in (queries, keys, values))
        found = functional.scaled_dot_product_attention(q, k, v, is_causal=causal, scale=width**-0.5)
        return torch.unflatten(found, 0, queries.shape[:2])
    return attention_pattern(attention_scores(queries, keys, width), kind=kind, causal=causal) @ values
