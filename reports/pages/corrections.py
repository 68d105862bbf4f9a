"""What the corrected law says at the points of each erratum. Some take seconds: they are kept."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from asymp.reports.claimbook import claims
from asymp.reports.declare import said
from asymp.reports.pages.hands import Hands
from asymp.reports.running.kept import Kept
from asymp.reports.verdict import Verdict
from asymp.theory import laws

__all__ = ["corrections"]

KIND = "corrections"
# The source that the values depend on.
CODE = ("theory", "reports")


def corrections(
    verdicts: Sequence[Verdict], kept: Kept, hands: Hands
) -> dict[tuple[str, str], Callable[[], list[float]]]:
    """By claim and part, what gives the values when it is called; those that are not kept are begun at once."""
    wanted: dict[tuple[str, str], tuple[list[Any], tuple[str, float, list[dict[str, Any]]]]] = {}
    for verdict in verdicts:
        for part in claims[verdict.claim].parts:
            cells = verdict.parts[part.name].judgement.cells
            if part.erratum and cells:
                better = part.with_corrected_law()
                points = [better.law_values(c.params) for c in cells]
                came_from = [verdict.claim, part.name, [c.params for c in cells]]
                wanted[verdict.claim, part.name] = came_from, (better.law.id, better.constant, points)
    missing = [name for name, (came_from, _) in wanted.items() if not kept.has(KIND, came_from, code=CODE)]
    begun = dict(zip(missing, hands.begin([(_values, wanted[name][1]) for name in missing]), strict=True))
    return {
        name: partial(kept.data, KIND, came_from, begun.get(name, partial(_values, task)), code=CODE)
        for name, (came_from, task) in wanted.items()
    }


def _values(task: tuple[str, float, Sequence[Mapping[str, Any]]]) -> list[float]:
    """A law's values at some points, times a constant."""
    id, constant, points = task
    return [constant * said(laws[id], values) for values in points]
