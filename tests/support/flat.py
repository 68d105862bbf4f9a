"""A claim whose simulation mostly sleeps: enough cells to be killed between, and cheap on a shared machine.

The standard deviation is 1.4 % of the mean: one block of 160 shows all settings to be right within 2 %, one of 16 does not,
so that a run with small blocks has several rounds.
"""

import os
import time

from asymp.montecarlo import experiment
from asymp.reports import claim
from asymp.theory import Param, law, real

SETTINGS = int(os.environ.get("FLAT_SETTINGS", "40"))
BLOCK = int(os.environ.get("FLAT_BLOCK", "160"))
NAP = float(os.environ.get("FLAT_NAP", "0.002"))
FAILS = os.environ.get("FLAT_FAILS", "")  # a setting and what happens there: "7:raise", "7:refuse", "7:die"

flat = law("flat", "1/d", relation="=", params={"d": Param(real(1), (1, 100))}, source="test")


def simulate(draw, *, d):
    """Values around 1/d, after a nap."""
    time.sleep(NAP * BLOCK / 16)
    if f"{d}:raise" == FAILS:
        raise OSError("lost")
    if FAILS in (f"{d}:refuse", "all:refuse"):
        raise ValueError("d must be something else")
    if f"{d}:die" == FAILS:
        os._exit(7)
    return (0.975 + 0.05 * draw.uniform()) / d


claim(
    "flat",
    law=flat,
    experiment=experiment("flat", simulate, version=1, block=BLOCK),
    kind="identity",
    grid=[{"d": d} for d in range(1, SETTINGS + 1)],
)
