"""The figures' names, titles and sources, as plain data: listing them loads neither SymPy nor torch."""

from collections.abc import Iterable
from dataclasses import dataclass

from asymp.theory.names import UnknownName, unknown_name


@dataclass(frozen=True)
class Entry:
    """A figure by its name; its declaration is FIGURE in the module of that name."""

    name: str
    title: str
    source: str

    @property
    def module(self) -> str:
        """Where it is declared."""
        return f"asymp.reports.figures.{self.name.replace('-', '_')}"


TALKS = "bietti2025, bietti2024"
ENTRIES = (
    Entry("figure-1", "Error against dimensions and samples", "cabannes2024, Figure 1"),
    Entry("figure-2", "Three memories that interfere", "cabannes2024, Figure 2"),
    Entry("figure-3", "Error over dimensions and samples, two schemes", "cabannes2024, Figure 3"),
    Entry("figure-4", "SGD against its map", "cabannes2024, Figure 4"),
    Entry("figure-5", "Weights that SGD gives", "cabannes2024, Figure 5"),
    Entry(
        "memory-matrices",
        "Memory matrices of schemes and along training",
        "cabannes2024, visualisations of stored associations",
    ),
    Entry("step-size", "Error against the step size", f"cabannes2024; {TALKS}"),
    Entry("batch-size", "Error against the batch size", f"cabannes2024; {TALKS}"),
    Entry("adam", "Adam against SGD with large batches", f"cabannes2024; {TALKS}"),
    Entry("layer-norm", "Layer norm with large batches", f"cabannes2024; {TALKS}"),
    Entry("learned-embeddings", "Fixed against learned embeddings", "cabannes2024, Proposition 5 and experiments"),
    Entry("oscillations", "Large steps oscillate and arrive first", "bietti2025, slide on large steps"),
    Entry(
        "hallucination",
        "A phase that predicts from the relation alone",
        f"{TALKS}, training dynamics of factual recall",
    ),
    Entry("induction-attention", "Attention of an induction head", f"{TALKS}, induction head mechanism"),
    Entry("induction-probes", "Memories of an induction head along training", f"{TALKS}, probing the dynamics"),
    Entry("factual-recall", "Facts over heads and width", f"{TALKS}, how many parameters"),
    Entry("capacity", "Capacity of memories", f"{TALKS}, capacity"),
    Entry("learnability", "When attention learns a planted token", "bietti2025, learnability of the induction head"),
)
INDEX: dict[str, Entry] = {entry.name: entry for entry in ENTRIES}

CHEAP = ("figure-1", "figure-2", "figure-5", "memory-matrices")
"""Figures that a report of all claims has without being asked: a second or two each."""


def chosen(names: Iterable[str]) -> list[str]:
    """The names asked for in the order of the index, "all" spelt out; a misspelt one is answered in one sentence."""
    wanted = set(names)
    for name in sorted(wanted - {"all", *INDEX}):
        raise UnknownName(unknown_name("figure", name, ["all", *INDEX]))
    return [name for name in INDEX if name in wanted or "all" in wanted]
