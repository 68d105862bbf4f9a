"""Scaling laws: the simulations, one file for each claim."""
