"""Capacity: the simulations, one file for each claim."""
