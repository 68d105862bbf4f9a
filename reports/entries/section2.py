"""Claims of section 2."""

from asymp.reports.entries import Entry

__all__ = ["ENTRIES"]

ENTRIES: tuple[Entry, ...] = (
    Entry("injective-capacity", 2, "capacity", "Capacity for all different answers", "bietti2025, bietti2024"),
    Entry("best-linear", 2, "capacity", "Capacity of the best linear memory", "arxiv2605.10795, arxiv2605.05189"),
    Entry("listwise", 2, "capacity", "Capacity when the answer need only be near the top", "arxiv2605.05189"),
    Entry("binary-capacity", 2, "capacity", "Capacity for two answers", "bietti2025, bietti2024"),
    Entry("low-rank-capacity", 2, "capacity", "Capacity of a matrix of rank m", "bietti2025, bietti2024"),
    Entry("mlp-capacity", 2, "capacity", "Capacity of a layer of m neurons", "bietti2025, bietti2024"),
    Entry("multi-input-capacity", 2, "capacity", "Facts about pairs that m neurons hold", "bietti2025, bietti2024"),
    Entry("bits-per-parameter", 2, "bound", "Bits that each parameter holds", "bietti2025, bietti2024"),
    Entry("hopfield-energy", 2, "identity", "A Hopfield net goes downhill", "bietti2025"),
    Entry("hopfield-capacity", 2, "capacity", "Patterns that a Hopfield net keeps", "bietti2025"),
    Entry("dense-capacity", 2, "capacity", "Patterns that a dense memory keeps", "bietti2025"),
    Entry("attention-retrieval", 2, "identity", "Attention as a step of retrieval", "bietti2025"),
    Entry("quasi-orthogonality", 2, "bound", "Unit vectors that are nearly orthogonal", "cabannes2024, Lemma 1"),
    Entry(
        "learned-inputs", 2, "capacity", "Input embeddings equal to those of the answers", "cabannes2024, bietti2024"
    ),
    Entry("lookup-mlp", 2, "capacity", "One neuron for each input, and what that costs", "bietti2024"),
)
