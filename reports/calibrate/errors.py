"""How often a statement's verdict is wrong: right laws refuted (the size of the test), wrong laws not refuted (its power).

Size: each statement's right law (the corrected one, for an erratum) is judged by the same code as in a check, over fresh
seeds at a few settings of the quick grid (`Statement.reduced`), once with all values and as a run in rounds does, after an
eighth, a quarter, half and all of them: each look then has the share of the level that it has in a check. The number of
refutations at 5 % must be compatible with 5 % (one-sided binomial test at 1e-3), and the p-values nowhere smaller than
uniform: at five levels (binomial tests at 1e-3 together) and everywhere (Dvoretzky-Kiefer-Wolfowitz at 1e-3). Refutations at
any look are counted likewise. A judgement that could not have refuted has the p-value 1, and how many could is told beside.

Power: a statement's wrong laws are judged at the claim's own budget on resamplings of the replicas of one run at
`standard` (kept in a store, where one is given), and on a few fresh seeds at the same settings (`Statement.some_cells`).
Either takes as few replicas as it needs to refute: 512 of each setting, then four times as many, up to those of
`standard`. Each look has its share of the budget and of the 1 % of false support. A wrong law that is called supported at
any of these looks counts as supported.

Intervals of many samples of one setting are computed at a time: a betting interval costs a long loop over the stakes,
whether for one sample or for four hundred. The numbers are those of the single intervals, bit for bit.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.special import bdtrc

from asymp.montecarlo import Estimate, p_values
from asymp.montecarlo.draws import derive_seed
from asymp.montecarlo.estimate import Interval, intervals_of
from asymp.montecarlo.running.series import Series
from asymp.montecarlo.running.store import Store
from asymp.montecarlo.running.sweep import measure
from asymp.reports.check import BUDGET
from asymp.reports.claims import LEDGER_SIZE
from asymp.reports.judging import judged, outcome_of
from asymp.reports.kinds import Statement
from asymp.reports.kinds.evidence import LOOKS, SUPPORT_LEVEL

LEVEL = 0.05
ROUND = 7
"""The power is measured on a run that has had so many rounds after the first."""
ERROR = 1e-3
LEVELS = (0.001, 0.01, 0.05, 0.2, 0.5)
FIRST_SHARE = 512
# p-values are rounded up to half a decade here, which can only make a wrong law harder to refute: every level at which one
# of two hundred samples is asked costs an interval of all of them.
COARSE = 24
REFUTED, SUPPORTED = 0.95, 0.01

# Draws of one look: for each cell, a draw for each of the samples that are still wanted.
Look = list[list[Estimate]]

# A level that only one or two draws ask for (the end of a bisection) is not worth computing for all.
SINGLE = 2
# From so many values on, the values cost the time and not the steps: each sample is then asked by itself, and no more closely
# than an answer needs.
LONG = 2**14


def size_of_part(claim: str, part: Statement, *, seeds: int, seed: int = 0) -> dict[str, Any]:
    """How often the right law is refuted at 5 %, over fresh seeds at a reduced size, and how small its p-values are."""
    right = part.right
    cells = right.reduced()
    fresh = [derive_seed("calibrate", claim, part.name, seed, i) for i in range(seeds)]
    measured = [_drawn(right, cell, fresh) for cell in cells]
    p_values, able = [], 0
    for i in range(seeds):
        seen = right.judge([(cell, found[i]) for cell, found in zip(cells, measured, strict=True)], level=LEVEL)
        p_values.append(seen.p_value if seen.could_refute else 1.0)
        able += seen.could_refute
    refuted = _refuted_in_rounds(right, cells, measured)
    sizes = size_of_tests(np.array(p_values))
    good = sizes["good"] and _at_least(refuted, seeds, LEVEL) >= ERROR
    return {"kind": right.kind, "cells": len(cells), "able": able, **sizes, "in_rounds": refuted, "good": good}


def _refuted_in_rounds(part: Statement, cells: Sequence[dict[str, Any]], measured: Look) -> int:
    """How many runs refute that look after an eighth, a quarter, half and all of their values, at 5 % over all looks."""
    refuted: set[int] = set()
    last = max(3, int(math.log2(max(1, min(found[0].replicas for found in measured) // part.experiment.block))))
    for doublings in range(4):
        share, level = 2 ** (3 - doublings), LEVEL * part.share_of_look(last - 3 + doublings)
        look = [draws([e.values[: max(1, e.replicas // share)] for e in found], found[0]) for found in measured]
        for i, sample in enumerate(zip(*look, strict=True)):
            if i not in refuted:
                seen = judged(part, list(zip(cells, sample, strict=True)), level=level)
                if outcome_of(seen, level) == "refuted":
                    refuted.add(i)
    return len(refuted)


def _drawn(part: Statement, cell: dict[str, Any], seeds: Sequence[int]) -> list[Estimate]:
    count = part.calibration_replicas(cell)
    # one block of the size that is wanted: another arrangement of the random numbers, the same law
    small = replace(part.experiment, block=count)
    samples = [small.run(**cell, replicas=count, seed=seed) for seed in seeds]
    return draws([s.values for s in samples], samples[0])


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


def power_of_part(
    claim: str,
    part: Statement,
    *,
    resamplings: int,
    fresh: int,
    seed: int = 0,
    round: int = ROUND,
    store: Store | None = None,
) -> list[dict[str, Any]]:
    """For each wrong law: how often it is refuted, and called supported, in resamplings of one run and on fresh seeds."""
    right = part.right
    cells = right.some_cells("quick")
    wanted = [(Series(right.experiment, c, seed), _most(right, round, c)) for c in cells]
    run = [(s.params, found) for (s, _), found in zip(wanted, measure(wanted, store=store), strict=True)]
    made = list(right.at_cells(cells).wrong_laws())
    wrong = [law.statement(run) for law in made]
    random = np.random.default_rng(derive_seed("resample", claim, part.name, seed))
    seeds = [derive_seed("fresh", seed, i) for i in range(fresh)]

    def resampled(share: int, wanted: Sequence[int]) -> Look:
        return [draws([random.choice(e.values, size=min(share, e.replicas)) for _ in wanted], e) for _, e in run]

    def anew(share: int, wanted: Sequence[int]) -> Look:
        look = []
        for cell in cells:
            count = min(share, _most(right, round, cell))
            found = [right.experiment.run(**cell, replicas=count, seed=seeds[i]) for i in wanted]
            look.append(draws([e.values for e in found], found[0]))
        return look

    whole = max(e.replicas for _, e in run)
    outcomes = _outcomes(wrong, cells, resampled, count=resamplings, whole=whole)
    confirmed = _outcomes(wrong, cells, anew, count=fresh, whole=whole)
    return [
        _row(law.how, again, new, resamplings, fresh) for law, again, new in zip(made, outcomes, confirmed, strict=True)
    ]


def _row(how: str, again: Sequence[str], new: Sequence[str], resamplings: int, fresh: int) -> dict[str, Any]:
    refuted, supported, confirmed = again.count("refuted"), again.count("supported"), new.count("refuted")
    return {
        "how": how,
        "refuted": refuted,
        "supported": supported,
        "resamplings": resamplings,
        "confirmed": confirmed,
        "fresh": fresh,
        "good": bool(refuted >= REFUTED * resamplings and supported <= SUPPORTED * resamplings and confirmed == fresh),
    }


def _most(part: Statement, round: int, cell: dict[str, Any]) -> int:
    return int(part.replicas_at(round, cell))


def _outcomes(
    wrong: Sequence[Statement],
    cells: Sequence[dict[str, Any]],
    drawn: Callable[[int, Sequence[int]], Look],
    *,
    count: int,
    whole: int,
) -> list[list[str]]:
    """The outcome of each wrong law on each of `count` samples: refuted as soon as a look refutes it."""
    found = [["inconclusive"] * count for _ in wrong]
    share = FIRST_SHARE
    while True:
        wanted = [i for i in range(count) if any(outcomes[i] == "inconclusive" for outcomes in found)]
        if wanted:
            with _coarse_p_values():
                for i, sample in zip(wanted, zip(*drawn(share, wanted), strict=True), strict=True):
                    measured = list(zip(cells, sample, strict=True))
                    for outcomes, law in zip(found, wrong, strict=True):
                        if outcomes[i] == "inconclusive":
                            outcomes[i] = _judged(law, measured)
        if not wanted or share >= whole:
            return found
        share *= 4


def _judged(wrong: Statement, cells: Sequence[tuple[dict[str, Any], Estimate]]) -> str:
    level = BUDGET / LEDGER_SIZE / LOOKS
    return outcome_of(judged(wrong, cells, level=level, support=SUPPORT_LEVEL / LOOKS), level)


@contextmanager
def _coarse_p_values() -> Iterator[None]:
    usual = p_values.STEPS
    p_values.STEPS = COARSE
    try:
        yield
    finally:
        p_values.STEPS = usual


@dataclass(frozen=True, eq=False)
class Draw(Estimate):
    """One of many samples of one setting; a level that several of them are asked for is computed for all of them at once."""

    siblings: list[Estimate] = field(default_factory=list)
    asked: Counter[float] = field(default_factory=Counter)

    def interval(self, level: float = 0.95) -> Interval:
        """The interval of the mean at `level`."""
        if level not in self.known_intervals:
            self.asked[level] += 1
            if self.asked[level] > SINGLE:
                intervals_of(self.siblings, level)
        return super().interval(level)


def draws(samples: Sequence[np.ndarray], like: Estimate) -> list[Estimate]:
    """Estimates from equally many values each, of which the same is declared as of `like`."""
    if like.bounds is None or len(samples[0]) >= LONG:
        return [replace(like, values=sample) for sample in samples]
    siblings: list[Estimate] = []
    asked: Counter[float] = Counter()
    siblings += [
        Draw(sample, like.bounds, kurtosis=like.kurtosis, siblings=siblings, asked=asked) for sample in samples
    ]
    return siblings
