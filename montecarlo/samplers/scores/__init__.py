"""Scores and interference: the simulations, one file for each claim."""
