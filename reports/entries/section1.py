"""Claims of section 1."""

from asymp.reports.entries import Entry

__all__ = ["ENTRIES"]

ENTRIES: tuple[Entry, ...] = (
    Entry("score-mean", 1, "identity", "Mean of a score under random embeddings", "bietti2025, bietti2024"),
    Entry("score-variance", 1, "identity", "Variance of a score under random embeddings", "bietti2025, bietti2024"),
    Entry("score-covariance", 1, "identity", "Covariance of two scores of one memory", "asymp, Wick contraction"),
    Entry("interference", 1, "identity", "Three memories of which one is recalled wrongly", "cabannes2024, Figure 2"),
    Entry("near-orthogonality", 1, "rate", "Lengths and inner products of random embeddings", "bietti2025, bietti2024"),
    Entry("weighted-associations", 1, "identity", "Scores of weighted associations", "bietti2025, bietti2024"),
    Entry("remapping", 1, "identity", "A random matrix applied to a random embedding", "bietti2025, bietti2024"),
    Entry("maximal-update", 1, "rate", "Size of the first update at its own inputs", "bietti2024"),
)
