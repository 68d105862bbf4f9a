"""Transformers: the claims, one file each."""
