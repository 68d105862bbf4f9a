"""What one assertion may spend of a test suite's budget of chance failures, and its seed; set by the pytest plugin."""

import hashlib
import sys
from dataclasses import dataclass, field
from pathlib import Path

RATE = 1e-6
"""The probability with which a right law fails an assertion that says nothing else, outside a suite that shares a budget."""
HERE = str(Path(__file__).parent)


@dataclass
class TestShare:
    """The share of one test, and what was asserted in it.

    `node`: the test's id. `rate`: its share of the suite's budget. `examples`: how many times Hypothesis runs it. `calls`: how
    often each line of it asserted something. `passed`: of each assertion that passed what it could have seen, as a share or
    a difference, with the unit. `spent`: the probability of a chance failure so far.
    """

    __test__ = False

    node: str
    rate: float
    examples: int = 1
    calls: dict[tuple[str, int], int] = field(default_factory=dict)
    passed: list[tuple[float, str]] = field(default_factory=list)
    spent: float = 0.0

    @property
    def seed(self) -> int:
        """A seed from the test's id: another test draws other numbers, the same one the same."""
        return int.from_bytes(hashlib.sha256(self.node.encode()).digest()[:7], "big")

    def next_rate(self, site: tuple[str, int]) -> float:
        """What the next assertion at a line may spend: the k-th line has 1/(k (k + 1)) of the test's share.

        So has the k-th time at one line, but under Hypothesis, where all examples have the same share.
        """
        number = list(self.calls).index(site) + 1 if site in self.calls else len(self.calls) + 1
        self.calls[site] = times = self.calls.get(site, 0) + 1
        again = self.examples if self.examples > 1 else times * (times + 1)
        return self.rate / (number * (number + 1)) / again


current: list[TestShare] = []
"""The share of the test that is running, if the plugin runs it."""


def terms(rate: float | None, seed: int | None) -> tuple[float | None, int]:
    """The rate and the seed of an assertion: those given, else those of the running test, else 1e-6 and 0."""
    if not current:
        return RATE if rate is None else rate, 0 if seed is None else seed
    share = current[-1]
    if rate is None:
        rate = share.next_rate(_site())
    if isinstance(rate, int | float):
        share.spent += rate
    return rate, share.seed if seed is None else seed


def passed(seen: float, unit: str) -> None:
    """Note what an assertion that passed could have seen."""
    if current:
        current[-1].passed.append((seen, unit))


def _site() -> tuple[str, int]:
    """The line of the test that asserts."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(HERE):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno
