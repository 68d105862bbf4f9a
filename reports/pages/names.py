"""Names of files and anchors, safe whatever a user calls a claim."""

import hashlib
import re

__all__ = ["anchor", "file_name"]

# Names that some systems keep for devices.
RESERVED = {"con", "prn", "aux", "nul", *(f"{device}{i}" for device in ("com", "lpt") for i in range(10))}


def file_name(id: str) -> str:
    """A name for the files of a claim: the id itself where that is safe, else a safe form of it with a hash."""
    if re.fullmatch(r"[a-z0-9][a-z0-9-]{0,79}", id) and id not in RESERVED:
        return id
    safe = re.sub(r"[^a-z0-9]+", "-", id.lower())[:40].strip("-") or "claim"
    return f"{safe}-{hashlib.sha256(id.encode()).hexdigest()[:8]}"


def anchor(name: str) -> str:
    """The id of a part on its claim's page."""
    return f"part-{file_name(name)}"
