"""Claims of section 1."""

from asymp.reports.entries import Entry

__all__ = ["ENTRIES"]

ENTRIES: tuple[Entry, ...] = (
    Entry("score-variance", 1, "identity", "Variance of a score under random embeddings", "bietti2025, bietti2024"),
)
