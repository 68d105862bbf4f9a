"""One test for each kind of claim: it takes a part and its estimates and says what they show."""

from collections.abc import Callable, Sequence

from asymp.montecarlo import Estimate
from asymp.reports.declare import Part
from asymp.reports.judge.bound import judge_bound
from asymp.reports.judge.capacity import judge_capacity
from asymp.reports.judge.equality import judge_equality
from asymp.reports.judge.order import judge_order
from asymp.reports.judge.rate import judge_rate
from asymp.reports.verdict import Judgement

__all__ = ["judge"]

TESTS: dict[str, Callable[..., Judgement]] = {
    "identity": judge_equality,
    "constant": judge_equality,
    "bound": judge_bound,
    "rate": judge_rate,
    "capacity": judge_capacity,
    "order": judge_order,
}


def judge(part: Part, measured: Sequence[tuple[dict[str, object], Estimate]], *, level: float) -> Judgement:
    """Judge a part: `level` is its share of the budget of false refutations."""
    return TESTS[part.kind](part, measured, level=level)
