"""Where a user's claim is measured when the user does not say: a grid from the law's typical ranges."""

import math
from typing import Any

from asymp.theory import Domain, Law
from asymp.theory.lazy import stats

SIZES = 12
POINTS = 8


def spread(low: float, high: float, share: float, domain: Domain) -> float:
    """The point at `share` of a range, on a log scale where the range is positive, whole where the range's ends are."""
    value = math.exp(math.log(low) + share * math.log(high / low)) if low > 0 else low + share * (high - low)
    whole = domain.kind == "integer" or (float(low).is_integer() and float(high).is_integer() and high >= 10)
    return round(value) if whole else float(f"{value:.6g}")


def default_grid(law: Law, variable: str | None) -> list[dict[str, Any]]:
    """Sizes over the typical range of `variable`, the rest in the middle; without a variable, points spread over all."""
    ranges = {name: law.typical[name] for name in law.domain if name in law.typical}
    words = {name: law.defaults.get(name, options[0]) for name, options in law.words.items()}
    left = [n for n in law.domain if n not in ranges and n not in words and n not in law.defaults]
    if left:
        raise ValueError(f"law {law.id!r} needs a typical range for {', '.join(left)}, or the claim a grid")
    if variable is not None:
        middle = {n: spread(*ends, 0.5, law.domain[n]) for n, ends in ranges.items() if n != variable}
        low, high = ranges[variable]
        sizes = sorted({spread(low, high, i / (SIZES - 1), law.domain[variable]) for i in range(SIZES)})
        return [{**words, **middle, variable: size} for size in sizes]
    points: list[dict[str, Any]] = []
    for shares in stats.qmc.Halton(max(1, len(ranges)), scramble=False).random(POINTS + 1)[1:].tolist():
        at = {n: spread(*ends, share, law.domain[n]) for (n, ends), share in zip(ranges.items(), shares, strict=False)}
        points.append({**words, **at})
    return points
