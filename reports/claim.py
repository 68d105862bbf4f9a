"""A Claim: statements that are judged together under one budget."""

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from asymp import reports
from asymp.books import Book, books
from asymp.reports.kinds import Statement
from asymp.theory.laws import paragraphs

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Claim:
    """A claim of the ledger or of a user: an id, and statements (`parts`) that are judged together under one budget.

    What else is to be said of a claim of the ledger stands in the Markdown file next to its own, under headings.

    Args:
        id: its name, by which it is checked.
        parts: its statements.
        title: what it says, in a few words, for lists and pages.
        source: the works that state it, for lists and pages.
        order: its place within the section; the smallest comes first.
        few_settings: why fewer drawn settings of it are tried on every commit than of others.
        simulation: how its experiments are done, in words, where that does not stand in its Markdown file.
        parameters: the names that a user may set, if not those of the grids.
    """

    id: str
    parts: tuple[Statement, ...]
    title: str = ""
    source: str = ""
    order: int = 1000
    few_settings: str = ""
    simulation: str = ""
    parameters: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Claim {self.id}: {self.title or self.id} ({', '.join(f'{p.name}, {p.kind}' for p in self.parts)})>"

    @property
    def simulated(self) -> str:
        """How its experiments are done, in words: its own, or those under "Simulation" in its Markdown file."""
        return self.simulation or " ".join(written_of(self.id).get("Simulation", ()))

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be known of the claim, a paragraph each."""
        return written_of(self.id).get("Notes", ())

    @property
    def worth_seeing(self) -> tuple[tuple[str, str, str], ...]:
        """Results for the front of a report: the statement's name, a title that is right if it is refuted, and what to see."""
        written = written_of(self.id).get("Worth seeing", ())
        found = (re.fullmatch(r"`([^`]+)` ([^.]+\.) (.*)", paragraph) for paragraph in written)
        return tuple((one[1], one[2], one[3]) for one in found if one)

    @property
    def deviations(self) -> tuple[str, ...]:
        """What was changed after an outcome was seen, a paragraph each."""
        return written_of(self.id).get("Changed after a look", ())

    @property
    def unmeasured(self) -> tuple[str, ...]:
        """What the source says that no statement measures, and why, in whole sentences."""
        return written_of(self.id).get("Not measured", ())

    @property
    def kind(self) -> str:
        """The kind of the leading statement."""
        return self.leading.kind

    @property
    def leading(self) -> Statement:
        """The statement whose outcome is the claim's: what the source says, else the sharp form."""
        for name in ("source", "sharp"):
            for candidate in self.parts:
                if candidate.name == name:
                    return candidate
        return self.parts[0]

    def plot(self, part: str | None = None, **how: Any) -> "Figure":
        """Check the claim and draw one of its statements.

        `part`: the name of the statement; the leading one, if none is named. `how`: passed to `check`: preset, seed, store.
        """
        return reports.notebook.claim_plot(self, part, **how)

    def _repr_html_(self) -> str:
        return reports.notebook.claim_html(self)


def written_of(id: str) -> dict[str, tuple[str, ...]]:
    """The paragraphs of `claims/<section>/<id>.md` by heading; none for a claim without such a file."""
    return _written(books()).get(id.replace("-", "_"), {})


@cache
def _written(books: tuple[Book, ...]) -> dict[str, dict[str, tuple[str, ...]]]:
    return {file.stem: paragraphs(file.with_suffix(".md")) for book in books for _, file in book.files("claims")}
