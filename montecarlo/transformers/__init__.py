"""Experiments on small transformers: training, hand-built weights, probes."""
