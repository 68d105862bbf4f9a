"""The list of claims, one file for each section of the ledger: plain data that loads nothing."""

from dataclasses import dataclass

__all__ = ["Entry"]


@dataclass(frozen=True)
class Entry:
    """One line of the list of claims."""

    id: str
    section: int
    kind: str
    title: str
    source: str
