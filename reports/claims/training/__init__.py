"""Gradients and optimisation: the claims, one file each."""
