"""What a larger preset would add to a run, counted from the declarations: nothing is run."""

from collections.abc import Mapping, Sequence
from typing import Any

from asymp.reports.claimbook import claims
from asymp.reports.declare import PRESETS, Part
from asymp.reports.pages.numbers import count
from asymp.reports.verdict import Verdict

__all__ = ["more_words"]

WHAT = {
    "standard": "more sizes, more replicas, narrower intervals",
    "paper": "the published sizes where they are larger",
}


def more_words(verdicts: Sequence[Verdict]) -> list[str]:
    """One sentence for each larger preset: its points and replicas beside those of this run."""
    preset = verdicts[0].preset
    larger = PRESETS[PRESETS.index(preset) + 1 :]
    here = _size(verdicts, preset)
    left = sum(part.outcome == "inconclusive" for v in verdicts for part in v.parts.values())
    open_words = f"; {left} {'part is' if left == 1 else 'parts are'} left open here" if left else ""
    lines = []
    for name in larger:
        points, replicas = _size(verdicts, name)
        lines.append(
            f"--preset {name} takes {WHAT[name]}: {points} points and {count(replicas)} replicas "
            f"(here {here[0]} and {count(here[1])}{open_words})."
        )
    return [*lines, f"--preset {larger[0]} --plan tells how long that takes, and runs nothing."] if larger else []


def _size(verdicts: Sequence[Verdict], preset: str) -> tuple[int, int]:
    points, replicas = 0, 0
    for verdict in verdicts:
        for part in claims[verdict.claim].parts:
            counted = _counted(part, preset, verdict.settings)
            points, replicas = points + counted[0], replicas + counted[1]
    return points, replicas


def _counted(part: Part, preset: str, settings: Mapping[str, Any]) -> tuple[int, int]:
    if preset not in part.grid:
        return 0, 0
    cells = part.cells(preset, settings) if settings else list(part.grid[preset])
    return len(cells), sum(part.replicas_at(preset, cell) for cell in cells)
