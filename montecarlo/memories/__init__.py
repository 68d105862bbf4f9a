"""Experiments on memories other than the linear one: low rank, MLPs, patterns, attention, lookup."""
