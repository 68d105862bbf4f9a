"""A claim of your own: run it with `asymp check --claims examples/my_rate.py my-rate`."""

import torch

from asymp.montecarlo import experiment
from asymp.reports import claim
from asymp.theory import law

domain = {"d": (1, "oo"), "b": (0, 4), "c": (0, "oo")}
typical = {"d": (16, 16384), "b": (0.5, 2), "c": (1, 2)}
rate = law("my-rate", "c * d**(-b)", relation="~", domain=domain, typical=typical, source="mine")


def simulate(*, d, b, c, replicas, generator, device):
    noise = torch.rand(replicas, generator=generator, device=device, dtype=torch.float64)
    return c * d**-b * (1 + 1 / d) * (0.8 + 0.4 * noise)  # a power law with a correction of its own


claim(
    "my-rate", law=rate, experiment=experiment("my-rate", simulate, version=1), kind="rate", variable="d", margin=0.05
)
