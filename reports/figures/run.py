"""Figures by name: measured, or found in the store."""

import hashlib
import json
import time
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from asymp._version import __version__
from asymp.montecarlo.running.provenance import code_hash
from asymp.montecarlo.running.store import Derived, key_of
from asymp.reports.figures.data import plain
from asymp.reports.figures.declare import Data, Figure, How, Settings
from asymp.reports.figures.index import INDEX, Entry, chosen
from asymp.reports.page.render import prose
from asymp.theory.bibliography import spell_source

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

KIND = "gallery"
"""Under which name figures' data are kept beside the store's cells."""
PACKAGES = ("theory", "models", "montecarlo")
SHARED = ("data.py", "training.py", "induction.py")
"""What figures share when they measure; other files here only draw and write."""


def figure(name: str) -> Figure:
    """The declaration of a figure."""
    (known,) = chosen([name])
    declared = import_module(INDEX[known].module).FIGURE
    assert isinstance(declared, Figure)
    return declared


def settings_of(declared: Figure, preset: str) -> Settings:
    """The settings of a preset; `standard` takes those of `quick`: between them and the published ones is nothing."""
    return declared.settings[_settled(preset)]


def _settled(preset: str) -> str:
    return "paper" if preset == "paper" else "quick"


@dataclass(frozen=True)
class Made:
    """A figure with its data."""

    entry: Entry
    figure: Figure
    preset: str
    seed: int
    data: Data
    seconds: float | None
    """The time that measuring took; None if the data were kept from before."""

    def plot(self) -> "Drawing":
        """The picture, as a matplotlib figure."""
        from asymp.reports.figures.style import drawn

        return drawn(self.figure, self.data)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td style='text-align:left'>{prose(said.text)}</td><td>{escape(said.claim)}</td>"
            f"<td>{escape(said.statement)}</td></tr>"
            for said in self.figure.sentences
        )
        return (
            f"<div><b>{escape(self.entry.title)}</b> <small>({escape(spell_source(self.entry.source))})</small>"
            f"<p>{prose(self.figure.caption)}</p><table><thead><tr><th>the source says</th>"
            f"<th>claim</th><th>statement</th></tr></thead><tbody>{rows}</tbody></table></div>"
        )

    def to_json(self) -> dict[str, Any]:
        """Everything but the picture and the verdicts: the same text from the same settings, seed and code."""
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
            "sentences": [{"text": s.text, "claim": s.claim, "statement": s.statement} for s in declared.sentences],
            "repeat": f"asymp report --figures {self.entry.name} --preset {self.preset} --seed {self.seed}",
            "data": self.data,
        }


def make(name: str, *, preset: str = "quick", how: How | None = None) -> Made:
    """Measure the figure `name` at the settings of a preset, or take its data from the store; `how`: seed, device, store."""
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
    return Made(INDEX[declared.name], declared, _settled(preset), how.seed, data, seconds)


def _place(how: How) -> Derived:
    return Derived(how.store)


def _key(declared: Figure, preset: str, how: How) -> str:
    """The hash of what determines a figure's data: settings, seed, device, and all code that measures."""
    from asymp.montecarlo.draws import pick_device

    settings = plain(dict(settings_of(declared, preset)))
    parts = [declared.name, declared.version, settings, how.seed, str(pick_device(how.device))]
    return key_of([*parts, code_hash(PACKAGES), _code(declared.name)])


@cache
def _code(name: str) -> str:
    """The hash of the figure's own source, and of what it shares with others."""
    folder = files("asymp.reports.figures")
    sources = [(folder / file).read_bytes() for file in (f"{name.replace('-', '_')}.py", *SHARED)]
    return hashlib.sha256(b"\0".join(sources)).hexdigest()
