"""A figure's picture in every format: found by the hash of what it shows, or drawn."""

import hashlib
from functools import cache
from importlib.metadata import version
from importlib.resources import files

from asymp.reports.gallery.run import Made
from asymp.reports.gallery.style import file_bytes
from asymp.reports.pages.drawing import FORMATS
from asymp.reports.running.kept import Kept, key_of

__all__ = ["picture_files"]


def picture_files(made: Made, kept: Kept) -> dict[str, bytes]:
    """The picture as SVG, PNG and PDF."""
    name = made.entry.name
    key = key_of([name, _drawn_by(name), made.data])
    found = {form: kept.get("pictures", f"{key}.{form}") for form in FORMATS}
    if any(body is None for body in found.values()):
        drawn = file_bytes(made.plot())
        for form, body in drawn.items():
            kept.put("pictures", f"{key}.{form}", body)
        return drawn
    return {form: body for form, body in found.items() if body is not None}


@cache
def _drawn_by(name: str) -> str:
    """What else a picture depends on: the code that draws it, and matplotlib."""
    gallery = files("asymp.reports.gallery")
    own = [gallery / f"{name.replace('-', '_')}.py", gallery / "style.py", files("asymp.reports.pages") / "drawing.py"]
    return f"{hashlib.sha256(b''.join(file.read_bytes() for file in own)).hexdigest()} {version('matplotlib')}"
