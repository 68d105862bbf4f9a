"""Where a user's claim is measured when its settings are not listed one by one: spread over ranges."""

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

from asymp.theory import Domain, Law
from asymp.theory.lazy import stats

SIZES = 12
POINTS = 8
# A capacity is looked for from a quarter of what the law says to four times that, at so many sizes.
AROUND, STEPS = 4.0, 13

Values = tuple[float, float] | list[Any] | float | str | None
"""What one parameter may be: a range (low, high), a list of values, or one value."""


def spread(low: float, high: float, share: float, domain: Domain) -> float:
    """The point at `share` of a range, on a log scale where the range is positive, whole where the range's ends are."""
    value = math.exp(math.log(low) + share * math.log(high / low)) if low > 0 else low + share * (high - low)
    whole = domain.kind == "integer" or (float(low).is_integer() and float(high).is_integer() and high >= 10)
    return round(value) if whole else float(f"{value:.6g}")


def default_grid(law: Law, variable: str | None) -> list[dict[str, Any]]:
    """Sizes over the typical range of `variable`, the rest in the middle; without a variable, points spread over all."""
    values: dict[str, Values] = {name: law.defaults.get(name, options[0]) for name, options in law.words.items()}
    values |= {name: law.typical[name] for name in law.domain if name in law.typical}
    left = [n for n in law.domain if n not in values and n not in law.defaults]
    if left:
        raise ValueError(f"law {law.id!r} needs a typical range for {', '.join(left)}, or the claim a grid")
    return grid_of(values, law.domain, variable)


def grid_of(values: Mapping[str, Values], domains: Mapping[str, Domain], variable: str | None) -> list[dict[str, Any]]:
    """The settings over ranges, lists and single values: every combination of the lists with what is taken of the ranges.

    With a `variable` its range has 12 sizes and the others their middle; without one 8 points are spread over all ranges.
    """
    ranges = {name: v for name, v in values.items() if isinstance(v, tuple)}
    lists = {name: v if isinstance(v, list) else [v] for name, v in values.items() if not isinstance(v, tuple)}
    domain = {name: domains.get(name, Domain()) for name in ranges}
    if variable is not None:
        middle = {n: spread(*ends, 0.5, domain[n]) for n, ends in ranges.items() if n != variable}
        every = sizes(ranges[variable], domain[variable]) if variable in ranges else [None]
        points = [middle if size is None else middle | {variable: size} for size in every]
    else:
        points = []
        for shares in stats.qmc.Halton(max(1, len(ranges)), scramble=False).random(POINTS + 1)[1:].tolist():
            at = {n: spread(*ends, share, domain[n]) for (n, ends), share in zip(ranges.items(), shares, strict=False)}
            points += [at] if at not in points else []
    rest = [dict(zip(lists, chosen, strict=True)) for chosen in itertools.product(*lists.values())]
    return [{**fixed, **point} for fixed in rest for point in points]


def sizes(ends: tuple[float, float], domain: Domain) -> list[float]:
    """Sizes spread over a range, none twice."""
    return sorted({spread(*ends, i / (SIZES - 1), domain) for i in range(SIZES)})


def around(law: Law, size: str, cells: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Each setting at sizes around the capacity that the law says."""
    found = []
    for cell in cells:
        said = float(law(**{k: v for k, v in cell.items() if k in law.domain}))
        steps = {max(1, round(said * AROUND ** (2 * i / (STEPS - 1) - 1))) for i in range(STEPS)}
        found += [{**cell, size: step} for step in sorted(steps)]
    return found
