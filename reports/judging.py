"""Judging claims: here, or in the worker processes that simulate, while they go on with the next claims' cells.

A worker finds a claim of the ledger by its id; a user's own claim is judged in this process. The bits are the same.
What was judged before, from the same values by the same code, is found in the store.
"""

import contextlib
import hashlib
import json
import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Future
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import Any

from asymp.montecarlo import Estimate
from asymp.montecarlo.estimate import intervals_of
from asymp.montecarlo.running.pools import Pool, Processes
from asymp.montecarlo.running.provenance import code_hash
from asymp.montecarlo.running.series import Missing
from asymp.montecarlo.running.store import Derived
from asymp.reports.claim import Claim
from asymp.reports.claims import claims, registered
from asymp.reports.kinds import Evidence, Statement
from asymp.reports.kinds.evidence import band_level, holm, points_of
from asymp.reports.verdict import Outcome, StatementVerdict

KIND = "judgements"
Measured = Sequence[Sequence[tuple[dict[str, Any], Estimate | Missing]]]
Judged = tuple[list[Evidence], float]
"""The judgements of a claim's parts, and the seconds that they took."""


def judge_parts(parts: Sequence[Statement], measured: Measured, *, budget: float) -> dict[str, StatementVerdict]:
    """Judge all parts of a claim: each alone, then Holm shares the claim's budget among them."""
    return part_verdicts(parts, _judge(parts, measured, budget)[0], budget)


def part_verdicts(
    parts: Sequence[Statement], judgements: Sequence[Evidence], budget: float
) -> dict[str, StatementVerdict]:
    """The outcome of each part from the judgements on all of them."""
    refuted = holm([j.p_value if j.could_refute else 1.0 for j in judgements], budget)
    verdicts = {}
    for part, judgement, rejected in zip(parts, judgements, refuted, strict=True):
        outcome: Outcome = "inconclusive"
        if judgement.shown and judgement.could_refute:
            outcome = "supported"
        elif rejected:
            outcome = "refuted"
        verdicts[part.name] = StatementVerdict(
            name=part.name,
            kind=part.kind,
            statement=part.text,
            outcome=outcome,
            expected=part.expected,
            margin=part.margin,
            evidence=judgement,
            budget=budget / len(parts),
            law=part.formula.id if part.formula else "",
            erratum=part.erratum,
        )
    return verdicts


def _judged(part: Statement, measured: Sequence[tuple[dict[str, Any], Estimate | Missing]], level: float) -> Evidence:
    """A part's judgement; with values missing it is none: the part is left open and says what it lacks."""
    there = [(params, e) for params, e in measured if isinstance(e, Estimate)]
    missing = [str(e) for _, e in measured if isinstance(e, Missing)]
    if not missing:
        return part.judge(there, level=level)
    bands = intervals_of([e for _, e in there], band_level(len(measured)))[0]
    return Evidence(
        shown=False,
        p_value=1.0,
        points=points_of(there, [part.predicted(params) for params, _ in there], bands),
        words=f"Missing: {len(missing)} of {len(measured)} points were not measured, so nothing is judged. {missing[0]}.",
        seen=math.inf,
        wanted=part.margin,
        needed=None,
        could_refute=False,
        missing=tuple(missing),
    )


def begin_judging(
    claim: Claim, measured: Measured, *, budget: float, pool: Pool, derived: Derived
) -> Callable[[], Judged]:
    """Have the parts of a claim judged, by a worker process if the pool has any; calling what is returned waits for it."""
    of_ledger = claims.get(claim.id) is claim and claim.id not in registered
    if not of_ledger or any(isinstance(e, Missing) for cells in measured for _, e in cells):
        only_here = _judge(claim.parts, measured, budget)
        return lambda: only_here
    key = _key(claim.id, measured, budget) if derived.store is not None else None
    body = None if key is None else derived.get(KIND, key)
    if body is not None:
        known: list[Evidence] = _restored(json.loads(body))
        return lambda: (known, 0.0)
    judging = _begin(claim, measured, budget, pool)

    def result() -> Judged:
        judged = judging()
        if key is not None:
            _keep(derived, key, judged[0])
        return judged

    return result


def _begin(claim: Claim, measured: Measured, budget: float, pool: Pool) -> Callable[[], Judged]:
    """Judge a claim of the ledger in a worker process, or here if there is none; also if the worker is lost."""
    future: Future[Judged] | None = None
    if isinstance(pool, Processes) and not pool.local:
        with contextlib.suppress(BrokenExecutor, RuntimeError):
            future = pool.submit(_judge_by_id, claim.id, measured, budget)
    if future is None:
        judged = _judge(claim.parts, measured, budget)
        return lambda: judged
    values: list[Measured] = [measured]  # forgotten as soon as they are not needed: there may be many
    waiting = future

    def forget(done: "Future[Judged]") -> None:
        if not done.cancelled() and done.exception() is None:
            values.clear()

    def result() -> Judged:
        try:
            return waiting.result()
        except (BrokenExecutor, CancelledError):
            return _judge(claim.parts, values.pop(), budget)

    future.add_done_callback(forget)
    return result


def _judge(parts: Sequence[Statement], measured: Measured, budget: float) -> Judged:
    start = time.perf_counter()
    level = budget / len(parts)
    judged = [_judged(part, cells, level) for part, cells in zip(parts, measured, strict=True)]
    return judged, time.perf_counter() - start


def _judge_by_id(claim: str, measured: Measured, budget: float) -> Judged:
    return _judge(claims[claim].parts, measured, budget)


def _key(claim: str, measured: Measured, budget: float) -> str:
    """The hash of everything that a claim's judgements come from."""
    whole = hashlib.sha256(f"{code_hash()} {claim} {budget!r}".encode())
    for part in measured:
        whole.update(b"part")
        for params, e in part:
            assert isinstance(e, Estimate)
            about = [sorted(params.items()), e.bounds, e.sequential, e.budget, e.replicas]
            whole.update(repr(about).encode() + e.values.tobytes())
    return whole.hexdigest()[:40]


def _keep(derived: Derived, key: str, judgements: list[Evidence]) -> None:
    """Keep the judgements of a claim's parts, unless they hold something that cannot be written down."""
    with contextlib.suppress(KeyError, TypeError, ValueError):
        derived.put(KIND, key, json.dumps(_written(judgements), ensure_ascii=False).encode())


def _written(value: object) -> object:
    """A value as JSON that `_restored` reads: our records and tuples are named, other plain data are themselves."""
    if is_dataclass(value) and not isinstance(value, type):
        kept = {f.name: _written(getattr(value, f.name)) for f in fields(value) if f.init}
        return {"record": [type(value).__module__, type(value).__qualname__], "fields": kept}
    if isinstance(value, tuple):
        return {"tuple": [_written(v) for v in value]}
    if isinstance(value, list):
        return [_written(v) for v in value]
    if isinstance(value, dict):
        if not all(isinstance(k, str) for k in value) or {"record", "tuple"} & set(value):
            raise KeyError("keys that JSON would change")
        return {k: _written(v) for k, v in value.items()}
    return value


def _restored(value: Any) -> Any:
    if isinstance(value, list):
        return [_restored(v) for v in value]
    if not isinstance(value, dict):
        return value
    if "tuple" in value:
        return tuple(_restored(v) for v in value["tuple"])
    if "record" in value:
        module, name = value["record"]
        return getattr(import_module(module), name)(**{k: _restored(v) for k, v in value["fields"].items()})
    return {k: _restored(v) for k, v in value.items()}
