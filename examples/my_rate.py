"""A claim of your own: run it with `asymp check --claims examples/my_rate.py`."""

import asymp


@asymp.claim.rate("c * d**-b", variable="d", d=(16, 16384), b=(0.5, 2), c=(1, 2), source="mine")
def my_rate(draw, *, d, b, c):
    return c * d**-b * (1 + 1 / d) * draw.uniform(0.8, 1.2)  # a power law with a correction of its own
