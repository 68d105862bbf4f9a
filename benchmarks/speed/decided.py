"""Speed figures of runs in rounds: what is decided in a given time, and when.

One process measures and judges; the clock is its processor's, so that other programs on the machine do not count. Three
minutes on two cores are 360 seconds of it, less what starting worker processes takes.
"""

import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from asymp.montecarlo.running.store import Derived
from asymp.reports.check import RunLog, prepared, share_of, tracks_of
from asymp.reports.claims import index, registered
from asymp.reports.claims_file import load_claims
from asymp.reports.judging import Judge
from asymp.reports.planning import plan_many
from asymp.reports.rounds import State, run_rounds
from asymp.reports.track import Track
from speed.rows import Row, faster, no_slower

__all__ = ["decided_in_time", "first_answer", "timeline"]

SEEDS = (52001, 52002)
SECONDS = 2 * 180.0
LEADING, ALL, EARLIER = 61, 260, 56
"""What must be decided in that time: leading statements, all; and how many leading ones version 0.1 decided (quick)."""


@dataclass(frozen=True)
class Decided:
    """A statement that was decided: whether its claim's outcome is its own, at which second of the processor, and how."""

    leading: bool
    seconds: float
    outcome: str
    round: int
    as_expected: bool


def timeline(seed: int, seconds: float = SECONDS) -> tuple[dict[str, Decided], list[Track]]:
    """Check the whole ledger for so many seconds of one processor: what was decided when, and every statement's track."""
    registered.clear()
    planned = plan_many(list(index()), seed=seed)
    tracks = [track for one in planned for track in tracks_of(one, share_of(one.claim), None)]
    found: dict[str, Decided] = {}
    begun = time.process_time()

    def look(state: State) -> None:
        for t in tracks:
            if t.outcome != "inconclusive" and t.name not in found:
                found[t.name] = Decided(
                    t.part is t.claim.leading,
                    time.process_time() - begun,
                    t.outcome,
                    t.round,
                    t.outcome == t.part.expected,
                )

    with prepared(log=RunLog()) as sweep:
        sweep.clock = time.process_time
        run_rounds(tracks, sweep, Judge(sweep.pool, Derived(None)), seconds=seconds, progress=look)
    return found, tracks


def decided_in_time(seed: int = SEEDS[0], seconds: float = SECONDS) -> Iterator[Row]:
    """How many statements are decided in three minutes, and the processor's seconds until as many are as in version 0.1."""
    found, tracks = timeline(seed, seconds)
    leading = sorted(d.seconds for d in found.values() if d.leading)
    total = sum(t.part is t.claim.leading for t in tracks)
    where = f"in {seconds:g} s of a processor, seed {seed}"
    yield faster(
        f"{len(leading)} of {total} leading statements decided {where}", str(LEADING), len(leading), LEADING, 1
    )
    yield faster(f"{len(found)} of {len(tracks)} statements decided {where}", str(ALL), len(found), ALL, 1)
    until = leading[EARLIER - 1] if len(leading) >= EARLIER else float("inf")
    yield no_slower(f"seconds until {EARLIER} leading statements are decided, seed {seed}", "200 s", 200, until, 1)


SLOW = """
import time
from asymp.montecarlo import experiment
from asymp.reports import claim
from asymp.theory import Param, law, real

slow = law("slow", "1/d", relation="~", params={"d": Param(real(1), (1, 100))}, source="bench")


def simulate(draw, *, d):
    time.sleep(1.0 * draw.replicas)
    return draw.uniform(0.8, 1.2) / d


claim("slow", law=slow, experiment=experiment("slow", simulate), kind="rate", variable="d",
      grid=[{"d": 2**k} for k in range(6)])
"""


def first_answer(limit: float = 120.0) -> Iterator[Row]:
    """A simulator that takes a second a replica, at six sizes, as a user declares it: seconds until the first judgement."""
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "slow.py"
        file.write_text(SLOW, encoding="utf-8")
        load_claims(str(file))
        planned = plan_many(["slow"])
        tracks = tracks_of(planned[0], 1e-3, None)
        first: list[float] = []

        def look(state: State) -> None:
            if not first and tracks[0].evidence is not None:
                first.append(state.seconds)

        with prepared(log=RunLog()) as sweep:
            run_rounds(tracks, sweep, Judge(sweep.pool, Derived(None)), seconds=limit, progress=look)
        registered.clear()
    until = first[0] if first else float("inf")
    yield no_slower("first answer for a simulator of a second a replica at six sizes", "60 s", 60, until, 1)
