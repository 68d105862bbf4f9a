"""Where and with which random numbers tests draw: a generator of torch with a seed, on the processor."""

import torch

__all__ = ["CPU", "generator", "how"]

CPU = torch.device("cpu")


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def how(seed=0):
    """The arguments `generator` and `device` of a Draw, a model or a task."""
    return {"generator": generator(seed), "device": CPU}
