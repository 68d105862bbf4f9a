"""Claims of section 4."""

from asymp.reports.entries import Entry

__all__ = ["ENTRIES"]

ENTRIES: tuple[Entry, ...] = ()
