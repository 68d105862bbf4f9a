"""Claims of section 5."""

from asymp.reports.entries import Entry

__all__ = ["ENTRIES"]

ENTRIES: tuple[Entry, ...] = ()
