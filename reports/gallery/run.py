"""Figures by name: measured (or found in the store), checked, drawn."""

import functools
import hashlib
import json
import os
import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any

from asymp.reports.gallery.data import plain
from asymp.reports.gallery.declare import Data, Figure, Finding, How
from asymp.reports.gallery.index import INDEX, Entry
from asymp.theory._version import __version__
from asymp.theory.names import UnknownName, unknown_name

__all__ = ["Made", "chosen", "figure", "kept", "make", "settings_of"]

PACKAGES = ("asymp.theory", "asymp.models", "asymp.montecarlo", "asymp.reports.gallery")
FOLDER = "gallery"
"""Where a store keeps the figures' data, beside its cells."""


def chosen(names: Iterable[str]) -> list[str]:
    """The names asked for, "all" spelt out, each once; a misspelt one is answered in one sentence."""
    found: dict[str, None] = {}
    for name in names:
        if name != "all" and name not in INDEX:
            raise UnknownName(unknown_name("figure", name, ["all", *INDEX]))
        found.update(dict.fromkeys(INDEX if name == "all" else [name]))
    return list(found)


def figure(name: str) -> Figure:
    """The declaration of a figure."""
    (known,) = chosen([name])
    declared = import_module(INDEX[known].module).FIGURE
    assert isinstance(declared, Figure)
    return declared


def settings_of(declared: Figure, preset: str) -> Mapping[str, Any]:
    """The settings of a preset; `standard` takes those of `quick`: between them and the published ones is nothing."""
    return declared.settings["paper" if preset == "paper" else "quick"]


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
            "data": self.data,
            "statements": [
                {
                    "name": s.name,
                    "text": s.text,
                    "said_by": "asymp" if s.by_us else "source",
                    "outcome": f.outcome,
                    "words": f.words,
                    "numbers": plain(dict(f.numbers)),
                }
                for s, f in zip(declared.statements, self.findings, strict=True)
            ],
            "repeat": f"asymp report --figures {self.entry.name} --preset {self.preset} --seed {self.seed}",
        }


def make(
    name: str, *, preset: str = "quick", how: How | None = None, tell: Callable[[str], None] | None = None
) -> Made:
    """Measure a figure, or take its data from the store, and check its statements."""
    how = how or How()
    found = kept(name, preset=preset, how=how)
    if found is not None:
        return found
    declared, started = figure(name), time.perf_counter()
    data = json.loads(json.dumps(plain(declared.measure(settings_of(declared, preset), how)), allow_nan=False))
    seconds = time.perf_counter() - started
    _keep(_place(declared, preset, how), data)
    if tell is not None:
        tell(f"{name}: measured in {seconds:.1f} s")
    return _made(declared, preset, how, data, seconds)


def kept(name: str, *, preset: str = "quick", how: How) -> Made | None:
    """The figure from data that the store has, at the same settings, seed and code; None if it has none."""
    declared = figure(name)
    place = _place(declared, preset, how)
    if place is None:
        return None
    try:
        data = json.loads(place.read_text(encoding="utf-8"))
        return _made(declared, preset, how, data["data"], None)
    except (OSError, ValueError, KeyError, TypeError, StopIteration):
        return None


def _made(declared: Figure, preset: str, how: How, data: Data, seconds: float | None) -> Made:
    findings = tuple(statement.check(data) for statement in declared.statements)
    return Made(INDEX[declared.name], declared, preset, how.seed, data, findings, seconds)


def _place(declared: Figure, preset: str, how: How) -> Path | None:
    """The file of a figure's data: named by the hash of what determines them."""
    if how.store is None:
        return None
    from asymp.montecarlo.blocks import pick_device

    parts = [declared.name, declared.version, plain(dict(settings_of(declared, preset))), how.seed]
    text = json.dumps([*parts, str(pick_device(how.device)), _code()], sort_keys=True)
    return how.store.folder / FOLDER / f"{declared.name}.{hashlib.sha256(text.encode()).hexdigest()[:24]}.json"


def _keep(place: Path | None, data: Data) -> None:
    if place is None:
        return
    temporary = place.with_name(f".{place.name}.{secrets.token_hex(4)}.part")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_text(json.dumps({"data": data}), encoding="utf-8")
        os.replace(temporary, place)
    except OSError:
        # A store that cannot be written makes a slower run the next time, no wrong one now.
        temporary.unlink(missing_ok=True)


@functools.cache
def _code() -> str:
    """A hash of all code that data can depend on: laws, models, simulations and the figures themselves."""
    digest = hashlib.sha256()
    for package in PACKAGES:
        root = Path(str(files(package)))
        for file in sorted(root.rglob("*.py")):
            digest.update(f"{package}/{file.relative_to(root)}\n".encode() + file.read_bytes())
    return digest.hexdigest()
