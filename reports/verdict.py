"""Verdicts: what came out, statement by statement, with the evidence behind it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from asymp import reports
from asymp.theory import Erratum

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from asymp.reports.kinds.evidence import Evidence

Outcome = Literal["supported", "refuted", "inconclusive"]
OUTCOME_WORDS = {"supported": "holds", "refuted": "fails", "inconclusive": "open"}
"""What a page says of a statement with an outcome."""


@dataclass(frozen=True)
class StatementVerdict:
    """The outcome of one statement, with what was expected and the evidence; `law` is the id of its law, if it has one.

    `round`: the one after which the evidence was seen, from 0 on; None if the time was up before. `why_open`: what keeps it
    open, in a sentence; empty where it is decided. `first_round`: seconds of one processor that its first round takes.
    """

    name: str
    kind: str
    statement: str
    outcome: Outcome
    expected: str
    margin: float
    evidence: "Evidence"
    budget: float
    law: str
    erratum: Erratum | None = None
    round: int | None = None
    why_open: str = ""
    first_round: float | None = None

    @property
    def as_expected(self) -> bool:
        """Whether the outcome is the expected one, or leaves it open, or nothing was expected at these settings."""
        return self.expected == "open" or self.outcome in (self.expected, "inconclusive")

    def _repr_html_(self) -> str:
        return reports.notebook.part_html(self)


@dataclass(frozen=True)
class Verdict:
    """The verdict on a claim: its outcome is that of what the source says, else of the sharp form.

    `parts`: the statements' verdicts by name. `preset`, `rounds`, `seed`, `settings`: what was run. `budget`: the probability
    with which a true claim is refuted. `seconds`: what it took. `missing`: what could not be measured. `origins`: which
    machines measured it, with which versions.
    """

    claim: str
    outcome: Outcome
    parts: dict[str, StatementVerdict]
    preset: str
    seed: int
    budget: float
    settings: dict[str, Any]
    seconds: float
    rounds: int | None = None
    missing: tuple[str, ...] = ()
    origins: tuple[dict[str, Any], ...] = ()

    @property
    def as_expected(self) -> bool:
        """Whether every part came out as expected, or open."""
        return all(p.as_expected for p in self.parts.values())

    @property
    def inconclusive(self) -> bool:
        """Whether any part was left open."""
        return any(p.outcome == "inconclusive" for p in self.parts.values())

    def plot(self, part: str | None = None) -> "Figure":
        """The figure of one part, the leading one if none is named: what was measured with the law, the ratio below."""
        return reports.notebook.verdict_plot(self, part)

    def _repr_html_(self) -> str:
        return reports.notebook.verdict_html(self)

    def _repr_latex_(self) -> str:
        return reports.notebook.verdict_latex(self)

    def __repr__(self) -> str:
        parts = ", ".join(f"{p.name} {p.outcome}" for p in self.parts.values())
        return f"<Verdict {self.claim}: {self.outcome} ({parts})>"

    def __str__(self) -> str:
        lines = [f"{self.claim}: {self.outcome}"]
        lines += [f"  {p.name}: {p.outcome}. {p.evidence.words}" for p in self.parts.values()]
        return "\n".join(lines)


def headline(verdicts: Sequence[Verdict]) -> str:
    """How many claims came out how."""
    counts = {o: sum(v.outcome == o for v in verdicts) for o in ("supported", "refuted", "inconclusive")}
    wrong = [p.erratum for v in verdicts for p in v.parts.values() if p.outcome == "refuted" and p.erratum]
    errata = sum(erratum.counts for erratum in wrong)
    tail = f"; {errata} {'erratum' if errata == 1 else 'errata'} of the sources confirmed" if errata else ""
    return ", ".join(f"{n} {o}" for o, n in counts.items()) + tail
