"""Running a check: plan the cells, measure them, judge the parts, share the budget, give the verdict."""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from asymp.montecarlo import Estimate, Experiment
from asymp.montecarlo.blocks import canonical, pick_device
from asymp.reports.claimbook import claims
from asymp.reports.declare import PRESETS, Claim, Part, registered
from asymp.reports.index import INDEX, LEDGER_SIZE
from asymp.reports.judge import judge
from asymp.reports.statistics import holm
from asymp.reports.verdict import Outcome, PartVerdict, Verdict
from asymp.theory.names import unknown_name

__all__ = ["BUDGET", "Planned", "check", "check_many", "judge_parts", "plan"]

# A true claim is refuted with probability at most 1e-3 in a whole check: each id owns a fixed share of that.
BUDGET = 1e-3

Progress = Callable[[str, int, int], None]


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


def share_of(claim: Claim) -> float:
    """The claim's fixed share of the budget of false refutations; a user's file has a budget of its own."""
    return (
        BUDGET / LEDGER_SIZE if claim.id in INDEX and claim.id not in registered else BUDGET / max(1, len(registered))
    )


def plan(claim: Claim, *, preset: str = "quick", settings: Mapping[str, Any] | None = None) -> list[list[Planned]]:
    """The cells of each part, validated against the law's domain before anything runs."""
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
        cells = part.cells(preset, overrides)
        for cell in cells:
            _predict(part, cell)
        planned.append([Planned(part.experiment, cell, part.replicas_at(preset, cell)) for cell in cells])
    return planned


def _predict(part: Part, cell: dict[str, Any]) -> None:
    if not math.isfinite(part.predicted(cell)):
        raise ValueError(f"the law {part.law.id!r} is not finite at {cell}")


def check(
    id: str,
    *,
    preset: str = "quick",
    seed: int = 0,
    device: str = "auto",
    settings: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Verdict:
    """Check one claim: 'supported', 'refuted' or 'inconclusive', deterministic for a given seed.

    `settings` fixes parameters, such as {"alpha": 1.5}; `preset` is 'quick', 'standard' or 'paper'.
    """
    return check_many([id], preset=preset, seed=seed, device=device, settings=settings, progress=progress)[0]


def check_many(
    ids: Sequence[str],
    *,
    preset: str = "quick",
    seed: int = 0,
    device: str = "auto",
    settings: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> list[Verdict]:
    """Check several claims; each verdict is the one it would get alone."""
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise ValueError(f"seed must be an integer; got {seed!r}")
    pick_device(device)
    chosen = [claims[id] for id in ids]
    # Everything is planned, and so validated, before anything runs.
    plans = [plan(claim, preset=preset, settings=_for_claim(claim, settings, chosen)) for claim in chosen]
    total = len({cell.key for parts in plans for cells in parts for cell in cells})
    done: dict[str, Estimate] = {}
    verdicts = []
    for claim, parts in zip(chosen, plans, strict=True):
        start = time.perf_counter()
        measured = []
        for cells in parts:
            row = []
            for cell in cells:
                if cell.key not in done:
                    done[cell.key] = cell.experiment.run(
                        **cell.params, replicas=cell.replicas, seed=seed, device=device
                    )
                    if progress is not None:
                        progress(claim.id, len(done), total)
                row.append((cell.params, done[cell.key]))
            measured.append(row)
        budget = share_of(claim)
        verdict_parts = judge_parts(claim.parts, measured, budget=budget)
        verdicts.append(
            Verdict(
                claim=claim.id,
                outcome=verdict_parts[claim.leading.name].outcome,
                parts=verdict_parts,
                preset=preset,
                seed=seed,
                budget=budget,
                settings=dict(_for_claim(claim, settings, chosen)),
                seconds=time.perf_counter() - start,
            )
        )
    return verdicts


def _for_claim(claim: Claim, settings: Mapping[str, Any] | None, chosen: Sequence[Claim]) -> dict[str, Any]:
    """With several claims a setting goes to those that have the parameter; one that nobody has is an error."""
    given = dict(settings or {})
    if len(chosen) == 1:
        return given
    names = {c.id: {k for p in c.parts for cell in p.grid["quick"] for k in cell} for c in chosen}
    everyone = set().union(*names.values())
    for name in given:
        if name not in everyone:
            raise ValueError(unknown_name("parameter of these claims", name, sorted(everyone)))
    return {k: v for k, v in given.items() if k in names[claim.id]}


def judge_parts(
    parts: Sequence[Part], measured: Sequence[Sequence[tuple[dict[str, Any], Estimate]]], *, budget: float
) -> dict[str, PartVerdict]:
    """Judge all parts of a claim: each alone, then Holm shares the claim's budget among them."""
    level = budget / len(parts)
    judgements = [judge(part, cells, level=level) for part, cells in zip(parts, measured, strict=True)]
    refuted = holm([j.p_value if j.could_refute else 1.0 for j in judgements], budget)
    verdicts = {}
    for part, judgement, rejected in zip(parts, judgements, refuted, strict=True):
        outcome: Outcome = "inconclusive"
        if judgement.shown and judgement.could_refute:
            outcome = "supported"
        elif rejected:
            outcome = "refuted"
        verdicts[part.name] = PartVerdict(
            name=part.name,
            kind=part.kind,
            statement=part.statement,
            outcome=outcome,
            expected=part.expected,
            margin=part.margin,
            judgement=judgement,
            budget=level,
            law=part.law.id,
            erratum=part.erratum,
        )
    return verdicts
