"""Claims of section 4."""

from asymp.reports.entries import Entry

__all__ = ["ENTRIES"]

ENTRIES: tuple[Entry, ...] = (
    Entry("gradient-as-memory", 4, "identity", "The gradient as a sum of outer products", "bietti2025, bietti2024"),
    Entry("gradient-noisy-inputs", 4, "identity", "The gradient with noisy inputs", "bietti2025, bietti2024"),
    Entry("backward-vector", 4, "identity", "The gradient of a matrix in a deep network", "bietti2025, bietti2024"),
    Entry("one-step-memory", 4, "constant", "Scores after one gradient step", "bietti2025, bietti2024"),
    Entry("one-step-filter", 4, "constant", "One step filters noise in the input", "bietti2025, bietti2024"),
    Entry("one-step-population", 4, "identity", "Weights after a step with a large batch", "bietti2025, bietti2024"),
    Entry("sgd-map", 4, "identity", "Weights that SGD gives, as a map", "cabannes2024, Figure 5"),
    Entry("sgd-map-as-power", 4, "constant", "Weights of the SGD map as a power of p", "cabannes2024, Figure 5"),
    Entry("sgd-approximation", 4, "constant", "SGD against its map", "cabannes2024, Figure 4"),
    Entry("step-size", 4, "order", "Large steps, and smaller ones late", "bietti2025, bietti2024"),
    Entry("over-optimisation", 4, "order", "Training too long in too small a memory", "bietti2025"),
    Entry("batch-size", 4, "order", "Small against large batches", "cabannes2024, bietti2025"),
    Entry("adam", 4, "order", "Adam with large batches and small steps", "cabannes2024, bietti2025"),
    Entry("layer-norm", 4, "order", "Layer norm with large batches and small steps", "cabannes2024, bietti2025"),
    Entry("training-grid", 4, "constant", "Published errors of trained memories", "cabannes2024"),
    Entry("margin-growth", 4, "constant", "Margins with orthogonal embeddings", "bietti2025"),
    Entry("oscillation", 4, "order", "Large steps oscillate and arrive first", "bietti2025"),
    Entry("memory-matrix", 4, "identity", "Pictures of stored associations", "cabannes2024"),
)
