"""All laws by id. A module of formulas is imported when one of its laws is first wanted."""

from collections.abc import Iterator, Mapping
from importlib import import_module

from asymp.theory.formulas import MODULES
from asymp.theory.law import Law
from asymp.theory.names import UnknownName, unknown_name
from asymp.theory.statement import Erratum

__all__ = ["LawBook", "errata", "laws"]

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
        module = claim.replace("-", "_")
        return tuple(import_module(f"asymp.theory.formulas.{module}").LAWS) if module in MODULES else ()

    def __iter__(self) -> Iterator[str]:
        for module in MODULES:
            yield from (law.id for law in self.of(module))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"<LawBook of {len(self)} laws: {', '.join(self)}>"


def _why_not(law: Law, word: str) -> str:
    if word == "source":
        return f"{NO_FORMULA.get(law.id, 'its sources state no formula')}; the law itself is {law.id!r}"
    if law.relation == "~":
        return f"{law.id!r} is itself a leading order"
    return f"{law.id!r} is all that is said of its limits"


laws = LawBook()


def errata() -> list[tuple[str, Erratum]]:
    """Every place where a source's statement is wrong: the id of its law, and the erratum."""
    return [(id, erratum) for id in laws for erratum in laws[id].errata]
