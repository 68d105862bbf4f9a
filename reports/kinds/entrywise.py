"""Identities of vectors and matrices: every entry of what was measured is what the law says of what was drawn.

The experiment returns by name what it drew and, as `measured`, what it measured; the law evaluates its formula on those
same draws. The value of a replica is the largest difference between the two, as a share of the largest entry. The statement
is about every draw and no mean: its largest difference is judged like an equality whose law says 0, within a margin that
leaves room for rounding only. Two analytic functions that differ are equal at a draw with probability 0.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, final

import numpy as np
import sympy

from asymp.montecarlo import Estimate
from asymp.reports.grid import Setting
from asymp.reports.kinds.base import WrongLaw
from asymp.reports.kinds.equality import Equality
from asymp.reports.kinds.evidence import SUPPORT_LEVEL, Evidence, Measured, Point
from asymp.reports.kinds.on_draws import Difference, on_draws
from asymp.reports.kinds.wrong import OFF, always
from asymp.reports.numbers import of_all, spell


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class Entrywise(Equality):
    """'Every entry of the measured array is what the law says of the draws', up to rounding.

    `experiment`: its sampler returns tensors by name, first dimension the replicas: `measured`, and one for every
    parameter of the law.
    """

    margin: float = 1e-12
    resolution: float = 5e-13

    kind: ClassVar[str] = "identity"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "experiment", on_draws(self.experiment, self.law, Difference))
        object.__setattr__(self, "scale", _one)

    def judge(self, measured: Measured, *, level: float, support: float = SUPPORT_LEVEL) -> Evidence:
        """Compare the largest difference at every setting with what rounding explains."""
        largest = [
            (params, Estimate(np.full(e.replicas, e.values.max()), deterministic=True)) for params, e in measured
        ]
        found = super().judge(largest, level=level, support=support)
        return replace(found, assumption="Every draw is compared: an identity has to hold in each, up to rounding.")

    def predicted(self, params: Setting) -> float:
        """No difference."""
        return 0.0

    def expected_at(self, preset: str, overrides: Setting) -> str:
        """An identity holds at every setting."""
        return self.expected

    def _words(self, points: Sequence[Point], worst: int, off: float, p: float, shown: int) -> str:
        point = points[worst]
        return (
            f"The largest difference of an entry from the formula, as a share of the largest entry, is shown to be below "
            f"{self.margin:g} at {of_all(shown, len(points), 'setting')}; it is largest with {point.mean:.2g} at "
            f"{spell(point.params)}; p = {p:.2g} against equality."
        )

    def rule(self) -> str:
        """How an identity of arrays is judged."""
        return (
            "In each replica theory evaluates its formula on what the simulation drew. Supported: the largest difference of an "
            f"entry is shown to be below {self.margin:g} of the largest entry, at every setting. Refuted: it is shown not to be."
        )

    def wrong_laws(self) -> Iterator[WrongLaw]:
        """The formula 25 % too large and too small, and with each term of its sums left out or its sign changed."""
        expr = self.law.expr
        yield always("constant 25 % too large", self._with(expr * sympy.Rational(5, 4)))
        yield always("constant 25 % too small", self._with(expr * (1 - sympy.Rational(OFF))))
        for total in expr.atoms(sympy.Add):
            for term in total.args:
                yield always(f"one term dropped: {term}", self._with(expr.xreplace({total: total - term})))
                yield always(f"one sign changed: {term}", self._with(expr.xreplace({total: total - 2 * term})))

    def _with(self, expr: sympy.Expr) -> "Entrywise":
        return replace(self, law=replace(self.law, expression=lambda: expr))


def _one(params: Setting) -> float:
    return 1.0
