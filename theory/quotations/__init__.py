"""What the sources say, in their own words and their own order: a Markdown file for each source, named by its key.

Every heading is a place of the source. Under it stand a quotation (after ">"), how it is read here, and the statements of
claims that take it up ("Statements: claim name, claim name"), or why none does ("Not measured: ..."). A reading that begins
with "Recalled:" or "Read into it:" has that standing; all others are quoted. The words of a quotation stand literally in the
source, but for white space; formulas are in LaTeX, as there.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from asymp.books import books

STANDINGS = {
    "quoted": "the words are at hand",
    "recalled": "the full text was not at hand: the formula, a constant or a condition is from memory",
    "read into it": "an informal sentence, made testable by a reading of ours",
    "derived here": "no source says it; a result of this project",
}
"""How a statement stands to its source."""

NOT_MEASURED = "Not measured"


@dataclass(frozen=True)
class Quotation:
    """What a source says at one place.

    Args:
        key: the source's key in the bibliography.
        place: where it stands: a proposition, a figure, a slide.
        words: the source's own words.
        standing: one of `STANDINGS`.
        reading: how the words are read here.
        statements: the statements of claims that take it up, as (claim, name).
        not_measured: why nothing does, if nothing does.
    """

    key: str
    place: str
    words: str
    standing: str
    reading: str
    statements: tuple[tuple[str, str], ...]
    not_measured: str


def quotations() -> tuple[Quotation, ...]:
    """All quotations: source by source, each in its own order."""
    return _read(tuple(_files()))


@cache
def _read(files: tuple[Path, ...]) -> tuple[Quotation, ...]:
    return tuple(quotation for file in files for quotation in read_quotations(file))


ORDER = ("cabannes2024", "bietti2025", "bietti2024")
"""The ledger's sources in the order in which they are read: the paper, then the talks, the newest first."""


def _files() -> list[Path]:
    """The ledger's files in their order, then those of the books of other packages."""
    own = [Path(__file__).parent / f"{key}.md" for key in ORDER]
    return [
        *own,
        *(f for book in books() for folder in book.folders for f in sorted((folder / "quotations").glob("*.md"))),
    ]


def quoted() -> tuple[str, ...]:
    """The keys of all sources that are quoted, in the order in which they are read."""
    return tuple(file.stem for file in _files())


def read_quotations(file: Path) -> Iterator[Quotation]:
    """The quotations of one file. What stands above its first place is a remark and is not read."""
    for part in re.split(r"^## ", file.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        place, _, rest = part.partition("\n")
        blocks = [" ".join(block.split()) for block in rest.strip().split("\n\n")]
        words = [block.removeprefix("> ") for block in blocks if block.startswith("> ")]
        taken = [block.partition(": ")[2] for block in blocks if block.startswith("Statements: ")]
        said = [block for block in blocks if not block.startswith(("> ", "Statements: "))]
        if len(words) != 1 or len(taken) > 1 or len(said) != 1 or (not taken and not said[0].startswith(NOT_MEASURED)):
            raise ValueError(
                f"{file.name}, {place!r}: needs one quotation after '>', one paragraph that reads it, and 'Statements: ...', "
                f"or '{NOT_MEASURED}: ...' in their place"
            )
        label, _, after = said[0].partition(": ")
        standing = label.lower() if label.lower() in STANDINGS else "quoted"
        names = [tuple(name.split(" ", 1)) for name in taken[0].split(", ")] if taken else []
        yield Quotation(
            key=file.stem,
            place=place.strip(),
            words=words[0],
            standing=standing,
            reading=after[:1].upper() + after[1:] if standing != "quoted" else said[0],
            statements=tuple((claim, name) for claim, name in names),
            not_measured="" if taken else said[0],
        )


def quotations_of(claim: str, statement: str) -> list[Quotation]:
    """The places of sources that a statement of a claim takes up."""
    return [quotation for quotation in quotations() if (claim, statement) in quotation.statements]


def recalled(claim: str, statement: str) -> bool:
    """Whether the sources' words of a statement are at hand nowhere."""
    found = quotations_of(claim, statement)
    return bool(found) and all(quotation.standing == "recalled" for quotation in found)
