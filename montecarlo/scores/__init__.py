"""Experiments on scores and embeddings."""
