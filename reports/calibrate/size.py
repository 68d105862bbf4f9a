"""The size of the tests: how often a right law is refuted at 5 %, claim by claim, over fresh seeds at a reduced size.

Each part's right law (the corrected one, for an erratum) is judged by the same code as in a check. The number of
refutations must be compatible with 5 % (one-sided binomial test at 1e-3), and the p-values nowhere smaller than uniform:
at five levels (binomial tests at 1e-3 together) and everywhere (Dvoretzky-Kiefer-Wolfowitz at 1e-3). A judgement that
could not have refuted has the p-value 1, and how many could is told beside.

The reduced size: three cells spread over the quick grid; of a rate the six smallest sizes of its first group; of a
capacity five of that group's sizes, and for its exponent all sizes at the four smallest values of the variable; of an
order one cell.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import bdtrc

from asymp.montecarlo.blocks import derive_seed
from asymp.reports.calibrate.samples import draws
from asymp.reports.declare import Part
from asymp.reports.judge import judge
from asymp.reports.judge.groups import groups_without, spread

__all__ = ["LEVEL", "reduced", "size_of_part", "size_of_tests"]

LEVEL = 0.05
ERROR = 1e-3
LEVELS = (0.001, 0.01, 0.05, 0.2, 0.5)
CELLS, SIZES, CAPACITY_SIZES, VALUES = 3, 6, 5, 4
# Student's statistic needs some values to be trusted; a bounded quantity's interval holds at any number of them, a
# fitted exponent's or capacity's at the numbers of its own calibration. An order is decided by 5 runs at 5 %.
UNBOUNDED, BOUNDED, RATE, CAPACITY, ORDER = 256, 100, 64, 32, 6


def size_of_part(claim: str, part: Part, *, seeds: int, seed: int = 0) -> dict[str, Any]:
    """How often the right law is refuted at 5 %, over fresh seeds at a reduced size, and how small its p-values are."""
    right = part.with_corrected_law() if part.erratum else part
    cells = reduced(right)
    fresh = [derive_seed("calibrate", claim, part.name, seed, i) for i in range(seeds)]
    measured = [_drawn(right, cell, fresh) for cell in cells]
    p_values, able = [], 0
    for i in range(seeds):
        judged = judge(right, [(cell, found[i]) for cell, found in zip(cells, measured, strict=True)], level=LEVEL)
        p_values.append(judged.p_value if judged.could_refute else 1.0)
        able += judged.could_refute
    return {"kind": right.kind, "cells": len(cells), "able": able, **size_of_tests(np.array(p_values))}


def _drawn(part: Part, cell: dict[str, Any], seeds: Sequence[int]) -> Sequence[Any]:
    count = _replicas(part, cell)
    # one block of the size that is wanted: another arrangement of the random numbers, the same law
    small = replace(part.experiment, block=count)
    samples = [small.run(**cell, replicas=count, seed=seed) for seed in seeds]
    return draws([s.values for s in samples], samples[0].bounds)


def size_of_tests(p: np.ndarray) -> dict[str, Any]:
    """The figures of p-values under true hypotheses, and whether they are as good as uniform ones."""
    n = len(p)
    refuted = int(np.count_nonzero(p <= LEVEL))
    below = {level: int(np.count_nonzero(p <= level)) for level in LEVELS}
    ordered = np.sort(p)
    distance = float(np.max(np.arange(1, n + 1) / n - ordered, initial=0.0, where=ordered < 1))
    allowed = math.sqrt(math.log(1 / ERROR) / (2 * n))
    return {
        "seeds": n,
        "refuted": refuted,
        "share": refuted / n,
        "binomial_p": _at_least(refuted, n, LEVEL),
        "below": {str(level): count for level, count in below.items()},
        "above_uniform": distance,
        "allowed": allowed,
        "good": bool(
            _at_least(refuted, n, LEVEL) >= ERROR
            and all(_at_least(count, n, level) >= ERROR / len(LEVELS) for level, count in below.items())
            and distance <= allowed
        ),
    }


def _at_least(count: int, n: int, level: float) -> float:
    """The probability that a binomial variable is at least `count`."""
    return 1.0 if count == 0 else float(bdtrc(count - 1, n, level))


def reduced(part: Part) -> list[dict[str, Any]]:
    """The cells of the reduced size."""
    cells = part.cells("quick", {})
    if part.kind == "rate":
        assert part.variable is not None
        return _first_group(cells, part.variable)[:SIZES]
    if part.kind == "capacity":
        assert part.size is not None
        if part.variable is None:
            return spread(_first_group(cells, part.size), CAPACITY_SIZES)
        groups = groups_without([(c, None) for c in cells], part.size)
        values = _first_group([{**rest} for rest, _ in groups], part.variable)[:VALUES]
        return [c for rest, members in groups if rest in values for c, _ in members]
    return spread(cells, 1 if part.kind == "order" else CELLS)


def _first_group(cells: Sequence[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    return [c for c, _ in groups_without([(c, None) for c in cells], name)[0][1]]


def _replicas(part: Part, cell: Mapping[str, Any]) -> int:
    bounds = part.experiment.bounds
    by_kind = {"rate": RATE, "capacity": CAPACITY, "order": ORDER}
    return int(min(by_kind.get(part.kind, BOUNDED if bounds else UNBOUNDED), part.replicas_at("quick", cell)))
