"""The works that the laws come from, in bibliography.bib: an entry each, with the name it has in tables above it."""

import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Work:
    """One work: how a table names it, and its BibTeX entry."""

    short: str
    bibtex: str

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


BIBLIOGRAPHY = read_works(Path(__file__).with_suffix(".bib"))


def spell_source(source: str) -> str:
    """A source, such as "cabannes2024, Theorem 1", with the keys of the bibliography spelt out."""
    for key, work in BIBLIOGRAPHY.items():
        if key != "asymp":
            source = source.replace(key, work.short)
    return source.replace("asymp, ", "derived here: ")
