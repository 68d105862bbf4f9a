"""A misspelt name is answered with the nearest one."""

from collections.abc import Sequence
from difflib import get_close_matches


class UnknownName(KeyError, ValueError):
    """A name that a table does not have: a KeyError to a mapping's users, a ValueError like all bad input."""

    def __str__(self) -> str:
        return str(self.args[0])


def unknown_name(what: str, name: str, known: Sequence[str]) -> str:
    """One sentence: there is no such name; the nearest is this, or these are all."""
    near = get_close_matches(name, known, n=1, cutoff=0.5)
    near = near or [k for k in known if k.lower() == name.lower()]
    if near:
        return f"there is no {what} named {name!r}; did you mean {near[0]!r}?"
    return f"there is no {what} named {name!r}; known: {', '.join(known) or 'none'}"
