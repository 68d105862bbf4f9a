"""Figures by name: measured (or found in the store), and their statements checked."""

import hashlib
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from asymp.reports.gallery.data import plain
from asymp.reports.gallery.declare import Data, Figure, Finding, How
from asymp.reports.gallery.index import INDEX, Entry, chosen
from asymp.reports.running.kept import Kept, code_hash, key_of
from asymp.theory._version import __version__

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

__all__ = ["Made", "figure", "kept", "make", "settings_of"]

KIND = "gallery"
"""Under which name figures' data are kept beside the store's cells."""
PACKAGES = ("theory", "models", "montecarlo")
SHARED = ("data.py", "training.py", "induction.py")
"""What figures share when they measure; other files of the gallery only check, draw and write."""


def figure(name: str) -> Figure:
    """The declaration of a figure."""
    (known,) = chosen([name])
    declared = import_module(INDEX[known].module).FIGURE
    assert isinstance(declared, Figure)
    return declared


def settings_of(declared: Figure, preset: str) -> Mapping[str, Any]:
    """The settings of a preset; `standard` takes those of `quick`: between them and the published ones is nothing."""
    return declared.settings[_settled(preset)]


def _settled(preset: str) -> str:
    return "paper" if preset == "paper" else "quick"


@dataclass(frozen=True)
class Made:
    """A figure with its data and what its statements come to."""

    entry: Entry
    figure: Figure
    preset: str
    seed: int
    data: Data
    findings: tuple[Finding, ...]
    seconds: float | None
    """The time that measuring took; None if the data were kept from before."""

    def plot(self) -> "Drawing":
        """The picture, as a matplotlib figure."""
        from asymp.reports.gallery.style import drawn

        return drawn(self.figure, self.data)

    def _repr_html_(self) -> str:
        from asymp.reports.notebook import made_html

        return made_html(self)

    def to_json(self) -> dict[str, Any]:
        """Everything but the picture: the same text from the same settings, seed and code."""
        declared = self.figure
        return {
            "figure": self.entry.name,
            "title": self.entry.title,
            "source": self.entry.source,
            "caption": declared.caption,
            "notes": list(declared.notes),
            "version": declared.version,
            "asymp": __version__,
            "preset": self.preset,
            "seed": self.seed,
            "settings": plain(dict(settings_of(declared, self.preset))),
            "statements": [
                {
                    "name": s.name,
                    "text": s.text,
                    "said_by": "asymp" if s.by_us else "source",
                    "outcome": f.outcome,
                    "words": f.words,
                    "why": s.why,
                    "erratum": s.erratum,
                    "numbers": plain(dict(f.numbers)),
                }
                for s, f in zip(declared.statements, self.findings, strict=True)
            ],
            "repeat": f"asymp report --figures {self.entry.name} --preset {self.preset} --seed {self.seed}",
            "data": self.data,
        }


def make(name: str, *, preset: str = "quick", how: How | None = None) -> Made:
    """Measure a figure, or take its data from the store, and check its statements."""
    how = how or How()
    found = kept(name, preset=preset, how=how)
    if found is not None:
        return found
    declared, started = figure(name), time.perf_counter()
    text = json.dumps(plain(declared.measure(settings_of(declared, preset), how)), allow_nan=False)
    seconds = time.perf_counter() - started
    _place(how).put(KIND, _key(declared, preset, how), text.encode())
    return _made(declared, preset, how, json.loads(text), seconds)


def kept(name: str, *, preset: str = "quick", how: How) -> Made | None:
    """The figure from data that the store has, at the same settings, seed and code; None if it has none."""
    if how.store is None:
        return None
    declared = figure(name)
    text = _place(how).get(KIND, _key(declared, preset, how))
    return None if text is None else _made(declared, preset, how, json.loads(text), None)


def _made(declared: Figure, preset: str, how: How, data: Data, seconds: float | None) -> Made:
    findings = tuple(statement.check(data) for statement in declared.statements)
    return Made(INDEX[declared.name], declared, _settled(preset), how.seed, data, findings, seconds)


def _place(how: How) -> Kept:
    return Kept(None if how.store is None else how.store.folder)


def _key(declared: Figure, preset: str, how: How) -> str:
    """The hash of what determines a figure's data: settings, seed, device, and all code that measures."""
    from asymp.montecarlo.blocks import pick_device

    settings = plain(dict(settings_of(declared, preset)))
    parts = [declared.name, declared.version, settings, how.seed, str(pick_device(how.device))]
    return key_of([*parts, code_hash(PACKAGES), _code(declared.name)])


@cache
def _code(name: str) -> str:
    """The hash of the figure's own source, and of what it shares with others."""
    folder = files("asymp.reports.gallery")
    sources = [(folder / file).read_bytes() for file in (f"{name.replace('-', '_')}.py", *SHARED)]
    return hashlib.sha256(b"\0".join(sources)).hexdigest()
