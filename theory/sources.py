"""What comes with a formula: where it is stated, under which condition, and where the statement is wrong.

The works that the laws come from, in bibliography.bib: an entry each, with the name it has in tables above it.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from asymp.books import Book, books
from asymp.theory.lazy import Bools
from asymp.theory.quotations import Quotation, quotations

Values = Mapping[str, Any]
"""The values of a law's parameters: arrays of float64, and words."""


@dataclass(frozen=True)
class Source:
    """Where a statement is made: a key of the bibliography and the place in it (theorem, slide, figure)."""

    key: str
    place: str = ""

    def __str__(self) -> str:
        return f"{self.key}, {self.place}" if self.place else self.key


@dataclass(frozen=True)
class Condition:
    """A condition on several parameters together: `holds` takes the values, `message` says what would be right."""

    holds: Callable[[Values], Bools]
    message: str


GRADES = {
    "wrong": "the words are false in the regime they speak of",
    "needs a condition": "true with a condition that is not said",
    "constant or order hidden": "right as an order of magnitude; not counted as an erratum",
    "only if read literally": "the author means something that holds; not counted as an erratum",
}
"""How far a source's statement fails."""

SHARPENING = "sharpening"
"""The grade of what is no failure of the source."""
MEANINGS = {
    **GRADES,
    SHARPENING: "nothing false is said, and a result of this project says more; not counted as an erratum",
}


@dataclass(frozen=True)
class Erratum:
    """A place where a source's statement, or what one might read into it, fails, and the law that holds there.

    Args:
        regime: where it fails.
        discrepancy: what is measured or derived there, in words.
        corrected_by: the id of the law that takes its place.
        grade: one of `GRADES`, or "sharpening".
        why: why it has this grade, in words that its author could agree to.
        same_as: the id of the law, if any, whose erratum makes the same point and is counted for both.
        at: the key of the source and the place whose words these are, "bietti2025, Slide 29, learnability".
    """

    regime: str
    discrepancy: str
    corrected_by: str
    grade: str
    why: str
    same_as: str = ""
    at: str = ""

    @property
    def quotation(self) -> Quotation | None:
        """The source's own words, where they are at hand."""
        return next((q for q in quotations() if f"{q.key}, {q.place}" == self.at), None)

    @property
    def order(self) -> int:
        """The place of its grade in lists."""
        return (*GRADES, SHARPENING).index(self.grade)

    @property
    def counts(self) -> bool:
        """Whether it is one of the errata of the headline.

        Wrong or in need of a condition, not said elsewhere, and not of a statement that is only recalled.
        """
        recalled = self.quotation is not None and self.quotation.standing == "recalled"
        return self.order < 2 and not self.same_as and not recalled


def read_errata(law: str, corrected_by: str, at: str, paragraphs: Sequence[str]) -> Iterator[Erratum]:
    """The errata under one heading: three paragraphs each, where it fails, how, and "Grade: why"."""
    for regime, discrepancy, graded in zip(*[iter(paragraphs)] * 3, strict=True):
        found = re.fullmatch(r"([^,:]+)(?:, as (\S+))?: (.*)", graded)
        grade = found[1].lower() if found else ""
        if not found or grade not in (*GRADES, SHARPENING):
            raise ValueError(f"an erratum of {law!r} must end in {', '.join(GRADES)} or {SHARPENING}; got {graded!r}")
        why = found[3][0].upper() + found[3][1:]
        yield Erratum(regime, discrepancy, corrected_by, grade, why, found[2] or "", at)


@dataclass(frozen=True)
class Work:
    """One work: how a table names it, and its BibTeX entry."""

    short: str
    bibtex: str

    @property
    def links(self) -> dict[str, str]:
        """Where it can be read: addresses by what they are called."""
        arxiv, doi = (re.search(pattern, self.bibtex) for pattern in (r"arXiv:([\d.]+)", r"doi\s*=\s*\{([^}]+)\}"))
        found = {f"arXiv:{arxiv[1]}": f"https://arxiv.org/abs/{arxiv[1]}"} if arxiv else {}
        return found | ({f"doi:{doi[1]}": f"https://doi.org/{doi[1]}"} if doi else {})

    @property
    def sentence(self) -> str:
        """The work as a sentence: authors, title, where, year."""
        fields = dict(re.findall(r"(\w+)\s*=\s*\{(.*?)\}\s*,?\s*\n", self.bibtex + "\n"))
        fields["author"] = fields.get("author", "").replace(" and ", "; ")
        named = ("author", "title", "booktitle", "journal", "howpublished", "note", "year")
        return ". ".join(fields[name] for name in named if fields.get(name)) + "."


def read_works(file: Path) -> dict[str, Work]:
    """The works of a BibTeX file by key; entries stand apart by an empty line."""
    entries = file.read_text(encoding="utf-8").strip().split("\n\n")
    named = (entry.removeprefix("% ").split("\n", 1) for entry in entries)
    return {bibtex[bibtex.index("{") + 1 : bibtex.index(",")]: Work(short, bibtex) for short, bibtex in named}


class Bibliography(Mapping[str, Work]):
    """The works of the ledger, and those of the books of other packages, by key."""

    @property
    def _works(self) -> dict[str, Work]:
        return _works(books())

    def __getitem__(self, key: str) -> Work:
        return self._works[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._works)

    def __len__(self) -> int:
        return len(self._works)


@cache
def _works(books: tuple[Book, ...]) -> dict[str, Work]:
    files = [
        Path(__file__).with_name("bibliography.bib"),
        *(f / "bibliography.bib" for book in books for f in book.folders),
    ]
    return {key: work for file in files if file.is_file() for key, work in read_works(file).items()}


BIBLIOGRAPHY = Bibliography()


def spell_source(source: str) -> str:
    """A source, such as "cabannes2024, Theorem 1", with the keys of the bibliography spelt out."""
    for key, work in BIBLIOGRAPHY.items():
        if key != "asymp":
            source = source.replace(key, work.short)
    return source.replace("asymp, ", "derived here: ")
