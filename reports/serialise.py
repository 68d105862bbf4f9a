"""Records as JSON, and the records of verdicts. Infinity and NaN, which JSON lacks, become strings and null."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from typing import Any

from asymp.reports.reference import beside
from asymp.reports.verdict import StatementVerdict, Verdict
from asymp.theory import Erratum

PAGE_ONLY = {"page_only": True}
"""The metadata of a field that pages are made from and readers of JSON have no use for."""


def clean(value: Any) -> Any:
    """A JSON-able copy of nested records and data."""
    if is_dataclass(value):
        shown = [f.name for f in fields(value) if not f.metadata.get("page_only")]
        return {name: clean(getattr(value, name)) for name in shown}
    if isinstance(value, dict):
        return {str(k): clean(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [clean(v) for v in value]
    if isinstance(value, Fraction):
        return float(value)
    if hasattr(value, "tolist"):
        return clean(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return value


def dumps(value: object) -> str:
    """JSON text, two spaces of indentation."""
    return json.dumps(clean(value), indent=2, ensure_ascii=False)


@dataclass(frozen=True)
class PointView:
    """A measured point; `ratio` is measured over predicted, `near` and `far` the ends of the interval that decides."""

    params: Mapping[str, Any]
    predicted: float
    mean: float
    low: float
    high: float
    level: float
    replicas: int
    near: float
    far: float
    ratio: float


@dataclass(frozen=True, kw_only=True)
class JudgedView:
    """The verdict on one statement, with what the run could have detected and the measured points (`cells`)."""

    name: str
    kind: str
    statement: str
    law: str
    outcome: str
    expected: str
    erratum: Erratum | None
    margin: float
    budget: float
    p_value: float
    words: str
    assumption: str
    smallest_discrepancy: float
    discrepancy_unit: str
    discrepancy_wanted: float
    replicas_needed: int | None
    round: int | None
    why_open: str
    reference: str
    numbers: Mapping[str, object]
    cells: tuple[PointView, ...]


@dataclass(frozen=True, kw_only=True)
class VerdictView:
    """The verdict on a claim: what `asymp check --json` prints. `rounds`: the most that statements could have, if limited."""

    claim: str
    outcome: str
    as_expected: bool
    preset: str
    rounds: int | None
    seed: int
    budget: float
    settings: Mapping[str, Any]
    missing: tuple[str, ...]
    parts: tuple[JudgedView, ...]


def verdict_view(verdict: Verdict) -> VerdictView:
    """The verdict on a claim with all its parts."""
    own = {name: value for name, value in vars(verdict).items() if name not in ("parts", "seconds", "origins")}
    parts = tuple(judged_view(verdict.claim, part) for part in verdict.parts.values())
    return VerdictView(**own, as_expected=verdict.as_expected, parts=parts)


def judged_view(claim: str, part: StatementVerdict) -> JudgedView:
    """The verdict on one statement of a claim, and what the reference run said."""
    evidence = part.evidence
    own = {name: value for name, value in vars(part).items() if name not in ("evidence", "first_round")}
    return JudgedView(
        **own,
        p_value=evidence.p_value,
        words=evidence.words,
        assumption=evidence.assumption,
        smallest_discrepancy=evidence.seen,
        discrepancy_unit=evidence.unit,
        discrepancy_wanted=evidence.wanted,
        replicas_needed=evidence.needed,
        reference=beside(claim, part),
        numbers=evidence.numbers(),
        cells=tuple(PointView(**vars(point), ratio=point.ratio) for point in evidence.points),
    )
