"""A claim whose simulation mostly sleeps: enough cells to be killed between, and cheap on a shared machine.

The standard deviation is 1.4 % of the mean: one block of 160 shows all settings to be right within 2 %, one of 16 does not.
A claim of one's own is decided after eight large blocks at the earliest, two of 16: before, replicas may share randomness.
So a run has four rounds, the last of which has blocks 5 to 8 of each setting, and four cells a setting.
"""

import os
import threading
import time

from asymp.montecarlo import experiment
from asymp.reports import claim
from asymp.theory import Param, law, real

SETTINGS = int(os.environ.get("FLAT_SETTINGS", "40"))
BLOCK = int(os.environ.get("FLAT_BLOCK", "160"))
NAP = float(os.environ.get("FLAT_NAP", "0.0005"))
FAILS = os.environ.get("FLAT_FAILS", "")  # a setting and what happens there: "7:raise", "7:refuse", "7:die"


def hand_over(nap, fails):
    """Leave what slows the sampler down, or has it fail, where it is not part of what its results are kept under.

    What a sampler names is, and so is what a file sets in a library; what one of its functions does to an object is not.
    """
    vars(threading.main_thread()).update(flat_nap=nap, flat_fails=fails)


hand_over(NAP * BLOCK / 16, FAILS)

flat = law("flat", "1/d", relation="=", params={"d": Param(real(1), (1, 100))}, source="test")


def simulate(draw, *, d):
    """Values around 1/d, after a nap."""
    time.sleep(threading.main_thread().flat_nap)
    fails = threading.main_thread().flat_fails
    if f"{d}:raise" == fails:
        raise OSError("lost")
    if fails in (f"{d}:refuse", "all:refuse"):
        raise ValueError("d must be something else")
    if f"{d}:die" == fails:
        os._exit(7)
    return (0.975 + 0.05 * draw.uniform()) / d


claim(
    "flat",
    law=flat,
    experiment=experiment("flat", simulate, version=1, block=BLOCK, bounds=lambda d: (0.97 / d, 1.03 / d)),
    kind="identity",
    grid=[{"d": d} for d in range(1, SETTINGS + 1)],
)
