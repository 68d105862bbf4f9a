"""Claims of section 3."""

from asymp.reports.entries import Entry

__all__ = ["ENTRIES"]

ENTRIES: tuple[Entry, ...] = (
    Entry("missing-mass", 3, "rate", "Error of an infinite memory after T samples", "cabannes2024, Proposition 1"),
    Entry("finite-memory-upper", 3, "bound", "Upper bound at finite memory", "cabannes2024, Theorem 1"),
    Entry("finite-memory-lower", 3, "bound", "Lower bound at finite memory", "cabannes2024, Theorem 1"),
    Entry("exact-recall-error", 3, "constant", "Recall error at every finite dimension", "asymp"),
    Entry("power-scheme", 3, "rate", "Power weights on all inputs", "cabannes2024, Proposition 2"),
    Entry("threshold-scheme", 3, "rate", "Weights on the most frequent inputs only", "cabannes2024, Proposition 3"),
    Entry("optimal-scheme", 3, "constant", "The best weights", "bietti2025, summary of the scaling laws"),
    Entry("minimax", 3, "bound", "What no weights can do better", "cabannes2024, Theorem 2"),
    Entry("at-most-d", 3, "capacity", "How many memories d dimensions hold", "bietti2025, bietti2024"),
    Entry("joint-law", 3, "rate", "Few dimensions and few samples together", "cabannes2024, Proposition 4, Figure 1"),
    Entry(
        "fill-scheme", 3, "rate", "Equal weights on all inputs seen", "bietti2025, bietti2024; cabannes2024, Figure 3"
    ),
    Entry("seen-s-times", 3, "rate", "Equal weights on inputs seen often", "bietti2025, bietti2024"),
    Entry("fill-is-best", 3, "order", "Are equal weights the best?", "bietti2025, bietti2024"),
    Entry("error-map", 3, "constant", "The error over dimensions and samples", "cabannes2024, Figure 3"),
)
