"""The works that the laws come from, in bibliography.bib: an entry each, with the name it has in tables above it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from asymp.books import Book, books


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
    files = [Path(__file__).with_suffix(".bib"), *(f / "bibliography.bib" for book in books for f in book.folders)]
    return {key: work for file in files if file.is_file() for key, work in read_works(file).items()}


BIBLIOGRAPHY = Bibliography()


def spell_source(source: str) -> str:
    """A source, such as "cabannes2024, Theorem 1", with the keys of the bibliography spelt out."""
    for key, work in BIBLIOGRAPHY.items():
        if key != "asymp":
            source = source.replace(key, work.short)
    return source.replace("asymp, ", "derived here: ")
