"""All laws by id: `laws/<section>/<id>.py` holds a tuple LAWS, the source's own statement and beside it the sharp form.

A file is imported when one of its laws is first wanted. What is to be said of its laws in prose stands in
`laws/<section>/<id>.md`: the paragraphs under the heading `id:word` are notes of that law; those under `id:word, corrected by
id:other, at source, place` are its errata, three paragraphs each: the regime, the discrepancy, and its grade with the reason; the
place is one of `theory/quotations/<source>.md`. Where no source states a formula, the words under `id:source` say why there is no
such law.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path

from asymp.books import Book, books
from asymp.theory.law import Law
from asymp.theory.names import UnknownName, unknown_name
from asymp.theory.sources import GRADES, SHARPENING, Erratum, read_errata

CORRECTED = ", corrected by "
"""Between the id of a law and that of the law which takes its place, in the heading of an erratum."""

OURS = "asymp"
"""The key, in the bibliography, of what no source says and this project derives."""


class LawBook(Mapping[str, Law]):
    """The laws of all books by id: `id` is the sharp form, `id:source` what the source says, others `id:word`.

    Where nothing sharper is known than the source's own statement (an order, a published figure), `id` is that statement
    and `id:source` another name of it, which is not listed.
    """

    def __getitem__(self, id: str) -> Law:
        base, _, word = id.partition(":")
        found = {law.id: law for law in self.of(base)}
        if id in found:
            return found[id]
        if word == "source" and base in found and found[base].source.key != OURS:
            return found[base]
        if base in found and word in ("source", "asymptotic"):
            raise UnknownName(f"there is no law named {id!r}: {self._why_not(found[base], word)}")
        raise UnknownName(unknown_name("law", id, list(self)))

    def of(self, claim: str) -> tuple[Law, ...]:
        """All laws of one claim; none if there is no such claim."""
        found = _files(books()).get(claim.replace("-", "_"))
        return _with_notes(*found) if found else ()

    @staticmethod
    def _why_not(law: Law, word: str) -> str:
        if word == "source":
            _, file = _files(books())[law.id.replace("-", "_")]
            why = " ".join(
                paragraphs(file.with_suffix(".md")).get(f"{law.id}:source", ("its sources state no formula",))
            )
            return f"{why}; the law itself is {law.id!r}"
        if law.relation == "~":
            return f"{law.id!r} is itself a leading order"
        return f"{law.id!r} is all that is said of its limits"

    def __iter__(self) -> Iterator[str]:
        for file in _files(books()):
            yield from (law.id for law in self.of(file))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)

    def __repr__(self) -> str:
        return f"<LawBook of {len(self)} laws: {', '.join(self)}>"


def offered() -> list[str]:
    """The names by which laws are imported: those of their files."""
    return list(_files(books()))


@cache
def _files(books: tuple[Book, ...]) -> dict[str, tuple[str, Path]]:
    """The modules of laws with their files, by the file's name: book by book, section by section."""
    return {file.stem: (module, file) for book in books for module, file in book.files("laws")}


@cache
def _with_notes(module: str, file: Path) -> tuple[Law, ...]:
    """The laws of a file, each with its notes and errata from the Markdown file next to it."""
    said = paragraphs(file.with_suffix(".md"))
    wrong: dict[str, tuple[Erratum, ...]] = {}
    for heading, words in said.items():
        id, _, rest = heading.partition(CORRECTED)
        right, _, place = rest.partition(", at ")
        if right:
            wrong[id] = (*wrong.get(id, ()), *read_errata(id, right, place, words))
    found: tuple[Law, ...] = import_module(module).LAWS
    return tuple(
        replace(law, notes=law.notes + said.get(law.id, ()), errata=law.errata + wrong.get(law.id, ())) for law in found
    )


def paragraphs(file: Path) -> dict[str, tuple[str, ...]]:
    """The paragraphs of a Markdown file by the heading above them; none if there is no such file."""
    found: dict[str, tuple[str, ...]] = {}
    heading = ""
    for block in file.read_text(encoding="utf-8").split("\n\n") if file.exists() else ():
        text = " ".join(block.split())
        if text.startswith("#"):
            heading = text.lstrip("# ")
        elif text:
            found[heading] = (*found.get(heading, ()), text)
    return found


laws = LawBook()


def errata(*claims: str) -> list[tuple[str, Erratum]]:
    """Every place where a source's statement fails or can be sharpened: the id of its law, and the erratum with its grade.

    Args:
        claims: ids of claims whose laws are looked at, and no others loaded; all laws, if none is given.
    """
    found = [law for claim in claims for law in laws.of(claim)] if claims else list(laws.values())
    return [(law.id, erratum) for law in found for erratum in law.errata]


Row = tuple[str, Erratum]


def graded(rows: Sequence[Row]) -> dict[str, list[tuple[Row, list[Row]]]]:
    """Errata by grade, each with those that make the same point elsewhere: of its grade, naming its law.

    Within a grade, what changes nothing at the source's own sizes comes last.

    Args:
        rows: pairs of a law's id and an erratum, as `errata()` gives them.
    """
    twins: dict[tuple[str, str], list[Row]] = {}
    found: dict[str, list[tuple[Row, list[Row]]]] = {grade: [] for grade in (*GRADES, SHARPENING)}
    for id, erratum in rows:
        if erratum.same_as:
            twins.setdefault((erratum.same_as, erratum.grade), []).append((id, erratum))
    for id, erratum in rows:
        if not erratum.same_as:
            found[erratum.grade].append(((id, erratum), twins.pop((id, erratum.grade), [])))
    return {grade: sorted(points, key=lambda p: p[0][1].beyond) for grade, points in found.items() if points}
