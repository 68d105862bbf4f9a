"""Gradients and optimisation: the simulations, one file for each claim."""
