"""Claims of section 5."""

from asymp.reports.entries import Entry

__all__ = ["ENTRIES"]

ENTRIES: tuple[Entry, ...] = (
    Entry("induction-head", 5, "order", "Two layers of attention against one", "bietti2025, bietti2024"),
    Entry("induction-probes", 5, "order", "The order in which an induction head is learned", "bietti2025, bietti2024"),
    Entry("induction-weights", 5, "bound", "An induction head by hand", "bietti2025, bietti2024"),
    Entry("three-gradient-steps", 5, "identity", "An induction head in three gradient steps", "bietti2025, bietti2024"),
    Entry("global-before-context", 5, "order", "Global bigrams before in-context ones", "bietti2025, bietti2024"),
    Entry("attention-learnability", 5, "constant", "One planted token in a context", "bietti2025"),
    Entry("factual-recall-attention", 5, "constant", "Facts stored by attention alone", "bietti2025, bietti2024"),
    Entry("factual-recall-mlp", 5, "rate", "Facts stored in an MLP behind attention", "bietti2025, bietti2024"),
    Entry(
        "hallucination-phase", 5, "constant", "A phase that predicts from the relation alone", "bietti2025, bietti2024"
    ),
    Entry("k-hop", 5, "identity", "K hops by log K layers", "bietti2025"),
    Entry("in-context-denoising", 5, "constant", "Denoising by one step of attention", "bietti2025"),
)
