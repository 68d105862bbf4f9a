"""A small transformer whose matrices have names: each can be frozen, set, trained or stepped, and everything read out."""

from asymp.models.transformer.model import Reading, Shape, Transformer

__all__ = ["Reading", "Shape", "Transformer"]
