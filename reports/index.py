"""The claims' ids, sections, kinds, titles and sources, as plain data: listing them loads neither SymPy nor torch."""

from asymp.reports.entries import Entry, section1, section2, section3, section4, section5

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

INDEX: dict[str, Entry] = {
    entry.id: entry for section in (section1, section2, section3, section4, section5) for entry in section.ENTRIES
}
