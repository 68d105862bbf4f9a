"""Orders: who comes first. The unit is the seed: each replica is one run, in which the order holds or does not.

An order states a share: it holds in at least three of four runs (`at_least`), at every point. Supported: at every point a
binomial test at 1 % over all looks shows a larger share. Refuted: at some point a binomial test at the budget, times the
number of points, shows a smaller one. Fewer runs than could ever reach that are inconclusive: they could not have refuted
anything.
"""

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self, final

import numpy as np
from scipy.special import bdtr, bdtrc, betaincinv

from asymp.montecarlo.estimate import intervals_of
from asymp.reports.grid import Setting
from asymp.reports.kinds.base import Look, Statement, WrongLaw, law_value
from asymp.reports.kinds.evidence import LOOKS, SUPPORT_LEVEL, Evidence, Measured, PointEvidence, band_level, points_of
from asymp.reports.kinds.wrong import always
from asymp.reports.numbers import Placed, Scale, interval, spell
from asymp.theory import Law
from asymp.theory.typesetting import quantity_latex, quantity_mathml

AT_LEAST = 0.75
"""The share of runs in which an order is said to hold, unless it is declared otherwise."""
Limit = float | Law | Callable[[Setting], float]


@dataclass(frozen=True, kw_only=True)
class OrderEvidence(PointEvidence):
    """Evidence about an order: at each point, in how many of the runs it holds."""

    holds: tuple[int, ...]
    runs: tuple[int, ...]
    at_least: float

    unit: ClassVar[str] = "share of runs"

    def numbers(self) -> dict[str, object]:
        """In how many of the runs the order holds, at each point."""
        return {"holds": list(self.holds), "runs": list(self.runs), "at_least": self.at_least}

    @property
    def least(self) -> int:
        """The point at which the order holds in the smallest share of runs."""
        return min(range(len(self.runs)), key=lambda i: self.holds[i] / self.runs[i])

    def _line(self) -> tuple[str, str, str, str]:
        held, runs = self.holds[self.least], self.runs[self.least]
        low, high = share_interval(held, runs, 0.95)
        return "runs in the order", f"at least {self.at_least:.0%}", f"{held} of {runs}", interval(low, high)

    @property
    def scale(self) -> Scale:
        """The share of runs in which the order holds."""
        inside = (self.at_least, 1.0)
        return Scale("share of runs in the order", self.at_least, inside, (0.0, 1.0), "the 95 % interval of the share")

    def placed(self) -> list[Placed]:
        """The share of runs at each point."""
        counts = zip(self.holds, self.runs, strict=True)
        return [(held / runs, *share_interval(held, runs, 0.95)) for held, runs in counts]

    def counted(self) -> list[str]:
        """In how many of the runs it holds."""
        return [f"{held} of {runs}" for held, runs in zip(self.holds, self.runs, strict=True)]

    def off_words(self) -> str:
        """In how many runs the order holds."""
        return f"the order holds in {sum(self.holds)} of {sum(self.runs)} runs"

    def could_see(self) -> str:
        """The largest share of runs that would have refuted the order."""
        return f"held in {self.seen:.0%} of runs" if self.could_refute else "nothing"

    def triad(self, budget: float) -> str:
        """What would have refuted the order, or how many runs could."""
        if not self.could_refute:
            return f"Too few runs to refute anything (budget {budget:.2g}); {self.needed} runs at each setting could."
        most = f"at most {self.seen:.0%}" if self.seen >= 0.005 else "none"
        held = f"had the order held in {most} of the runs"
        return f"It would have been refuted {held} (budget {budget:.2g})."


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class Order(Statement):
    """'In at least three of four runs the measured number is at most `below`', or 'at least `above`': give one of them.

    `at_least`: the share of runs, where it is another. The limit is a number, a law, or a function of the setting.
    `resolution`: the relative error of the simulation's own arithmetic: an equality that only rounding breaks holds. An order
    without a law says itself what a law would say: `quantity`, the name of what is measured; `about`, the parameters of which
    it speaks; `stated_in`, its source; and `conventions`.
    """

    below: Limit | None = None
    above: Limit | None = None
    quantity: str = "value"
    about: tuple[str, ...] = ()
    stated_in: str = ""
    conventions: str = ""
    resolution: float | Callable[[Setting], float] = 1e-12
    at_least: float = AT_LEAST

    kind: ClassVar[str] = "order"
    options: ClassVar[tuple[str, ...]] = ("at_least",)
    relations: ClassVar[tuple[str, ...]] = ("<=", ">=")
    fewest: ClassVar[int] = 1
    several: ClassVar[int] = 2

    def __post_init__(self) -> None:
        if (self.below is None) == (self.above is None):
            raise ValueError(f"order {self.name!r} needs below= or above=, one of the two")
        if not isinstance(self.at_least, int | float) or not 0 < self.at_least < 1:
            raise ValueError(
                f"at_least must be a share of runs above 0 and below 1, such as 0.75; got {self.at_least!r}"
            )
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
        mathml = f"<mrow>{quantity_mathml(name)}<mo>{entity}</mo><mn>{limit.replace('-', '&#8722;')}</mn></mrow>"
        return {
            "quantity": name,
            "expression": limit,
            "latex": f"{quantity_latex(name)} {sign} {limit}",
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

    def judge(self, measured: Measured, *, level: float, support: float = SUPPORT_LEVEL) -> Evidence:
        """Count the runs on the right side of the limit."""
        count = len(measured)
        limits = [self.predicted(params) for params, _ in measured]
        points = points_of(measured, limits, intervals_of([e for _, e in measured], band_level(count))[0])
        holds, runs = [], []
        for (params, estimate), limit in zip(measured, limits, strict=True):
            resolution = self.resolution(params) if callable(self.resolution) else self.resolution
            slack = resolution * abs(limit)
            kept = estimate.values <= limit + slack if self.above is None else estimate.values >= limit - slack
            holds.append(int(np.count_nonzero(kept)))
            runs.append(estimate.replicas)
        counts = list(zip(holds, runs, strict=True))
        p = min(1.0, count * min(self._p_against(held, n) for held, n in counts))
        needed = math.ceil(math.log(level / count) / math.log(1 - self.at_least))
        found = OrderEvidence(
            shown=all(self._p_for(held, n) <= support for held, n in counts),
            p_value=p,
            points=points,
            words="",
            seen=self._largest_refuted_share(min(runs), level / count),
            wanted=self.at_least,
            needed=needed,
            could_refute=min(runs) >= needed,
            relation=self.relation,
            holds=tuple(holds),
            runs=tuple(runs),
            at_least=self.at_least,
            shrink=self._shrink(counts, level / count, support),
        )
        worst = found.least
        low, high = share_interval(holds[worst], runs[worst], 0.95)
        where = f"({spell(points[worst].params)})"
        least = f"at {count} points. Where it holds least {where} it does in {holds[worst]} of {runs[worst]}"
        words = (
            f"The order holds in {sum(holds)} of {sum(runs)} runs {least if count > 1 else where}, a share of "
            f"{holds[worst] / runs[worst]:.2f}, 95 % interval {low:.2f} to {high:.2f}; it is said to be at least "
            f"{self.at_least:g}; p = {p:.2g} against that."
        )
        return replace(found, words=words)

    def share_of_look(self, round: int) -> float:
        """A quarter of both error rates is for all looks alike; the rest begins where all runs in the order could support it.

        The first look at so many runs has half of that rest, each further one half of what is left.
        """
        each = 1 / (4 * LOOKS)
        fewest = self.experiment.block * min(self.grid.weight_of(cell) for cell in self.grid.settings)
        enough = math.log(SUPPORT_LEVEL * (each + 3 / 8)) / math.log(self.at_least)
        before = max(0, math.ceil(math.log2(enough / fewest)))
        return each + (0.75 * 0.5 ** (round - before + 1) if round >= before else 0.0)

    def _p_against(self, held: int, runs: int) -> float:
        """The p-value against 'the order holds in at least the declared share of runs'."""
        return float(bdtr(held, runs, self.at_least))

    def _p_for(self, held: int, runs: int) -> float:
        """The p-value against 'the order holds in at most the declared share of runs'."""
        return float(bdtrc(held - 1, runs, self.at_least)) if held else 1.0

    def _shrink(self, counts: Sequence[tuple[int, int]], level: float, support: float) -> float:
        """How much narrower a share must be known for a decision, if the order went on holding as often as so far."""
        for doublings in range(LOOKS):
            # what was seen, with half a run for and half a run against, goes on
            more = [(2**doublings * n, (held + 0.5) / (n + 1)) for held, n in counts]
            if all(self._p_for(math.floor(share * n), n) <= support for n, share in more):
                return float(2 ** (doublings / 2))
            if any(self._p_against(math.ceil(share * n), n) <= level for n, share in more):
                return float(2 ** (doublings / 2))
        return math.inf

    def _largest_refuted_share(self, runs: int, level: float) -> float:
        """The largest observed share of runs in the order that would still have refuted it; 0 if none would."""
        refuting = [held for held in range(runs + 1) if self._p_against(held, runs) <= level]
        return max(refuting) / runs if refuting else 0.0

    def rule(self) -> str:
        """How an order is judged."""
        return (
            f"Supported: at every point the order is shown to hold in at least {self.at_least:.0%} of runs (binomial test "
            "at 1 % over all looks). Refuted: at some point it is shown to hold in fewer, at the level of the budget."
        )

    def look(self) -> Look:
        """A limit, not a law."""
        return Look(law="limit", rows=True)

    def wrong_laws(self) -> Iterator[WrongLaw]:
        """The reversed order. A run at the limit itself is on both sides of it: the reversed order is a strict one."""

        def beyond(cell: Setting) -> float:
            limit = self.predicted(cell)
            return limit + (1 if self.above is None else -1) * 1e-9 * max(1.0, abs(limit))

        yield always("order reversed", self._limited(beyond, upper=self.below is None))

    def calibration_replicas(self, cell: Setting) -> int:
        """Eleven runs out of eleven against it refute an order at 5 %, and few more are needed where some are for it."""
        return 12


def share_interval(held: int, runs: int, level: float) -> tuple[float, float]:
    """The interval of Clopper and Pearson for a share of which `held` of `runs` were seen."""
    tail = (1 - level) / 2
    low = float(betaincinv(held, runs - held + 1, tail)) if held else 0.0
    return low, float(betaincinv(held + 1, runs - held, 1 - tail)) if held < runs else 1.0
