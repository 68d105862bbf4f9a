"""All figures of a report in every format: found by the hash of what they show, or drawn, in several processes if it pays."""

import hashlib
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from importlib.metadata import version
from importlib.resources import files as package_files
from multiprocessing import get_context
from typing import Any

from asymp.reports.pages.drawing import FORMATS, files
from asymp.reports.running.kept import Kept, key_of

__all__ = ["draw_all"]

# A process takes about a second to start, as long as a handful of figures take to draw.
FEW = 8

Key = tuple[str, str]


def draw_all(wanted: Mapping[Key, Mapping[str, Any]], kept: Kept, *, workers: int = 1) -> dict[Key, dict[str, bytes]]:
    """The files of every figure, by claim and part and then by format."""
    keys = {name: key_of([_drawn_by(), data]) for name, data in wanted.items()}
    found = {name: {form: kept.get("figures", f"{key}.{form}") for form in FORMATS} for name, key in keys.items()}
    missing = [name for name, forms in found.items() if any(body is None for body in forms.values())]
    for name, forms in zip(missing, _draw([wanted[name] for name in missing], workers), strict=True):
        for form, body in forms.items():
            kept.put("figures", f"{keys[name]}.{form}", body)
            found[name][form] = body
    return {name: {form: body for form, body in forms.items() if body is not None} for name, forms in found.items()}


def _draw(wanted: list[Mapping[str, Any]], workers: int) -> list[dict[str, bytes]]:
    workers = min(workers, len(wanted) // FEW)
    if workers < 2:
        return [files(data) for data in wanted]
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        return list(pool.map(files, wanted, chunksize=4))


@cache
def _drawn_by() -> str:
    """What else a figure depends on: the code that draws it, and matplotlib."""
    code = (package_files("asymp.reports.pages") / "drawing.py").read_bytes()
    return f"{hashlib.sha256(code).hexdigest()} {version('matplotlib')}"
