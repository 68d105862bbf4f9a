"""Rounds: every statement gets values until it is decided, or the time is up.

After round r each setting of a statement has 2^r times the blocks of the first round. A statement is judged at some of its
rounds; each of the 16 that there can be has a share of both error rates, the one of false refutation and the one of false
support (a sixteenth; orders, which too few runs cannot decide, have theirs later), so that both hold whichever rounds are
looked at and wherever a run stops. What a look decides depends on
the seed and the round alone. Which round is looked at next follows from what was seen; which statement is measured next
follows from what its decision will cost, as far as that can be told.
"""

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from asymp.montecarlo import Estimate
from asymp.montecarlo.independence import dependence, too_few_blocks
from asymp.montecarlo.running.series import Missing, Series
from asymp.montecarlo.running.sweep import Sweep
from asymp.reports.claims import registered
from asymp.reports.judging import Judge, Judged, Measured, judged, outcome_of
from asymp.reports.kinds import Evidence
from asymp.reports.planning import blocks_after, foreseen_rate, size_of
from asymp.reports.track import MOST_AT_ONCE, TRUSTED, Track, duration

LEADING = 8
"""The statement whose outcome is the claim's may take so many times as long as another that is measured before it."""
SLOW = 2.0
"""Seconds of one setting from which on its first values are told before all settings are there."""
POLL = 0.02  # seconds between questions whether a judgement is there, while nothing is simulated

Progress = Callable[["State"], None]


@dataclass(frozen=True)
class State:
    """How far a run is: what is measured now, how many statements are decided of how many, the seconds since it began.

    `waiting`: statements that are not decided and that have time left. `left`: seconds until the time is up, if it is limited.
    `look`: the last look at a statement, what it decided and what was measured; or the first values of a slow simulator.
    """

    doing: str
    decided: int
    waiting: int
    statements: int
    seconds: float
    left: float | None
    look: str = ""


def run_rounds(
    tracks: Sequence[Track],
    sweep: Sweep,
    judge: Judge,
    *,
    seconds: float | None = None,
    progress: Progress | None = None,
) -> None:
    """Measure and judge statements until all are decided, have had their rounds, or the time is up.

    `seconds`: the time by the sweep's clock, None for as long as it takes.
    """
    _Run(tracks, sweep, judge, seconds, progress).run()


