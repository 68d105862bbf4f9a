"""In which line of a user's own an error came about."""

import sys
import sysconfig
import traceback

__all__ = ["line_of"]

HOMES = ("asymp", "asymp.models", "asymp.montecarlo", "asymp.reports", "asymp.theory")
INSTALLED = tuple(sysconfig.get_paths()[name] for name in ("stdlib", "purelib", "platlib"))


def line_of(error: BaseException, file: str = "") -> str:
    """Words such as " in line 7 of mine.py", without the name where it is `file`; none if no line is a user's own.

    The innermost line counts that is neither asymp's nor, if there is another, that of an installed package.
    """
    homes = tuple(folder for name in HOMES for folder in getattr(sys.modules.get(name), "__path__", ()))
    own = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith((*homes, "<"))]
    mine = [f for f in own if not f.filename.startswith(INSTALLED)] or own
    if not mine:
        return ""
    at = mine[-1]
    return f" in line {at.lineno}" + ("" if at.filename == file else f" of {at.filename}")
