"""The power of the tests: how often wrong laws are refuted, claim by claim, and how often they are called supported.

The wrong laws of `controls` are judged at the claim's own budget on resamplings of the replicas of one run at `standard`
(kept in a store, where one is given), and on a few fresh seeds at the same cells. Either takes as few replicas as it
needs to refute: 512 of each cell, then four times as many, up to those of `standard`. A wrong law that is called
supported at any of these looks counts as supported.

The cells: four spread over the `standard` grid (three for a bound, two for an order); of a rate or a capacity all sizes
of the first and of the last group. The wrong laws are generated at these cells.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from asymp.montecarlo import Estimate
from asymp.montecarlo.blocks import derive_seed
from asymp.reports.calibrate.measured import Measured
from asymp.reports.calibrate.samples import draws
from asymp.reports.declare import PRESETS, Part
from asymp.reports.index import LEDGER_SIZE
from asymp.reports.judge.groups import spread
from asymp.reports.properties.controls import controls_of
from asymp.reports.running.run import BUDGET, judge_parts

__all__ = ["power_of_part"]

FIRST_SHARE = 512
# p-values are rounded up to half a decade here, which can only make a wrong law harder to refute: every level at which one
# of two hundred samples is asked costs an interval of all of them.
LEVELS = 24
REFUTED, SUPPORTED = 0.95, 0.01
MOST = {"identity": 4, "constant": 4, "bound": 3, "order": 2}

# Draws of one look: for each cell, a draw for each of the samples that are still wanted.
Look = list[list[Estimate]]


def power_of_part(
    claim: str,
    part: Part,
    *,
    resamplings: int,
    fresh: int,
    seed: int = 0,
    preset: str = "standard",
    store: Any = None,
) -> list[dict[str, Any]]:
    """For each wrong law: how often it is refuted, and called supported, in resamplings of one run and on fresh seeds."""
    right = part.with_corrected_law() if part.erratum else part
    cells = _cells(right, preset)
    run = [(c, right.experiment.run(**c, replicas=_most(right, preset, c), seed=seed, store=store)) for c in cells]
    made = controls_of(claim, replace(right, grid=dict.fromkeys(PRESETS, cells)))
    wrong = [control.wrong(run) for control in made]
    random = np.random.default_rng(derive_seed("resample", claim, part.name, seed))
    seeds = [derive_seed("fresh", seed, i) for i in range(fresh)]

    def resampled(share: int, wanted: Sequence[int]) -> Look:
        return [draws([random.choice(e.values, size=min(share, e.replicas)) for _ in wanted], e.bounds) for _, e in run]

    def anew(share: int, wanted: Sequence[int]) -> Look:
        look = []
        for cell in cells:
            count = min(share, _most(right, preset, cell))
            found = [right.experiment.run(**cell, replicas=count, seed=seeds[i]) for i in wanted]
            look.append(draws([e.values for e in found], found[0].bounds))
        return look

    whole = max(e.replicas for _, e in run)
    outcomes = _outcomes(wrong, cells, resampled, count=resamplings, whole=whole)
    confirmed = _outcomes(wrong, cells, anew, count=fresh, whole=whole)
    return [
        _row(control.how, again, new, resamplings, fresh)
        for control, again, new in zip(made, outcomes, confirmed, strict=True)
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


def _cells(part: Part, preset: str) -> list[dict[str, Any]]:
    cells = part.cells(preset, {})
    if part.kind not in ("rate", "capacity"):
        return spread(cells, MOST[part.kind])
    group = [{k: v for k, v in c.items() if k not in (part.variable, part.size)} for c in cells]
    ends = spread([g for i, g in enumerate(group) if g not in group[:i]], 2)
    return [c for c, g in zip(cells, group, strict=True) if g in ends]


def _most(part: Part, preset: str, cell: dict[str, Any]) -> int:
    return int(part.replicas_at(preset, cell))


def _outcomes(
    wrong: Sequence[Part],
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
            with _many_samples():
                for i, sample in zip(wanted, zip(*drawn(share, wanted), strict=True), strict=True):
                    measured = list(zip(cells, sample, strict=True))
                    for outcomes, law in zip(found, wrong, strict=True):
                        if outcomes[i] == "inconclusive":
                            outcomes[i] = _judged(law, measured)
        if not wanted or share >= whole:
            return found
        share *= 4


def _judged(wrong: Part, cells: Sequence[tuple[dict[str, Any], Estimate]]) -> str:
    measured: Measured = list(cells)
    return judge_parts([wrong], [measured], budget=BUDGET / LEDGER_SIZE)[wrong.name].outcome


@contextmanager
def _many_samples() -> Iterator[None]:
    """Within, an exponent or a capacity is fitted once to a sample, for all wrong laws, and p-values are coarse."""
    from asymp.reports import statistics
    from asymp.reports.judge import capacity, rate

    with ExitStack() as stack:
        stack.enter_context(_set(vars(statistics), "STEPS", LEVELS))
        for module, name in ((rate, "fit_exponent"), (capacity, "capacity_of"), (capacity, "fit_exponent_of_logs")):
            stack.enter_context(_remembered(vars(module), name))
        yield


@contextmanager
def _set(names: dict[str, Any], name: str, value: Any) -> Iterator[None]:
    original = names[name]
    names[name] = value
    try:
        yield
    finally:
        names[name] = original


@contextmanager
def _remembered(names: dict[str, Any], name: str) -> Iterator[None]:
    original, known = names[name], {}

    def fit(sizes: Any, samples: Any, *more: Any, **options: Any) -> Any:
        values = hash(b"".join(np.ascontiguousarray(s).tobytes() for s in samples))
        key = (tuple(sizes), values, repr(more), repr(options))
        if key not in known:
            known[key] = original(sizes, samples, *more, **options)
        return known[key]

    with _set(names, name, fit):
        yield
