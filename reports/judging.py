"""Judging statements: here, or in the worker processes that simulate, while they go on with other statements' values.

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
from asymp.reports.claims import claims, known_everywhere
from asymp.reports.kinds import Evidence, Statement
from asymp.reports.kinds.evidence import SUPPORT_LEVEL, Undeclared, band_level, points_of
from asymp.reports.verdict import Outcome

KIND = "judgements"
Measured = Sequence[tuple[dict[str, Any], Estimate | Missing]]
Judged = tuple[Evidence, float]
"""What the values show of a statement, and the seconds that it took to see it."""


def outcome_of(evidence: Evidence, level: float) -> Outcome:
    """What one look at a statement decides, if it may refute with probability `level`."""
    if not evidence.could_refute:
        return "inconclusive"
    if evidence.p_value <= level:
        return "refuted"
    return "supported" if evidence.shown else "inconclusive"


def judged(part: Statement, measured: Measured, *, level: float, support: float = SUPPORT_LEVEL) -> Evidence:
    """What is seen of a statement; if values are missing, or cannot be judged, it is left open and says why."""
    there = [(params, e) for params, e in measured if isinstance(e, Estimate)]
    missing = [str(e) for _, e in measured if isinstance(e, Missing)]
    final = obstacle = ""
    if missing:
        words = f"{len(missing)} of {len(measured)} settings have no usable values, so nothing is judged: {missing[0]}."
    else:
        try:
            return part.judge(there, level=level, support=support)
        except Undeclared as error:
            words, obstacle = f"Not judged: {error}.", "no test can be made of its values"
            final = "nothing is declared about the values of its experiment"
        except ValueError as error:  # values that no test can be made of, such as a mean of zero under a logarithm
            words, obstacle = f"Not judged: {error}.", "no test can be made of its values"
    bands = intervals_of([e for _, e in there], band_level(len(measured)))[0]
    return Evidence(
        shown=False,
        p_value=1.0,
        points=points_of(there, [part.predicted(params) for params, _ in there], bands),
        words=words,
        seen=math.inf,
        wanted=part.margin,
        needed=None,
        could_refute=False,
        missing=tuple(missing),
        final=final,
        obstacle=obstacle,
    )


class Judge:
    """Has statements judged, by worker processes if the pool has any, and keeps what was seen in a store."""

    def __init__(self, pool: Pool, derived: Derived) -> None:
        self.pool, self.derived = pool, derived

    def begin(
        self, claim: Claim, number: int, measured: Measured, *, level: float, support: float
    ) -> Callable[[float | None], Judged | None]:
        """Have a statement of a claim judged.

        What is returned gives the result, or None if it is not there after so many seconds; None waits for it.
        """
        found_by_id = known_everywhere(claim.id) and claims[claim.id] is claim
        if not found_by_id or any(isinstance(e, Missing) for _, e in measured):
            only_here = _timed(claim.parts[number], measured, level, support)
            return lambda seconds: only_here
        key = _key(claim.id, number, measured, level, support) if self.derived.store is not None else None
        body = None if key is None else self.derived.get(KIND, key)
        if body is not None:
            known: Evidence = _restored(json.loads(body))
            return lambda seconds: (known, 0.0)
        waiting = self._submit(claim, number, measured, level, support)

        def result(seconds: float | None) -> Judged | None:
            try:
                found = waiting.result(seconds)
            except TimeoutError:
                return None
            except (BrokenExecutor, CancelledError):
                found = _timed(claim.parts[number], measured, level, support)
            if key is not None:
                _keep(self.derived, key, found[0])
            return found

        return result

    def _submit(self, claim: Claim, number: int, measured: Measured, level: float, support: float) -> "Future[Judged]":
        if isinstance(self.pool, Processes) and not self.pool.local:
            with contextlib.suppress(BrokenExecutor, RuntimeError):
                return self.pool.submit(_judge_by_id, claim.id, number, measured, level, support)
        here: Future[Judged] = Future()
        here.set_result(_timed(claim.parts[number], measured, level, support))
        return here


def _timed(part: Statement, measured: Measured, level: float, support: float) -> Judged:
    start = time.process_time()
    found = judged(part, measured, level=level, support=support)
    return found, time.process_time() - start


def _judge_by_id(claim: str, number: int, measured: Measured, level: float, support: float) -> Judged:
    return _timed(claims[claim].parts[number], measured, level, support)


def _key(claim: str, number: int, measured: Measured, level: float, support: float) -> str:
    """The hash of everything that a judgement comes from."""
    whole = hashlib.sha256(f"{code_hash()} {claim} {number} {level!r} {support!r}".encode())
    for params, e in measured:
        assert isinstance(e, Estimate)
        about = [sorted(params.items()), e.bounds, e.kurtosis, e.deterministic, e.sequential, e.budget, e.replicas]
        whole.update(repr(about).encode() + e.values.tobytes())
    return whole.hexdigest()[:40]


def _keep(derived: Derived, key: str, found: Evidence) -> None:
    """Keep what was seen, unless it holds something that cannot be written down."""
    with contextlib.suppress(KeyError, TypeError, ValueError):
        derived.put(KIND, key, json.dumps(_written(found), ensure_ascii=False).encode())


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