class _Run:
    def __init__(
        self,
        tracks: Sequence[Track],
        sweep: Sweep,
        judge: Judge,
        seconds: float | None,
        progress: Progress | None,
    ) -> None:
        self.tracks, self.sweep, self.judge = tracks, sweep, judge
        self.begun = sweep.clock()
        self.seconds = seconds
        sweep.deadline = math.inf if seconds is None else self.begun + seconds
        self.progress, self.told, self.look = progress, 0.0, ""
        self.said: set[str] = set()
        self.ready = [track for track in tracks if track.last >= 0]
        self.measuring: list[Track] = []
        self.judging: list[Track] = []

    @property
    def left(self) -> float:
        """Seconds until the time is up."""
        return math.inf if self.seconds is None else self.begun + self.seconds - self.sweep.clock()

    def run(self) -> None:
        while (self.ready or self.measuring or self.judging) and self.left > 0:
            self._begin_some()
            for track in self.measuring:
                self._line_up(track)
            self._tell()
            if self.measuring:
                self.sweep.step()
            self._tell_first_values()
            for track in [t for t in self.measuring if self._is_measured(t)]:
                self.measuring.remove(track)
                self._begin_judging(track)
            self._collect_judgements(wait=not self.measuring)
        self.sweep.stop()
        for track in [*self.judging]:
            self._take(track, track.pending(None) if track.pending else None)
        for track in self.measuring:
            if track.evidence is None:
                self._judge_what_is_there(track)
        for track in (*self.measuring, *self.ready) if self.seconds is not None else ():
            self._note_time(track)
        self._tell(force=True)
        self.sweep.raise_refusal()
        if self.seconds is not None and all(track.evidence is None for track in self.tracks):
            raise ValueError(
                f"nothing could be measured in {duration(self.seconds)}; a first round often takes some seconds: give more time, "
                "such as 1m, or --plan to see what it takes"
            )

    def _begin_some(self) -> None:
        """Begin the round of the statement whose decision is nearest, leading ones first, until there is work for all workers."""
        while self.ready and (self.sweep.waiting < self.sweep.pool.slots or not self.measuring):
            times = {track: self._seconds_to_decide(track) for track in self.ready}
            track = min(self.ready, key=lambda t: times[t] / (LEADING if t.part is t.claim.leading else 1))
            self.ready.remove(track)
            track.wanted = track.next_round()
            if self._is_too_long(track):
                self._note_time(track)
                continue
            track.line = sorted(track.series, key=size_of) if self._is_unknown(track) else list(track.series)
            self._line_up(track)
            self.measuring.append(track)

    def _note_time(self, track: Track) -> None:
        """Note what a decision would take of a statement for which there is no time."""
        more = track.evidence.rounds_to_decide if track.evidence is not None else None
        if more is not None:
            least = self._seconds_to_decide(track)
            track.too_long = least, max(least, self._seconds_until(track, min(track.last, track.round + more)))

    def _is_unknown(self, track: Track) -> bool:
        """Whether nothing tells what the first round of a statement costs, which matters where the time is limited."""
        told = track.expected is not None and track.expected.first_round is not None
        return track.evidence is None and not told and self.seconds is not None

    def _line_up(self, track: Track) -> None:
        """Ask for the values of a round.

        While their cost is unknown, no more settings than there are workers at a time, the smallest first; one that there is
        no time for, by what the others cost, is left out of this round and of all others.
        """
        while track.line:
            series = track.line[0]
            if self._is_unknown(track):
                begun = [self.sweep.works[s.key] for s in track.series if s not in track.line]
                if sum(not work.settled(1) for work in begun) >= self.sweep.pool.workers:
                    return
                rate = foreseen_rate([(w.series, w.rate) for w in begun if w.rate is not None], series)
                if rate is not None and rate > self.left:
                    track.series.remove(series)
                    track.left_out += (f"{series} (about {duration(rate * blocks_after(track.part, series, 0))})",)
                    track.line.pop(0)
                    continue
            self.sweep.want(series, blocks_after(track.part, series, track.wanted))
            track.line.pop(0)

    def _is_too_long(self, track: Track) -> bool:
        """Whether there is no time for a statement: not for its next round, or not for a decision, even if it comes at best."""
        if track.evidence is None:
            return False
        at_best = (
            track.wanted if track.round < TRUSTED else min(track.last, track.round + track.evidence.rounds_at_best)
        )
        return self._seconds_until(track, max(track.wanted, at_best)) / self.sweep.pool.workers > self.left

    def _seconds_to_decide(self, track: Track) -> float:
        """Seconds of one processor until the statement may be expected to be decided."""
        known = track.expected
        if known is not None and known.first_round is None and track.evidence is None:
            return math.inf  # the reference run had no time for it: it takes longer than the others
        if known is not None and known.first_round is not None and (track.evidence is None or track.round < TRUSTED):
            more = MOST_AT_ONCE if known.outcome == "inconclusive" else 0  # it was left open: it takes longer than that
            return float(known.first_round * 2 ** ((known.round or 0) + more))
        return self._seconds_until(track, track.round_of_decision())

    def _seconds_until(self, track: Track, until: int) -> float:
        """Seconds of one processor for the blocks that a statement still lacks of a round."""
        total = 0.0
        for series in track.series:
            work = self.sweep.works.get(series.key)
            if work is not None and work.rate is not None:
                total += work.rate * max(0, blocks_after(track.part, series, until) - work.blocks)
        return total

    def _is_measured(self, track: Track) -> bool:
        return not track.line and all(
            self.sweep.works[s.key].settled(blocks_after(track.part, s, track.wanted)) for s in track.series
        )

    def _measured(self, track: Track) -> Measured:
        return [(s.params, self._estimate(track, s)) for s in track.series]

    def _estimate(self, track: Track, series: Series) -> Estimate | Missing:
        if series in track.line:
            return Missing(f"{series}: the time was up before")
        try:
            values = self.sweep.values(series.key, track.part.replicas_at(track.wanted, series.params))
            block = series.experiment.block
            if track.claim.id in registered and (wrong := dependence(values, block, series.stream)):
                return Missing(f"experiment {series.experiment.id!r}: {wrong}")
            return series.experiment.estimate(values, **series.params)
        except Missing as missing:
            return missing
        except ValueError as error:  # such as a value outside the bounds that the experiment declares
            return Missing(str(error))

    def _begin_judging(self, track: Track) -> None:
        track.pending = self.judge.begin(
            track.claim, track.number, self._measured(track), level=track.level, support=track.support
        )
        self.judging.append(track)

    def _collect_judgements(self, *, wait: bool) -> None:
        for track in list(self.judging):
            assert track.pending is not None
            found = track.pending(POLL if wait else 0)
            wait = wait and found is None
            if found is not None:
                self._take(track, found)

    def _take(self, track: Track, found: Judged | None) -> None:
        """Have what a look has shown; a statement that it leaves open goes on, unless values are missing."""
        self.judging.remove(track)
        if found is None:
            return
        evidence, seconds = found
        track.judging += seconds
        track.pending = None
        self._look(track, evidence)
        partial = track.left_out and (evidence.shown or evidence.obstacle)  # more of the other settings would not help
        more = not (evidence.missing or evidence.final or partial)
        if track.outcome == "inconclusive" and track.round < track.last and more:
            self.ready.append(track)
        else:
            self._forget(track)

    def _look(self, track: Track, evidence: Evidence) -> None:
        """Have what a look has shown. What was not measured at all its settings is never supported."""
        outcome = outcome_of(evidence, track.level)
        if outcome != "inconclusive" and track.claim.id in registered and self._may_share(track):
            why = "too few blocks to tell whether their replicas share randomness"
            evidence, outcome = replace(evidence, could_refute=False, obstacle=why), "inconclusive"
        track.evidence, track.round = evidence, track.wanted
        track.outcome = "inconclusive" if track.left_out and outcome == "supported" else outcome
        line = evidence.summary()
        found = f", {line.what} {line.measured} ({line.interval})" if line.interval else ""
        self.look = f"{track.name}: {track.outcome} after round {track.round}{found}"
        self._tell(force=True)

    def _may_share(self, track: Track) -> bool:
        """Whether the blocks of some setting are too few, or too much alike, for a decision."""
        for series in track.series:
            with suppress(Missing):
                values = self.sweep.values(series.key, track.part.replicas_at(track.wanted, series.params))
                if np.ptp(values) and too_few_blocks(values, series.experiment.block, len(track.series)):
                    return True
        return False

    def _forget(self, track: Track) -> None:
        """Let go of the values that no other statement waits for."""
        wanted = {s.key for t in (*self.ready, *self.measuring, *self.judging) for s in t.series}
        for series in track.series:
            if series.key not in wanted:
                self.sweep.works[series.key].pieces.clear()

    def _judge_what_is_there(self, track: Track) -> None:
        """The time was up in the first round: judge the settings that were finished, and say which were not."""
        measured = self._measured(track)
        there = [(params, e) for params, e in measured if isinstance(e, Estimate)]
        track.left_out += tuple(
            str(s) for s, (_, e) in zip(track.series, measured, strict=True) if isinstance(e, Missing)
        )
        if there:
            self._look(track, judged(track.part, there, level=track.level, support=track.support))

    def _tell_first_values(self) -> None:
        """Say what a slow simulator gave at each setting, as long as nothing was judged."""
        for track in [t for t in self.measuring if t.evidence is None]:
            for series in [s for s in track.series if s not in track.line and s.key not in self.said]:
                work = self.sweep.works[series.key]
                if (
                    work.settled(1)
                    and work.spent >= SLOW
                    and isinstance(found := self._estimate(track, series), Estimate)
                ):
                    self.said.add(series.key)
                    self.look = f"{track.name}: {series}: {found.mean:.4g}, the mean of {found.replicas} values"
                    self._tell(force=True)

    def _tell(self, *, force: bool = False) -> None:
        now = self.sweep.clock()
        if self.progress is None or (now - self.told < 0.25 and not force):
            return
        self.told = now
        decided = sum(t.outcome != "inconclusive" for t in self.tracks)
        waiting = len(self.ready) + len(self.measuring) + len(self.judging)
        doing = self.measuring[0].name if self.measuring else ""
        left = None if self.seconds is None else max(0.0, self.left)
        self.progress(State(doing, decided, waiting, len(self.tracks), now - self.begun, left, self.look))
        self.look = ""
