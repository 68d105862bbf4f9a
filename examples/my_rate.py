"""A claim of your own: run it with `asymp check --claims examples/my_rate.py my-rate`."""

from asymp.montecarlo import experiment
from asymp.reports import claim
from asymp.theory import Param, law, real

params = {"d": Param(real(1), (16, 16384)), "b": Param(real(0, 4), (0.5, 2)), "c": Param(real(0), (1, 2))}
rate = law("my-rate", "c * d**(-b)", relation="~", params=params, source="mine")


def simulate(draw, *, d, b, c):
    return c * d**-b * (1 + 1 / d) * draw.uniform(0.8, 1.2)  # a power law with a correction of its own


claim(
    "my-rate", law=rate, experiment=experiment("my-rate", simulate, version=1), kind="rate", variable="d", margin=0.05
)
