"""Planning a check: every setting of every part, validated before anything runs."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from asymp.montecarlo import Estimate
from asymp.montecarlo.draws import pick_device
from asymp.montecarlo.running.series import Finder, Series
from asymp.montecarlo.running.source import source_hash
from asymp.montecarlo.running.store import Store
from asymp.montecarlo.running.sweep import measure
from asymp.reports.claim import Claim
from asymp.reports.claims import claims
from asymp.reports.claims_file import finder_of
from asymp.reports.grid import PRESETS
from asymp.reports.kinds import Statement
from asymp.theory.names import unknown_name

STEEPEST = 4.0
"""The steepest power of a size with which a cost is taken to grow: small costs are measured too roughly for more."""


@dataclass(frozen=True, eq=False)
class PlannedClaim:
    """A claim with the user's settings that concern it, and the series that are to be measured for each of its parts."""

    claim: Claim
    settings: dict[str, Any]
    parts: list[list[Series]]

    def blocks(self, round: int) -> Iterator[tuple[Series, int]]:
        """Every series of the claim, with its blocks after a round."""
        for part, wanted in zip(self.claim.parts, self.parts, strict=True):
            for series in wanted:
                yield series, blocks_after(part, series, round)


def plan_many(
    chosen: Sequence[str | Claim],
    *,
    preset: str = "quick",
    seed: int = 0,
    device: str = "auto",
    settings: Mapping[str, Any] | None = None,
) -> list[PlannedClaim]:
    """Plan, and so validate, several claims, each given or named by its id."""
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise ValueError(f"seed must be an integer; got {seed!r}")
    if preset not in PRESETS:
        raise ValueError(unknown_name("preset", str(preset), list(PRESETS)))
    where = str(pick_device(device))
    for one in chosen:
        if not isinstance(one, str | Claim):
            raise ValueError(f"a claim must be given, or its id; got {one!r}")
    found = [claims[c] if isinstance(c, str) else c for c in chosen]
    planned = []
    for claim in found:
        own = _for_claim(claim, settings, found, preset)
        planned.append(PlannedClaim(claim, own, _parts(claim, own, preset=preset, seed=seed, device=where)))
    return planned


def blocks_after(part: Statement, series: Series, round: int) -> int:
    """How many blocks a statement has of a series after a round."""
    return series.blocks_for(part.replicas_at(round, series.params))


def size_of(series: Series) -> float:
    """How large a setting is: the product of its whole numbers, with which costs mostly grow."""
    whole = [value for value in series.params.values() if isinstance(value, int) and not isinstance(value, bool)]
    return float(math.prod(max(1, abs(value)) for value in whole))


def foreseen_rate(timed: Sequence[tuple[Series, float]], series: Series) -> float | None:
    """Seconds a block of a series, from what some others of its statement took: as their power law says, or as the nearest.

    `timed`: the others, with their seconds a block. The power is the median of those between the largest and the three next,
    between 0 and `STEEPEST`.
    """
    if not timed:
        return None
    known = sorted((size_of(other), rate) for other, rate in timed)
    size, (largest, highest) = size_of(series), known[-1]
    below = [(at, rate) for at, rate in known if at < largest and rate > 0][-3:]
    powers = [math.log(highest / rate) / math.log(largest / at) for at, rate in below if highest > 0]
    power = median(powers) if powers else 0.0
    at, rate = min(known, key=lambda one: abs(math.log(size / one[0])))
    return float(rate * (size / at) ** min(max(power, 0.0), STEEPEST))


def _parts(claim: Claim, settings: dict[str, Any], *, preset: str, seed: int, device: str) -> list[list[Series]]:
    """The settings of each part, validated against the law's domain before anything runs.

    The law itself is asked beforehand only where the user chose the values: the ledger's own are known to be finite, and
    some laws take seconds a cell.
    """
    planned = []
    for number, part in enumerate(claim.parts):
        for name in settings:
            part.check_free(name, claim.id)
        cells = part.cells(preset, settings)
        for cell in cells:
            part.validate(cell)
            if settings and not math.isfinite(part.predicted(cell)):
                raise ValueError(f"the prediction of {part.name!r} is not finite at {cell}")
        found_by = finder_of(claim.id, number, part.experiment)
        planned.append(_series(part, cells, seed=seed, device=device, found_by=found_by))
    return planned


def _series(
    part: Statement,
    cells: Sequence[dict[str, Any]],
    *,
    seed: int,
    device: str = "auto",
    found_by: Callable[[], Finder | None] | None = None,
) -> list[Series]:
    source = source_hash(part.experiment.sample)  # once: it takes long
    return [Series(part.experiment, cell, seed, device, source, found_by) for cell in cells]


def measured_part(
    part: Statement, *, round: int, seed: int = 0, most: int | None = None, store: Store | None = None
) -> list[tuple[dict[str, Any], Estimate]]:
    """The settings of a part, all of them or the first `most`, with what is measured there after a round."""
    series = _series(part, part.cells("quick", {})[:most], seed=seed)
    found = measure([(s, part.replicas_at(round, s.params)) for s in series], store=store)
    return [(s.params, estimate) for s, estimate in zip(series, found, strict=True)]


def _for_claim(
    claim: Claim, settings: Mapping[str, Any] | None, chosen: Sequence[Claim], preset: str
) -> dict[str, Any]:
    """With several claims a setting goes to those that have the parameter; one that nobody has is an error."""
    names = {c.id: {k for p in c.parts for cell in p.grid[preset] for k in cell} for c in chosen} if settings else {}
    everyone = set().union(*names.values())
    whose = f"claim {claim.id!r}" if len(chosen) == 1 else "these claims"
    for name in settings or {}:
        if name not in everyone:
            raise ValueError(unknown_name(f"parameter of {whose}", name, sorted(everyone)))
    return {k: v for k, v in (settings or {}).items() if k in names[claim.id]}
