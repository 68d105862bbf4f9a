"""One line for each part: what was predicted, what was measured, how tight, how far off, what could have been seen."""

import math
from dataclasses import dataclass
from typing import Any

from asymp.reports.command.texts import percent
from asymp.reports.declare import Part
from asymp.reports.pages.numbers import concise, interval, plain
from asymp.reports.verdict import Cell, PartVerdict

__all__ = ["Summary", "cost", "summary"]


@dataclass(frozen=True)
class Summary:
    """A part in one line. `off` is the factor by which the statement is off at the points measured, 1 for none."""

    what: str
    predicted: str
    measured: str
    interval: str
    tightness: str
    could_see: str
    off: float


def summary(part: Part, verdict: PartVerdict) -> Summary:
    """The line of a part: the fit or the point that is farthest from the law."""
    judgement, numbers = verdict.judgement, verdict.judgement.numbers
    tightness, seen, factor = _tightness(numbers), could_see(verdict), off(part, verdict)

    def line(what: str, predicted: str, measured: str, interval: str) -> Summary:
        return Summary(what, predicted, measured, interval, tightness=tightness, could_see=seen, off=factor)

    fits = numbers.get("fits")
    if fits:
        return line(*_exponent(part, fits))
    if "holds" in numbers:
        held, runs = sum(numbers["holds"]), sum(numbers["runs"])
        return line("runs in the order", "all", f"{held} of {runs}", "")
    if not judgement.cells or "missing" in numbers:
        return line("", "", "not measured", "")
    cell = _farthest(part, verdict)
    what, sign = {"bound": ("measured / bound", _sign(part)), "capacity": ("capacity / law", _sign(part))}.get(
        part.kind, ("measured / law", "")
    )
    if not cell.predicted:
        return line("measured", "0", _number(cell.mean, cell.low, cell.high), interval(cell.low, cell.high))
    low, high = sorted((cell.low / cell.predicted, cell.high / cell.predicted))
    return line(what, f"{sign}1", _number(cell.ratio, low, high), interval(low, high))


def _exponent(part: Part, fits: list[dict[str, Any]]) -> tuple[str, str, str, str]:
    """What, predicted, measured and interval of the fit that is farthest from the law."""
    worst = max(fits, key=lambda f: abs(f["exponent"] - f["predicted"]))
    low, high = worst["interval"]
    more = f", farthest of {len(fits)}" if len(fits) > 1 else ""
    return (
        f"exponent in {part.variable}{more}",
        plain(worst["predicted"]),
        _number(worst["exponent"], low, high),
        interval(low, high),
    )


def _number(value: float, low: float, high: float) -> str:
    return concise(value, max(high - value, value - low))


def _sign(part: Part) -> str:
    relation = part.law.relation
    return "at most " if relation.startswith("<") else "at least " if relation.startswith(">") else ""


def _farthest(part: Part, verdict: PartVerdict) -> Cell:
    """The point that decides: nearest to a bound, or on its wrong side; farthest from an equality."""
    cells = verdict.judgement.cells
    known = verdict.judgement.numbers.get("worst_at")
    for cell in cells:
        if known is not None and cell.params == known:
            return cell
    live = [c for c in cells if c.predicted and math.isfinite(c.ratio)]
    if not live:
        return max(cells, key=lambda c: abs(c.mean))
    if part.law.relation.startswith("<"):
        return max(live, key=lambda c: c.ratio)
    if part.law.relation.startswith(">"):
        return min(live, key=lambda c: c.ratio)
    return max(live, key=lambda c: _apart(c.ratio))


def _apart(ratio: float) -> float:
    return math.inf if ratio <= 0 else max(ratio, 1 / ratio)


def off(part: Part, verdict: PartVerdict) -> float:
    """By which factor the statement is off at the measured points, at most; infinite where a sign is wrong."""
    factors = [1.0]
    for cell in verdict.judgement.cells:
        if part.scale is not None and part.kind in ("identity", "constant"):
            unit = part.unit(cell.params)
            factors.append(1 + abs(cell.mean - cell.predicted) / unit if unit else 1.0)
        elif cell.predicted and math.isfinite(cell.ratio):
            wrong = (
                not part.law.relation.startswith(("<", ">"))
                or part.kind == "rate"
                or (cell.ratio > 1) == part.law.relation.startswith("<")
            )
            factors.append(_apart(cell.ratio) if wrong else 1.0)
        elif cell.mean != cell.predicted:
            factors.append(math.inf)
    return max(factors)


def could_see(verdict: PartVerdict) -> str:
    """The smallest discrepancy that the run could have seen, in a few words."""
    judgement = verdict.judgement
    if judgement.unit == "share of runs":
        return f"held in {judgement.seen:.0%} of runs" if judgement.could_refute else "nothing"
    if not math.isfinite(judgement.seen) or not judgement.could_refute:
        return "nothing"
    return percent(judgement.seen) if judgement.unit in ("relative", "scaled") else f"{judgement.seen:.2g}"


def _tightness(numbers: dict[str, Any]) -> str:
    low, high = numbers.get("tightness_min"), numbers.get("tightness_max")
    if low is None or high is None:
        return ""
    return f"{low:.3g}" if f"{low:.3g}" == f"{high:.3g}" else f"{low:.3g} to {high:.3g}"


def cost(verdicts: list[PartVerdict]) -> dict[str, int]:
    """What the parts took: different points, and their replicas. Times depend on the machine and are not part of a report."""
    cells = [cell for verdict in verdicts for cell in verdict.judgement.cells]
    return {"points": len(cells), "replicas": sum(cell.replicas for cell in cells)}
