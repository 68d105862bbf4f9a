"""The page of a source: what it says, place by place in its own order, with the verdict on each statement."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from asymp.reports.page.render import page_of
from asymp.reports.verdict import StatementVerdict, Verdict
from asymp.theory import Erratum
from asymp.theory.quotations import Quotation, quotations, quoted
from asymp.theory.sources import BIBLIOGRAPHY

UNCHECKED = "not checked"


@dataclass(frozen=True)
class Taken:
    """A statement that takes up a place of a source: what it says, its outcome in this run, and where its figure is."""

    claim: str
    name: str
    statement: str
    outcome: str
    page: str
    erratum: Erratum | None


@dataclass(frozen=True)
class Place:
    """A place of a source, the `number`-th: the quotation, and the statements that take it up."""

    number: int
    quotation: Quotation
    taken: tuple[Taken, ...]

    @property
    def shown(self) -> tuple[str, str] | None:
        """The statement whose figure stands here, as (claim, name): one that fails, else one that is decided, else the first."""
        order = ("refuted", "supported", "inconclusive")
        checked = [t for t in self.taken if t.outcome in order]
        best = min(checked, key=lambda t: order.index(t.outcome), default=None)
        return (best.claim, best.name) if best else None

    @property
    def outcomes(self) -> Mapping[str, int]:
        """How many of its statements came out how; those that were not checked are not counted."""
        return Counter(t.outcome for t in self.taken if t.outcome != UNCHECKED)


@dataclass(frozen=True)
class SourceView:
    """A source: its key, its name in a table, the work as a sentence, its places, and how many have which standing."""

    key: str
    short: str
    work: str
    page: str
    places: tuple[Place, ...]
    standings: Mapping[str, int]

    @property
    def outcomes(self) -> Mapping[str, int]:
        """How many of its statements came out how, each counted once."""
        return Counter({(t.claim, t.name): t.outcome for place in self.places for t in place.taken}.values())


def source_views(verdicts: Sequence[Verdict]) -> tuple[SourceView, ...]:
    """Every source of which a run checked a statement, with the verdicts on what it says."""
    checked = {(verdict.claim, part.name): part for verdict in verdicts for part in verdict.parts.values()}
    found = (_source(key, checked) for key in quoted())
    return tuple(source for source in found if set(source.outcomes) - {UNCHECKED})


def _source(key: str, checked: Mapping[tuple[str, str], StatementVerdict]) -> SourceView:
    own = [quotation for quotation in quotations() if quotation.key == key]
    work = BIBLIOGRAPHY[key]
    return SourceView(
        key=key,
        short=work.short,
        work=work.sentence,
        page=f"sources/{key}.html",
        places=tuple(
            Place(number, q, tuple(_taken(*named, checked.get(named)) for named in q.statements))
            for number, q in enumerate(own, 1)
        ),
        standings=Counter(quotation.standing for quotation in own),
    )


def _taken(claim: str, name: str, verdict: StatementVerdict | None) -> Taken:
    if verdict is None:
        return Taken(claim, name, "", UNCHECKED, "", None)
    return Taken(claim, name, verdict.statement, verdict.outcome, page_of(claim, name), verdict.erratum)
