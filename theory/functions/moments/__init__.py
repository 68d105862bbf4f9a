"""Moments by derivation: Wick contraction and what it gives for the scores of memories."""
