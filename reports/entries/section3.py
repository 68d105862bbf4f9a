"""Claims of section 3."""

from asymp.reports.entries import Entry

__all__ = ["ENTRIES"]

ENTRIES: tuple[Entry, ...] = (
    Entry("missing-mass", 3, "rate", "Error of an infinite memory after T samples", "cabannes2024, Proposition 1"),
    Entry("finite-memory-lower", 3, "bound", "Lower bound at finite memory", "cabannes2024, Theorem 1"),
)
