"""Where a statement is measured: its settings. How often each is measured is not declared; runs go in rounds."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

Value = TypeVar("Value")

PRESETS = {"quick": 3 * 60.0, "standard": 60 * 60.0, "paper": 60 * 60.0}
"""Names for the seconds that a run may take; `paper` takes the published sizes too, where they are others."""

Setting = Mapping[str, Any]
"""The values of an experiment's parameters."""


def settings(**values: Any) -> list[dict[str, Any]]:
    """Every combination of the values given: a tuple has several, anything else is one value. The last name varies fastest."""
    several = [value if isinstance(value, tuple) else (value,) for value in values.values()]
    return [dict(zip(values, chosen, strict=True)) for chosen in itertools.product(*several)]


def rows(names: str, *values: tuple[Any, ...], **fixed: Any) -> list[dict[str, Any]]:
    """A setting for each tuple of values, in the order of the names: rows("d N", (8, 16), (16, 64)).

    `fixed`: parameters that are the same in all of them.
    """
    return [dict(zip(names.split(), row, strict=True)) | fixed for row in values]


@dataclass(frozen=True)
class Grid:
    """The settings at which a statement is measured.

    `settings`: all of them. `paper`: those of the source, where they are others. `weight`: how many times the blocks of the
    others a setting takes, where its values spread more and cost less; without it all take the same.
    """

    settings: Sequence[Setting]
    paper: Sequence[Setting] | None = None
    weight: Callable[[Setting], int] | None = None

    def __getitem__(self, preset: str) -> Sequence[Setting]:
        return self.paper if preset == "paper" and self.paper is not None else self.settings

    def __contains__(self, setting: object) -> bool:
        """Whether the grid has the setting, or the source's does."""
        return setting in self.settings or setting in (self.paper or ())

    def weight_of(self, setting: Setting) -> int:
        """How many blocks a setting takes where others take one."""
        return 1 if self.weight is None else max(1, int(self.weight(setting)))

    def at(self, settings: Sequence[Setting]) -> "Grid":
        """The same weights at other settings."""
        return Grid(settings, weight=self.weight)


def groups_without(
    measured: Sequence[tuple[dict[str, Any], Value]], name: str
) -> list[tuple[dict[str, Any], list[tuple[dict[str, Any], Value]]]]:
    """Groups of equal parameters but for `name`, each sorted by it, in the order in which they first appear."""
    groups: list[tuple[dict[str, Any], list[tuple[dict[str, Any], Value]]]] = []
    for params, value in measured:
        rest = {k: v for k, v in params.items() if k != name}
        for known, members in groups:
            if known == rest:
                members.append((params, value))
                break
        else:
            groups.append((rest, [(params, value)]))
    for _, members in groups:
        members.sort(key=lambda m: m[0][name])
    return groups


def spread(cells: Sequence[Value], most: int) -> list[Value]:
    """At most so many of the cells, from the first to the last."""
    if len(cells) <= most:
        return list(cells)
    return [cells[round(i * (len(cells) - 1) / max(1, most - 1))] for i in range(most)]


def first_group(cells: Sequence[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    """The settings of the first group, sorted by `name`."""
    return [c for c, _ in groups_without([(c, None) for c in cells], name)[0][1]]


def in_first_and_last_group(cells: Sequence[dict[str, Any]], names: Sequence[str]) -> list[dict[str, Any]]:
    """The settings of the first and of the last group; those of a group are equal but for `names`."""
    rests = [{k: v for k, v in c.items() if k not in names} for c in cells]
    ends = spread([rest for i, rest in enumerate(rests) if rest not in rests[:i]], 2)
    return [c for c, rest in zip(cells, rests, strict=True) if rest in ends]
