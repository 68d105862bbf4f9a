"""Orders: who comes first. The unit is the seed: each replica is one run, in which the order holds or does not.

Supported: it holds in every one of at least seven runs, at every point; under a fair coin that has probability below
1 %. Refuted: the share 1/2 is rejected downwards by a binomial test at the budget, times the number of points. Fewer
runs than could ever reach that are inconclusive: they could not have refuted anything.
"""

import math
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from html import escape
from typing import ClassVar, Self, final

import numpy as np
from scipy.special import bdtr

from asymp.montecarlo.estimate import intervals_of
from asymp.reports.grid import Setting
from asymp.reports.kinds.base import Look, Statement, WrongLaw, law_value
from asymp.reports.kinds.evidence import Evidence, Measured, PointEvidence, band_level, points_of
from asymp.reports.kinds.wrong import always
from asymp.reports.numbers import spell
from asymp.theory import Law

# 2^-7 < 1 %: a coin passes for an order at most that often.
FEWEST = 7
Limit = float | Law | Callable[[Setting], float]


@dataclass(frozen=True, kw_only=True)
class OrderEvidence(PointEvidence):
    """Evidence about an order: at each point, in how many of the runs it holds."""

    holds: tuple[int, ...]
    runs: tuple[int, ...]

    unit: ClassVar[str] = "share of runs"

    def numbers(self) -> dict[str, object]:
        """In how many of the runs the order holds, at each point."""
        return {"holds": list(self.holds), "runs": list(self.runs)}

    def _line(self) -> tuple[str, str, str, str]:
        return "runs in the order", "all", f"{sum(self.holds)} of {sum(self.runs)}", ""

    def off_words(self) -> str:
        """In how many runs the order holds."""
        return f"the order holds in {sum(self.holds)} of {sum(self.runs)} runs"

    def could_see(self) -> str:
        """The largest share of runs that would have refuted the order."""
        return f"held in {self.seen:.0%} of runs" if self.could_refute else "nothing"

    def triad(self, budget: float) -> str:
        """What would have refuted the order, or how many runs could."""
        if not self.could_refute:
            return f"Too few runs to refute anything (budget {budget:.2g}); {self.needed} a point could."
        held = f"had the order held in at most {self.seen:.0%} of the runs"
        return f"It would have been refuted {held} (budget {budget:.2g})."


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class Order(Statement):
    """'In every run the measured number is at most `below`', or 'at least `above`': give one of them.

    The limit is a number, a law, or a function of the setting. `resolution`: the relative error of the simulation's own
    arithmetic: an equality that only rounding breaks holds. An order without a law says itself what a law would say:
    `quantity`, the name of what is measured; `about`, the parameters of which it speaks; `stated_in`, its source; and
    `conventions`.
    """

    below: Limit | None = None
    above: Limit | None = None
    quantity: str = "value"
    about: tuple[str, ...] = ()
    stated_in: str = ""
    conventions: str = ""
    resolution: float | Callable[[Setting], float] = 1e-12

    kind: ClassVar[str] = "order"
    fewest: ClassVar[int] = 1
    several: ClassVar[int] = 2

    def __post_init__(self) -> None:
        if (self.below is None) == (self.above is None):
            raise ValueError(f"order {self.name!r} needs below= or above=, one of the two")
        law = self.formula
        if law is not None and law.relation[:1] != self.relation[:1]:
            raise ValueError(f"order {self.name!r} is {self.relation} its law, whose relation is {law.relation!r}")

    @property
    def limit(self) -> Limit:
        """What the runs are compared with."""
        chosen = self.above if self.below is None else self.below
        assert chosen is not None
        return chosen

    @property
    def formula(self) -> Law | None:
        """The law, where the limit is one."""
        return self.limit if isinstance(self.limit, Law) else None

    @property
    def relation(self) -> str:
        """<= or >=."""
        return ">=" if self.below is None else "<="

    @property
    def speaks_of(self) -> Collection[str]:
        """The parameters of the law, or those that are declared."""
        return self.about if self.formula is None else self.formula.domain

    @property
    def source(self) -> str:
        """Where it is stated: the law's source, or the one declared."""
        return self.stated_in if self.formula is None else str(self.formula.source)

    def described(self) -> dict[str, str]:
        """The inequality as text, in LaTeX and in MathML."""
        if not isinstance(self.limit, int | float):
            return super().described()
        name, limit = self.quantity, f"{self.limit:g}"
        sign, entity = (r"\ge", "&#8805;") if self.below is None else (r"\le", "&#8804;")
        mathml = f"<mrow><mtext>{escape(name)}</mtext><mo>{entity}</mo><mn>{limit}</mn></mrow>"
        return {
            "quantity": name,
            "expression": limit,
            "latex": rf"\mathrm{{{name}}} {sign} {limit}",
            "mathml": f'<math display="block">{mathml}</math>',
            "conventions": self.conventions,
        }

    def predicted(self, params: Setting) -> float:
        """The limit at one setting."""
        limit = self.limit
        if isinstance(limit, Law):
            return law_value(limit, self.law_values(params))
        return float(limit(params) if callable(limit) else limit)

    def with_law(self, law: Law) -> Statement:
        """The same with a law as the limit, on the side that the law says."""
        return self._limited(law, upper=law.relation.startswith("<"))

    def _limited(self, limit: Limit, *, upper: bool) -> Self:
        """The same with another limit: an upper or a lower one."""
        return replace(self, below=limit if upper else None, above=None if upper else limit)

    def saying(self, wrong: Callable[[Setting], float]) -> Self:
        """The same with the limit `wrong(setting)`."""
        return self._limited(wrong, upper=self.above is None)

    def judge(self, measured: Measured, *, level: float) -> Evidence:
        """Count the runs on the right side of the limit."""
        count = len(measured)
        limits = [self.predicted(params) for params, _ in measured]
        points = points_of(measured, limits, intervals_of([e for _, e in measured], band_level(count))[0])
        p_values, holds, runs = [], [], []
        for (params, estimate), limit in zip(measured, limits, strict=True):
            resolution = self.resolution(params) if callable(self.resolution) else self.resolution
            slack = resolution * abs(limit)
            kept = estimate.values <= limit + slack if self.above is None else estimate.values >= limit - slack
            holds.append(int(np.count_nonzero(kept)))
            runs.append(estimate.replicas)
            p_values.append(float(bdtr(holds[-1], runs[-1], 0.5)))
        p = min(1.0, count * min(p_values))
        needed = math.ceil(math.log2(count / level))
        worst = min(range(count), key=lambda i: holds[i] / runs[i])
        return OrderEvidence(
            shown=all(h == n >= FEWEST for h, n in zip(holds, runs, strict=True)),
            p_value=p,
            points=points,
            words=(
                f"The order holds in {sum(holds)} of {sum(runs)} runs at {count} points, in {holds[worst]} of {runs[worst]} "
                f"where it holds least ({spell(points[worst].params)}); p = {p:.2g} against a share of at least one half."
            ),
            seen=_largest_refuted_share(min(runs), level / count),
            wanted=0.5,
            needed=needed,
            could_refute=min(runs) >= needed,
            relation=self.relation,
            holds=tuple(holds),
            runs=tuple(runs),
        )

    def rule(self) -> str:
        """How an order is judged."""
        return (
            "Supported: the order holds in every run, in at least seven runs at every point. Refuted: a share of one half is "
            "rejected downwards by a binomial test at the level of the budget."
        )

    def look(self) -> Look:
        """Mean over the runs and the limit."""
        caption = (
            "Points: the mean over the runs with a simultaneous 95 % band. Line or mark: the limit that every run has to "
            "respect. Below: mean over limit."
        )
        return Look(caption, law="limit", wide_ratio=True)

    def wrong_laws(self) -> Iterator[WrongLaw]:
        """The reversed order. A run at the limit itself is on both sides of it: the reversed order is a strict one."""

        def beyond(cell: Setting) -> float:
            limit = self.predicted(cell)
            return limit + (1 if self.above is None else -1) * 1e-9 * max(1.0, abs(limit))

        yield always("order reversed", self._limited(beyond, upper=self.below is None))

    def calibration_replicas(self, cell: Setting) -> int:
        """An order is decided by 5 runs at 5 %."""
        return min(6, self.replicas_at("quick", cell))


def _largest_refuted_share(runs: int, level: float) -> float:
    """The largest observed share of runs in the order that would still have refuted it; 0 if none would."""
    refuting = [k for k in range(runs + 1) if bdtr(k, runs, 0.5) <= level]
    return max(refuting) / runs if refuting else 0.0
