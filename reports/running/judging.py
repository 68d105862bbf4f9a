"""Judging claims: here, or in the worker processes that simulate, while they go on with the next claims' cells.

A worker finds a claim of the ledger by its id; a user's own claim is judged in this process. The bits are the same.
"""

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Future
from dataclasses import dataclass
from functools import partial
from typing import Any

from asymp.montecarlo import Estimate
from asymp.montecarlo.executors.pools import Pool, Processes
from asymp.montecarlo.sweep.work import Missing
from asymp.reports.claimbook import claims
from asymp.reports.declare import Claim, Part, registered
from asymp.reports.judge import judge
from asymp.reports.judge.cells import band_cell
from asymp.reports.running.kept import Kept
from asymp.reports.running.kept_judgements import judgement_key, keep, recall
from asymp.reports.statistics import holm
from asymp.reports.verdict import Judgement, Outcome, PartVerdict

__all__ = ["Judges", "Measured", "Pending", "judge_parts"]

Measured = Sequence[Sequence[tuple[dict[str, Any], Estimate | Missing]]]


def judge_parts(parts: Sequence[Part], measured: Measured, *, budget: float) -> dict[str, PartVerdict]:
    """Judge all parts of a claim: each alone, then Holm shares the claim's budget among them."""
    return _verdicts(parts, _judgements(parts, measured, budget), budget)


def _judgements(parts: Sequence[Part], measured: Measured, budget: float) -> list[Judgement]:
    level = budget / len(parts)
    return [_judged(part, cells, level) for part, cells in zip(parts, measured, strict=True)]


def _verdicts(parts: Sequence[Part], judgements: Sequence[Judgement], budget: float) -> dict[str, PartVerdict]:
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
            budget=budget / len(parts),
            law=part.law.id,
            erratum=part.erratum,
        )
    return verdicts


def _judged(part: Part, measured: Sequence[tuple[dict[str, Any], Estimate | Missing]], level: float) -> Judgement:
    """A part's judgement; with values missing it is none: the part is left open and says what it lacks."""
    there = [(params, e) for params, e in measured if isinstance(e, Estimate)]
    missing = [str(e) for _, e in measured if isinstance(e, Missing)]
    if not missing:
        return judge(part, there, level=level)
    return Judgement(
        shown=False,
        p_value=1.0,
        cells=tuple(band_cell(p, part.predicted(p), e, points=len(measured)) for p, e in there),
        words=f"Missing: {len(missing)} of {len(measured)} points were not measured, so nothing is judged. {missing[0]}.",
        seen=math.inf,
        unit="relative",
        wanted=part.margin,
        needed=None,
        could_refute=False,
        numbers={"missing": missing},
    )


@dataclass(frozen=True, eq=False)
class _Case:
    """What a worker needs to judge a claim of the ledger."""

    claim: str
    measured: Measured
    budget: float


def _judge_case(case: _Case) -> tuple[list[Judgement], float]:
    """The judgements of a claim's parts, and the seconds they took; in whichever process this is."""
    start = time.perf_counter()
    return _judgements(claims[case.claim].parts, case.measured, case.budget), time.perf_counter() - start


class Pending:
    """A claim that is being judged elsewhere, or has been judged here."""

    def __init__(
        self,
        claim: Claim,
        case: _Case,
        future: "Future[Any] | None",
        known: "tuple[list[Judgement], float] | None" = None,
        then: Callable[[list[Judgement]], None] | None = None,
    ) -> None:
        self._claim, self._budget, self._then = claim, case.budget, then
        self._case: _Case | None = case
        self._future = future
        self.found = known
        if known is not None:
            self._case = None
        elif future is None:
            self.found = self._here()
        else:
            future.add_done_callback(self._forget_values)

    def _here(self) -> tuple[list[Judgement], float]:
        case, self._case = self._case, None
        assert case is not None
        start = time.perf_counter()
        return _judgements(self._claim.parts, case.measured, case.budget), time.perf_counter() - start

    def _forget_values(self, future: "Future[Any]") -> None:
        if not future.cancelled() and future.exception() is None:
            self._case = None

    def result(self) -> tuple[dict[str, PartVerdict], float]:
        """The verdicts on the parts, and the seconds of judging; a worker that was lost is done without."""
        if self.found is None:
            assert self._future is not None
            try:
                self.found = self._future.result()
            except (BrokenExecutor, CancelledError):
                self.found = self._here()
        judgements, seconds = self.found
        if self._then is not None:
            self._then(judgements)
            self._then = None
        return _verdicts(self._claim.parts, judgements, self._budget), seconds


def _of_the_ledger(claim: Claim) -> bool:
    return claim.id not in registered and claims.get(claim.id) is claim


class Judges:
    """Where claims are judged: by the pool's worker processes once it has any, else here and at once.

    What was judged before, from the same values by the same code, is found among what is `kept`.
    """

    def __init__(self, pool: Pool, number: int, kept: Kept | None = None) -> None:
        self._pool, self._number, self._kept = pool, number, kept
        self._judged, self._spent = 0, 0.0

    def judge(self, claim: Claim, measured: Measured, *, budget: float) -> Pending:
        """Have a claim judged."""
        case = _Case(claim.id, measured, budget)
        kept, key = self._kept, None
        if kept is not None and kept.folder is not None and _of_the_ledger(claim):
            key = judgement_key(claim.id, measured, budget)
        known = recall(kept, key) if kept is not None and key is not None else None
        if known is not None:
            pending = Pending(claim, case, None, known=(known, 0.0))
        elif kept is not None and key is not None:
            pending = Pending(claim, case, self._sent(claim, case), then=partial(keep, kept, key))
        else:
            pending = Pending(claim, case, self._sent(claim, case))
        self._judged += 1
        if pending.found is not None:
            # Many claims of which everything is kept: their judging alone may be worth the processes.
            self._spent += pending.found[1]
            left = self._spent / self._judged * (self._number - self._judged)
            self._pool.consider(spent=self._spent, left=left)
        return pending

    def _sent(self, claim: Claim, case: _Case) -> "Future[Any] | None":
        ours = _of_the_ledger(claim)
        complete = not any(isinstance(e, Missing) for cells in case.measured for _, e in cells)
        if not (ours and complete and isinstance(self._pool, Processes) and not self._pool.local):
            return None
        try:
            return self._pool.submit(_judge_case, case)
        except (BrokenExecutor, RuntimeError):
            return None
