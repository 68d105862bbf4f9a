"""Checks of a caption's sentences on a figure's data: orders, slopes and factors, each decided by intervals.

Every interval is at 99.9 % (`least` and `most` of a point). A sentence holds if all that the intervals allow agrees with it,
fails if nothing does, and cannot be decided otherwise. What "about" and "as" mean is a number that stands in the check.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from asymp.reports.gallery.declare import FAILS, HOLDS, OPEN, Finding

__all__ = ["LEVEL", "all_of", "below", "inside", "one_number", "ratio", "slope_is", "spell"]

LEVEL = 0.999
NORMAL = 3.2905
"""The normal quantile of LEVEL, two-sided."""
SLOPE = 0.05
"""How far from the stated exponent a slope may be: the margin of the ledger's rates."""

Point = Mapping[str, Any]


def spell(value: float) -> str:
    """A number to three digits."""
    return f"{value:.3g}"


def one_number(value: float, low: float, high: float, *, what: str) -> Finding:
    """A number without uncertainty that should lie in low..high."""
    return inside({"mean": value, "least": value, "most": value}, low, high, what=what)


def inside(point: Point, low: float, high: float, *, what: str) -> Finding:
    """Whether a measured mean lies in low..high."""
    least, most = float(point["least"]), float(point["most"])
    if low <= least and most <= high:
        outcome = HOLDS
    elif most < low or least > high:
        outcome = FAILS
    else:
        outcome = OPEN
    wanted = (
        f"{spell(low)} to {spell(high)}"
        if math.isfinite(high) and math.isfinite(low)
        else (f"at least {spell(low)}" if math.isfinite(low) else f"at most {spell(high)}")
    )
    shown = spell(point["mean"]) if least == most else f"{spell(point['mean'])} ({spell(least)} to {spell(most)})"
    return Finding(
        outcome, f"{what} is {shown}; wanted: {wanted}.", {"value": point["mean"], "least": least, "most": most}
    )


def below(first: Point, second: Point, *, what: str) -> Finding:
    """Whether the first mean is smaller than the second: by the interval of their difference where both have a spread."""
    gap = second["mean"] - first["mean"]
    if min(first["stderr"], second["stderr"]) > 0:
        spread = NORMAL * math.hypot(first["stderr"], second["stderr"])
        least, most = gap - spread, gap + spread
    else:
        least, most = second["least"] - first["most"], second["most"] - first["least"]
    outcome = HOLDS if least > 0 else FAILS if most < 0 else OPEN
    words = f"{what}: {spell(first['mean'])} against {spell(second['mean'])}"
    words += "." if outcome != OPEN else ", not told apart."
    return Finding(outcome, words, {"first": first["mean"], "second": second["mean"], "least": least, "most": most})


def ratio(first: Point, second: Point) -> dict[str, float]:
    """The first mean over the second, with the 99.9 % interval of normal logarithms (both means far from zero)."""
    if min(first["mean"], second["mean"]) <= 0:
        return {"mean": math.inf if first["mean"] > 0 else math.nan, "least": 0.0, "most": math.inf}
    value = first["mean"] / second["mean"]
    spread = NORMAL * math.hypot(first["stderr"] / first["mean"], second["stderr"] / second["mean"])
    return {"mean": value, "least": value * math.exp(-spread), "most": value * math.exp(spread)}


def slope_is(
    x: Sequence[float], points: Sequence[Point], stated: float, *, what: str, margin: float = SLOPE
) -> Finding:
    """Whether the means fall as x to the stated power, by the exponent fit and the class of truths it declares."""
    from asymp.montecarlo import fit_exponent_of_logs

    if any(p["mean"] <= 0 for p in points):
        return Finding(OPEN, f"{what}: no slope, since an error of zero was measured.", {"stated": stated})
    fit = fit_exponent_of_logs(
        list(x),
        [math.log(p["mean"]) for p in points],
        # A spread of zero is that of a number known exactly: to nine digits here.
        [max(p["stderr"] / p["mean"], 1e-9) for p in points],
        freedom=min(p["replicas"] for p in points) - 1,
    )
    low, high = fit.interval(LEVEL)
    if fit.status == "misfit":
        outcome = FAILS
    elif stated - margin <= low and high <= stated + margin:
        outcome = HOLDS
    elif high < stated - margin or low > stated + margin:
        outcome = FAILS
    else:
        outcome = OPEN
    why = (
        "no power law with a correction, floor or logarithm fits"
        if fit.status == "misfit"
        else (f"exponent {fit.exponent:.3f}, interval {low:.3f} to {high:.3f}")
    )
    words = f"{what}: {why}; stated {stated:g}, margin {margin:g}."
    numbers = {"exponent": fit.exponent, "low": low, "high": high, "stated": stated, "status": fit.status}
    return Finding(
        outcome, words, {k: v if not isinstance(v, float) or math.isfinite(v) else None for k, v in numbers.items()}
    )


def all_of(findings: Iterable[Finding], *, words: Callable[[list[Finding]], str] | None = None) -> Finding:
    """A sentence about several things: it fails if one does, and holds if all do."""
    found = list(findings)
    outcomes = {f.outcome for f in found}
    outcome = FAILS if FAILS in outcomes else OPEN if OPEN in outcomes else HOLDS
    text = words(found) if words else _together([f.words for f in found])
    return Finding(outcome, text, {str(i): dict(f.numbers) for i, f in enumerate(found)})


def _together(words: list[str]) -> str:
    """Several sentences as one text; what is wanted of all is said once."""
    parts = [one.partition("; wanted: ") for one in words]
    if len(words) > 1 and len({wanted for _, _, wanted in parts}) == 1 and parts[0][2]:
        return f"{'; '.join(head for head, _, _ in parts)}. Wanted of each: {parts[0][2]}"
    return " ".join(words)
