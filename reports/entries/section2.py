"""Claims of section 2."""

from asymp.reports.entries import Entry

__all__ = ["ENTRIES"]

ENTRIES: tuple[Entry, ...] = ()
