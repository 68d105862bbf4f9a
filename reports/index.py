"""The claims' ids, sections, kinds, titles and sources, as plain data: listing them loads neither SymPy nor torch."""

from dataclasses import dataclass

__all__ = ["INDEX", "LEDGER_SIZE", "SECTIONS", "Entry"]

# The budget of false refutations is divided among all ids of the ledger, written or not, so that a claim's share
# never depends on what else exists or runs.
LEDGER_SIZE = 66

SECTIONS = {
    1: "Scores and interference",
    2: "Capacity",
    3: "Scaling laws",
    4: "Gradients and optimisation",
    5: "Transformers",
}


@dataclass(frozen=True)
class Entry:
    """One line of the list of claims."""

    id: str
    section: int
    kind: str
    title: str
    source: str


INDEX: dict[str, Entry] = {
    entry.id: entry
    for entry in (
        Entry("score-variance", 1, "identity", "Variance of a score under random embeddings", "bietti2025, bietti2024"),
        Entry("missing-mass", 3, "rate", "Error of an infinite memory after T samples", "cabannes2024, Proposition 1"),
        Entry("finite-memory-lower", 3, "bound", "Lower bound at finite memory", "cabannes2024, Theorem 1"),
    )
}
