"""Claims of section 5."""

from asymp.reports.entries import Entry

__all__ = ["ENTRIES"]

ENTRIES: tuple[Entry, ...] = (
    Entry("induction-head", 5, "order", "Two layers of attention against one", "bietti2025, bietti2024"),
    Entry("induction-probes", 5, "order", "The order in which an induction head is learned", "bietti2025, bietti2024"),
    Entry("induction-weights", 5, "bound", "An induction head by hand", "bietti2025, bietti2024"),
)
