"""All figures of a report in every format: found by the hash of what they show, or drawn, in several processes if it pays."""

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from importlib.resources import files as package_files
from typing import Any

from asymp.reports.pages.drawing import FORMATS, files
from asymp.reports.pages.hands import Hands
from asymp.reports.running.kept import Kept, key_of

__all__ = ["draw_all"]

Key = tuple[str, str]


def draw_all(wanted: Mapping[Key, Mapping[str, Any]], kept: Kept, hands: Hands) -> dict[Key, dict[str, bytes]]:
    """The files of every figure, by claim and part and then by format."""
    keys = {name: key_of([_drawn_by(), data]) for name, data in wanted.items()}
    found = {name: {form: kept.get("figures", f"{key}.{form}") for form in FORMATS} for name, key in keys.items()}
    missing = [name for name, forms in found.items() if any(body is None for body in forms.values())]
    for name, drawn in zip(missing, hands.begin([(files, wanted[name]) for name in missing]), strict=True):
        for form, body in drawn().items():
            kept.put("figures", f"{keys[name]}.{form}", body)
            found[name][form] = body
    return {name: {form: body for form, body in forms.items() if body is not None} for name, forms in found.items()}


@cache
def _drawn_by() -> str:
    """What else a figure depends on: the code that draws it, and matplotlib."""
    code = b"".join((package_files("asymp.reports.pages") / name).read_bytes() for name in ("drawing.py", "ticks.py"))
    return f"{hashlib.sha256(code).hexdigest()} {version('matplotlib')}"
