"""Where a statement is measured: the settings of every preset, and how many replicas each setting takes.

An interval within the margin m takes about (2.3 cv/m)^2 replicas, cv the spread of a replica over its mean, and for an
error E in [0, 1] no fewer than 5/(m E), because a finite-sample interval cannot rule out what is rarer than one in n.
"""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeVar

Value = TypeVar("Value")

PRESETS = ("quick", "standard", "paper")
"""How long a check takes, from the shortest to the longest."""

Setting = Mapping[str, Any]
"""The values of an experiment's parameters."""

Count = int | Callable[[Setting], int]
"""A number of replicas, or one for each setting."""


def settings(**values: Any) -> list[dict[str, Any]]:
    """Every combination of the values given: a tuple has several, anything else is one value. The last name varies fastest."""
    several = [value if isinstance(value, tuple) else (value,) for value in values.values()]
    return [dict(zip(values, chosen, strict=True)) for chosen in itertools.product(*several)]


def rows(names: str, *values: tuple[Any, ...], **fixed: Any) -> list[dict[str, Any]]:
    """A setting for each tuple of values, in the order of the names: rows("d N", (8, 16), (16, 64)).

    `fixed`: parameters that are the same in all of them.
    """
    return [dict(zip(names.split(), row, strict=True)) | fixed for row in values]


@dataclass(frozen=True, init=False)
class Grid:
    """The settings of each preset and their replicas.

    `quick`, `standard`, `paper`: the settings; a preset that is left out takes those of the one before it.
    `replicas`: a count for all presets, or a tuple of two or three, one for each preset; the last one serves the rest.
    """

    _settings: Mapping[str, Sequence[Setting]]
    _replicas: Mapping[str, Count]

    def __init__(
        self,
        quick: Sequence[Setting],
        standard: Sequence[Setting] | None = None,
        paper: Sequence[Setting] | None = None,
        *,
        replicas: Count | tuple[Count, ...],
    ) -> None:
        standard = quick if standard is None else standard
        by_preset = dict(zip(PRESETS, (quick, standard, standard if paper is None else paper), strict=True))
        counts = replicas if isinstance(replicas, tuple) else (replicas,)
        last = (counts[-1],) * (len(PRESETS) - len(counts))
        object.__setattr__(self, "_settings", by_preset)
        object.__setattr__(self, "_replicas", dict(zip(PRESETS, (*counts, *last), strict=True)))

    @classmethod
    def sized(
        cls,
        quick: Sequence[tuple[Setting, int]],
        standard: Sequence[tuple[Setting, int]],
        paper: Sequence[tuple[Setting, int]] | None = None,
    ) -> Self:
        """Settings with their replicas side by side. `paper` takes four times the replicas of `standard` if not given."""
        rows = (quick, standard, paper or [(setting, 4 * count) for setting, count in standard])
        return cls(*([setting for setting, _ in row] for row in rows), replicas=tuple(map(_counts, rows)))

    def __getitem__(self, preset: str) -> Sequence[Setting]:
        return self._settings[preset]

    def __contains__(self, setting: object) -> bool:
        """Whether any preset has the setting."""
        return any(setting in of_preset for of_preset in self._settings.values())

    def replicas(self, preset: str, setting: Setting) -> int:
        """How many replicas a preset takes at a setting."""
        count = self._replicas[preset]
        return int(count(setting) if callable(count) else count)

    def at(self, settings: Sequence[Setting]) -> "Grid":
        """The same replicas at other settings, equal for every preset."""
        return Grid(settings, replicas=tuple(self._replicas[preset] for preset in PRESETS))


def _counts(rows: Sequence[tuple[Setting, int]]) -> Count:
    """The replicas of every setting; a setting that the user has changed takes the most of them."""
    most = max(count for _, count in rows)
    return lambda setting: next((count for known, count in rows if known == setting), most)


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
