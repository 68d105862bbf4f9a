"""Where the store is if nobody says: under the user's cache folder."""

import os
import sys
from pathlib import Path

__all__ = ["VARIABLE", "default_folder"]

VARIABLE = "ASYMP_STORE"


def default_folder() -> Path:
    """$ASYMP_STORE, or asymp/store under the cache folder that this system has."""
    given = os.environ.get(VARIABLE)
    if given:
        return Path(given)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "asymp" / "store"
