"""A statement on its way to a decision: what was seen of it so far, its next round, and what keeps it open."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from asymp.montecarlo.running.series import Series
from asymp.montecarlo.running.sweep import Sweep
from asymp.reports.claim import Claim
from asymp.reports.judging import Judged
from asymp.reports.kinds import Evidence, Statement
from asymp.reports.kinds.evidence import LOOKS, SUPPORT_LEVEL
from asymp.reports.planning import blocks_after
from asymp.reports.reference import Reference
from asymp.reports.verdict import Outcome

MOST_AT_ONCE = 3
"""So many rounds are taken at one go: a forecast from few values is not to be trusted with more."""
TRUSTED = 3
"""Forecasts from fewer rounds are not believed: intervals of bounded values shrink much faster at first."""
MOST_NAMED = 8
"""Settings that a sentence names one by one."""


@dataclass(eq=False)
class Track:
    """A statement on its way to a decision.

    `budget`: the probability with which it may be refuted though it is true, over all looks. `expected`: what the reference
    run found, which says what it may cost. `round`: the last one that was judged, -1 before the first; `wanted`: the one that
    is measured now; `last`: the last one that it may have. `too_long`: where there was no time for a decision, the seconds that
    it would have taken, from the least to what the intervals forecast. `line`: settings of this round that nothing was asked for
    yet. `left_out`: settings for which there was no time. `judging`: seconds spent on that.
    """

    claim: Claim
    number: int
    series: list[Series]
    budget: float
    expected: Reference | None = None
    last: int = LOOKS - 1
    round: int = -1
    wanted: int = 0
    outcome: Outcome = "inconclusive"
    evidence: Evidence | None = None
    too_long: tuple[float, float] | None = None
    line: list[Series] = field(default_factory=list)
    left_out: tuple[str, ...] = ()
    judging: float = 0.0
    pending: Callable[[float | None], Judged | None] | None = field(default=None, repr=False)

    @property
    def part(self) -> Statement:
        """The statement."""
        return self.claim.parts[self.number]

    @property
    def name(self) -> str:
        """The claim and the statement, for messages."""
        return f"{self.claim.id} {self.part.name}"

    @property
    def level(self) -> float:
        """What the look at the round that is measured now may spend of the budget."""
        return self.budget * self.part.share_of_look(self.wanted)

    @property
    def support(self) -> float:
        """What it may spend of the 1 % of false support."""
        return SUPPORT_LEVEL * self.part.share_of_look(self.wanted)

    def next_round(self) -> int:
        """The round to look at next: the first that could decide, since a look takes less time than a round too many."""
        more = self.evidence.rounds_at_best if self.evidence is not None else 1
        return min(self.last, self.round + min(MOST_AT_ONCE, more))

    def round_of_decision(self) -> int:
        """The round at which a decision may be expected; with nothing to go by, or too few rounds to trust, three rounds on."""
        more = self.evidence.rounds_to_decide if self.evidence is not None else 1
        more = min(more or MOST_AT_ONCE, MOST_AT_ONCE) if self.round < TRUSTED else more or MOST_AT_ONCE
        return min(self.last, self.round + more)

    def why_open(self) -> str:
        """What keeps the statement open, in a sentence, with the time that would decide it where that can be told."""
        if self.evidence is None:
            why = "the time was up before it was measured" if self.last >= 0 else "it was left out"
            return f"Too few runs: {why}."
        words = self.evidence.why_open(self.round)
        if self.left_out:
            more = f" and {len(self.left_out) - MOST_NAMED} more" if len(self.left_out) > MOST_NAMED else ""
            where = f"there was no time for {', '.join(self.left_out[:MOST_NAMED])}{more}"
            words = f"it holds where it was measured, but {where}" if self.evidence.shown else f"{words}; {where}"
        elif words == "too few runs" and self.evidence.rounds_to_decide is not None:
            words += f"; {self._what_would_decide(self.round + 1 + self.evidence.rounds_to_decide)}"
        return f"{words[0].upper()}{words[1:]}."

    def _what_would_decide(self, rounds: int) -> str:
        """So many rounds, or the time that they take, where the time was up."""
        if rounds > LOOKS:
            return f"the {LOOKS} rounds that there are may not be enough"
        if self.too_long is None:
            return f"about {rounds} rounds would decide it"
        least, most = map(duration, self.too_long)
        return f"about {least}{f' to {most}' if most != least else ''} of one processor would decide it"


def not_begun(part: Statement) -> Evidence:
    """What is known of a statement of which nothing was measured."""
    return Evidence(
        shown=False,
        p_value=1.0,
        points=(),
        words="Nothing was measured: the time was up before.",
        seen=math.inf,
        wanted=part.margin,
        needed=None,
        could_refute=False,
    )


def first_round_cost(track: Track, sweep: Sweep) -> float | None:
    """Seconds of one processor that the first round of a statement takes; None if not all of it was timed."""
    works = [(s, sweep.works.get(s.key)) for s in track.series]
    rates = [(s, None if work is None else work.rate) for s, work in works]
    if any(rate is None for _, rate in rates):
        return None
    return sum(rate * blocks_after(track.part, s, 0) for s, rate in rates if rate is not None)


def duration(seconds: float) -> str:
    """A time in words, such as '40 s', '12 min' or '3.5 h'."""
    if seconds < 120:
        return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.2g} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
