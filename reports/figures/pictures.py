"""A figure's picture in every format: found by the hash of what it shows, or drawn."""

import hashlib
from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from asymp.montecarlo.running.pools import Pool
from asymp.montecarlo.running.store import Derived, key_of
from asymp.reports.figures.run import Made, figure
from asymp.reports.figures.style import drawn, file_bytes
from asymp.reports.page.drawing import FORMATS

Files = dict[str, bytes]


def pictures(wanted: Sequence[Made], kept: Derived, pool: Pool) -> dict[str, Callable[[], Files]]:
    """By name, what gives the picture as SVG, PNG and PDF when it is called; those that are not kept are begun at once."""
    keys = {made.entry.name: key_of([made.entry.name, _drawn_by(made.entry.name), made.data]) for made in wanted}
    found = {name: {form: kept.get("pictures", f"{key}.{form}") for form in FORMATS} for name, key in keys.items()}
    missing = [made for made in wanted if None in found[made.entry.name].values()]
    begun = [pool.submit(_draw, (made.entry.name, made.data)).result for made in missing]
    there: dict[str, Any] = {name: partial(dict, forms) for name, forms in found.items()}
    for made, draw in zip(missing, begun, strict=True):
        there[made.entry.name] = partial(_keep, kept, keys[made.entry.name], draw)
    return there


def _draw(task: tuple[str, Any]) -> Files:
    name, data = task
    return file_bytes(drawn(figure(name), data))


def _keep(kept: Derived, key: str, draw: Callable[[], Files]) -> Files:
    made = draw()
    for form, body in made.items():
        kept.put("pictures", f"{key}.{form}", body)
    return made


@cache
def _drawn_by(name: str) -> str:
    """What else a picture depends on: the code that draws it, and matplotlib."""
    gallery = files("asymp.reports.figures")
    own = [gallery / f"{name.replace('-', '_')}.py", gallery / "style.py", files("asymp.reports.page") / "drawing.py"]
    return f"{hashlib.sha256(b''.join(file.read_bytes() for file in own)).hexdigest()} {version('matplotlib')}"
