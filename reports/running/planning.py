"""Planning a check: every cell of every part, validated before anything runs."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from asymp.montecarlo import Experiment
from asymp.montecarlo.blocks import canonical, pick_device
from asymp.montecarlo.store.series import Series
from asymp.montecarlo.store.source import source_hash
from asymp.reports.claimbook import claims
from asymp.reports.declare import PRESETS, Claim, Part, registered
from asymp.theory.names import unknown_name

__all__ = ["Planned", "PlannedRun", "plan", "plan_many"]


@dataclass(frozen=True)
class Planned:
    """One cell to measure: an experiment at one setting."""

    experiment: Experiment
    params: dict[str, Any]
    replicas: int

    @property
    def key(self) -> str:
        """Cells with equal keys are measured once and shared between parts."""
        return f"{self.experiment.id} {self.experiment.version} {canonical(self.params)} {self.replicas}"


@dataclass(frozen=True, eq=False)
class PlannedRun:
    """Claims with their settings and cells, and the series that the cells are taken from."""

    claims: list[tuple[Claim, dict[str, Any], list[list[Planned]]]]
    seed: int
    device: str
    series: dict[int, Series] = field(default_factory=dict)

    def key(self, cell: Planned) -> str:
        """The key of a cell's series; cells that differ in the number of replicas only share one."""
        return self.series[id(cell)].key

    def keys(self, index: int) -> list[str]:
        """The keys of the series that a claim wants, each once."""
        return list(dict.fromkeys(self.key(cell) for cells in self.claims[index][2] for cell in cells))

    def last_wanted(self, index: int) -> set[str]:
        """The series that no claim after this one wants."""
        return self._lasts[index]

    def __post_init__(self) -> None:
        sources: dict[int, str | None] = {}
        lasts: dict[str, int] = {}
        for index, (_, _, parts) in enumerate(self.claims):
            for cell in (cell for cells in parts for cell in cells):
                sample = cell.experiment.sample
                if id(sample) not in sources:
                    sources[id(sample)] = source_hash(sample)
                source = sources[id(sample)]
                made = Series(cell.experiment, cell.params, seed=self.seed, device=self.device, source=source)
                self.series[id(cell)] = made
                lasts[made.key] = index
        by_claim: list[set[str]] = [set() for _ in self.claims]
        for key, index in lasts.items():
            by_claim[index].add(key)
        object.__setattr__(self, "_lasts", by_claim)

    _lasts: list[set[str]] = field(default_factory=list, init=False)


def plan_many(
    ids: Sequence[str],
    *,
    preset: str = "quick",
    seed: int = 0,
    device: str = "auto",
    settings: Mapping[str, Any] | None = None,
) -> PlannedRun:
    """Plan, and so validate, several claims."""
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise ValueError(f"seed must be an integer; got {seed!r}")
    where = str(pick_device(device))
    chosen = [claims[id] for id in ids]
    planned = []
    for claim in chosen:
        own = _for_claim(claim, settings, chosen)
        planned.append((claim, own, plan(claim, preset=preset, settings=own)))
    return PlannedRun(planned, seed, where)


def plan(claim: Claim, *, preset: str = "quick", settings: Mapping[str, Any] | None = None) -> list[list[Planned]]:
    """The cells of each part, validated against the law's domain before anything runs.

    The law itself is asked beforehand only where the user chose the values: the ledger's own are known to be finite, and
    some laws take seconds a cell.
    """
    if preset not in PRESETS:
        raise ValueError(unknown_name("preset", str(preset), PRESETS))
    overrides = dict(settings or {})
    known = {name for part in claim.parts for cell in part.grid[preset] for name in cell}
    for name in overrides:
        if name not in known:
            raise ValueError(unknown_name(f"parameter of claim {claim.id!r}", name, sorted(known)))
    planned = []
    for part in claim.parts:
        if part.kind == "rate" and part.variable in overrides:
            raise ValueError(
                f"claim {claim.id!r} is a rate in {part.variable}, which needs a range of sizes; leave {part.variable} out"
            )
        if part.size in overrides:
            raise ValueError(
                f"claim {claim.id!r} measures how large {part.size} can be, which needs a range of sizes; leave {part.size} out"
            )
        cells = part.cells(preset, overrides)
        for cell in cells:
            part.law.validate(**part.law_values(cell))
            if overrides or claim.id in registered:
                _predict(part, cell)
        planned.append([Planned(part.experiment, cell, part.replicas_at(preset, cell)) for cell in cells])
    return planned


def _predict(part: Part, cell: dict[str, Any]) -> None:
    if not math.isfinite(part.predicted(cell)):
        raise ValueError(f"the law {part.law.id!r} is not finite at {cell}")


def _for_claim(claim: Claim, settings: Mapping[str, Any] | None, chosen: Sequence[Claim]) -> dict[str, Any]:
    """With several claims a setting goes to those that have the parameter; one that nobody has is an error."""
    given = dict(settings or {})
    if len(chosen) == 1 or not given:
        return given
    names = {c.id: {k for p in c.parts for cell in p.grid["quick"] for k in cell} for c in chosen}
    everyone = set().union(*names.values())
    for name in given:
        if name not in everyone:
            raise ValueError(unknown_name("parameter of these claims", name, sorted(everyone)))
    return {k: v for k, v in given.items() if k in names[claim.id]}
