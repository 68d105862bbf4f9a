"""All laws by id: `laws/<section>/<id>.py` holds a tuple LAWS, the source's own statement and beside it the sharp form.

A file is imported when one of its laws is first wanted. What is to be said of its laws in prose stands in
`laws/<section>/<id>.md`: the paragraphs under the heading `id:word` are notes of that law; those under `id:word, corrected by
id:other` are its errata, for each the regime and then the discrepancy.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path

from asymp.theory.law import Law
from asymp.theory.names import UnknownName, unknown_name
from asymp.theory.sources import Erratum

SECTIONS = ("scores", "capacity", "scaling", "training", "transformers")
"""The folders of laws, samplers and claims, in the order in which they are read."""

FILES = {
    file.stem: section for section in SECTIONS for file in sorted((Path(__file__).parent / section).glob("[a-z]*.py"))
}

CORRECTED = ", corrected by "
"""Between the id of a law and that of the law which takes its place, in the heading of an erratum."""

OURS = "asymp"
"""The key, in the bibliography, of what no source says and this project derives."""


NO_FORMULA = {
    "score-covariance": "the sources say nothing of the covariances",
    "exact-recall-error": "the sources bound the error and do not compute it",
    "error-map": "the source shows its map as a figure (cabannes2024, Figure 3)",
    "induction-weights": "the source says in words that the head, written as sums of outer products, solves the task",
    "in-context-denoising": "the source says in words that one layer of attention emerges as one step of retrieval",
}
"""Claims without `id:source`, and why: their sources state no formula."""


class LawBook(Mapping[str, Law]):
    """The laws of the ledger by id: `id` is the sharp form, `id:source` what the source says, others `id:word`.

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
            raise UnknownName(f"there is no law named {id!r}: {_why_not(found[base], word)}")
        raise UnknownName(unknown_name("law", id, list(self)))

    def of(self, claim: str) -> tuple[Law, ...]:
        """All laws of one claim; none if there is no such claim."""
        file = claim.replace("-", "_")
        return _with_notes(file) if file in FILES else ()

    def __iter__(self) -> Iterator[str]:
        for file in FILES:
            yield from (law.id for law in self.of(file))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)

    def __repr__(self) -> str:
        return f"<LawBook of {len(self)} laws: {', '.join(self)}>"


@cache
def _with_notes(file: str) -> tuple[Law, ...]:
    """The laws of a file, each with its notes and errata from the Markdown file next to it."""
    said = paragraphs(Path(__file__).parent / FILES[file] / f"{file}.md")
    wrong: dict[str, tuple[Erratum, ...]] = {}
    for heading, words in said.items():
        id, _, right = heading.partition(CORRECTED)
        if right:
            pairs = zip(words[::2], words[1::2], strict=True)
            wrong[id] = (*wrong.get(id, ()), *(Erratum(regime, discrepancy, right) for regime, discrepancy in pairs))
    found: tuple[Law, ...] = import_module(f"asymp.theory.laws.{FILES[file]}.{file}").LAWS
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


def _why_not(law: Law, word: str) -> str:
    if word == "source":
        return f"{NO_FORMULA.get(law.id, 'its sources state no formula')}; the law itself is {law.id!r}"
    if law.relation == "~":
        return f"{law.id!r} is itself a leading order"
    return f"{law.id!r} is all that is said of its limits"


laws = LawBook()


def errata(*claims: str) -> list[tuple[str, Erratum]]:
    """Every place where a source's statement is wrong: the id of its law, and the erratum.

    Args:
        claims: ids of claims whose laws are looked at, and no others loaded; all laws, if none is given.
    """
    found = [law for claim in claims for law in laws.of(claim)] if claims else list(laws.values())
    return [(law.id, erratum) for law in found for erratum in law.errata]
