"""Identities and constants: the law's value at every point of the grid at once, with no free parameter.

Supported: at every point two one-sided tests at 1 % over all looks put the mean within the declared relative margin. Requiring all
points is an intersection-union test, so a law that is off by the margin anywhere passes with probability at most 1 %.
Refuted: the smallest p-value over the points, times their number, is below the budget. An exact law (relation =) is
tested as a point; an asymptotic one (relation ~) only where the mean is beyond the margin, because nobody claims more.
A deterministic identity has no spread; what its simulation cannot resolve is the statement's resolution (sums of up to
1e4 float64 terms differ by 1e4 roundings of 1.1e-16). A law that may say 0 declares the scale of which the margin is a
share; without one that is the predicted value.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import ClassVar, Self, final

import sympy

from asymp.montecarlo.estimate import intervals_of
from asymp.montecarlo.p_values import ps_outside
from asymp.reports.grid import Setting, spread
from asymp.reports.kinds.base import LARGEST_MARGIN, LawStatement, Statement, WrongLaw, law_value
from asymp.reports.kinds.bound import Bound
from asymp.reports.kinds.evidence import (
    SUPPORT_LEVEL,
    WIDE,
    Distance,
    Evidence,
    Measured,
    Point,
    PointEvidence,
    assumption_of,
    band_level,
    between,
    check_declared,
    detectable,
    half_width,
    noise_of,
    obstacle_of,
    points_of,
    samples_needed,
    shrink_of,
)
from asymp.reports.kinds.wrong import OFF, always, saying, saying_law
from asymp.reports.numbers import Placed, Scale, margins, of_all, percent, spell
from asymp.theory import Law

# A wrong law is a control if it differs from the right one by so many margins at some setting: 3 is what a check of an
# exact law (margin 2 %) is planned to see, 5 (10 %) what swaps and wrong variables must at least be worth.
SEEN, CLEAR = 3, 5


@dataclass(frozen=True, kw_only=True)
class EqualityEvidence(PointEvidence):
    """Evidence about an equality: at how many points it is shown, and by how much it is off where it is most.

    `units`: what a difference is a share of, at each point; `scaled`: whether that is a declared scale.
    """

    points_shown: int
    worst: int
    difference: float
    units: tuple[float, ...]
    scaled: bool

    curve: ClassVar[bool] = True

    @property
    def unit(self) -> str:  # type: ignore[override]
        """A share of the predicted value, or of the declared scale."""
        return "scaled" if self.scaled else "relative"

    @property
    def _of(self) -> str:  # type: ignore[override]
        return " of the declared scale" if self.scaled else " of the value"

    def numbers(self) -> dict[str, object]:
        """The point that is farthest from the law."""
        worst = self.points[self.worst]
        return {
            "worst_ratio": worst.ratio,
            "worst_difference": self.difference,
            "worst_at": worst.params,
            "points_shown": self.points_shown,
        }

    def _deciding(self) -> Point:
        return self.points[self.worst]

    @property
    def _sign(self) -> str:
        return ""

    @property
    def scale(self) -> Scale:
        """The distance from the law in margins."""
        return margins(f"{WIDE} that decides")

    def placed(self) -> list[Placed]:
        """Each point less its law, in margins."""
        return self._in_margins(self.units)

    def off(self) -> float:
        """By which factor, or by how many scales more than none, the law is off."""
        if not self.scaled:
            return super().off()
        apart = [abs(p.mean - p.predicted) / unit for p, unit in zip(self.points, self.units, strict=True) if unit]
        return 1 + max(apart, default=0.0)


@dataclass(frozen=True, eq=False, kw_only=True)
class Equality(LawStatement):
    """'The mean is what the law says' at every point, within a relative margin.

    `scale`: what the margin is a share of, where the law may say 0. `resolution`: the relative error of the simulation's
    own arithmetic, such as an integrator's, or of the law's own value where that is a published measurement; else rounding.
    It is taken off the margin within which the mean has to lie, and a law is not refuted within it.
    """

    scale: Callable[[Setting], float] | None = None
    resolution: float | Callable[[Setting], float] = 1e-12

    of_a_mean: ClassVar[bool] = True
    relations: ClassVar[tuple[str, ...]] = ("=", "~")
    not_generated: ClassVar[Mapping[str, str]] = {
        "constant 25 % too large": "the law says 0; five margins are added instead",
        "swapped regime": "no word of the law makes a difference of five margins",
        "wrong variable": "no number of the grid makes a difference of five margins",
        "one term dropped": "the law is no sum in closed form, or its terms are below three margins",
    }

    def unit(self, params: Setting) -> float:
        """What the margin is a share of: the predicted value, or the declared scale."""
        return abs(self.predicted(params)) if self.scale is None else abs(self.scale(params))

    def resolved(self, params: Setting) -> float:
        """The relative error of what is compared at one setting, however many replicas there are."""
        return self.resolution(params) if callable(self.resolution) else self.resolution

    def judge(self, measured: Measured, *, level: float, support: float = SUPPORT_LEVEL) -> Evidence:
        """Compare the mean with the law at every point."""
        count, estimates = len(measured), [e for _, e in measured]
        bands, supports, wide = intervals_of(estimates, band_level(count), 1 - 2 * support, 1 - level / count)
        predictions = [self.predicted(params) for params, _ in measured]
        points = points_of(measured, predictions, bands, supports)
        room = [self.unit(params) * (self.margin - self.resolved(params)) for params, _ in measured]
        check_declared(self.experiment, points, measured, room)
        nulls, shown, seen, off, units, distances, judged = [], [], [], [], [], [], False
        for i, (params, estimate) in enumerate(measured):
            predicted, unit, resolved = predictions[i], self.unit(params), self.resolved(params)
            half = unit * (self.margin - resolved)
            tolerance = unit * (self.margin if self.law.relation == "~" else resolved)
            low, high = supports[i]
            shown.append(predicted - half <= low and high <= predicted + half)
            nulls.append((estimate, predicted - tolerance, predicted + tolerance))
            found = (detectable(estimate, wide[i]) + tolerance, noise_of(estimate, 1 - level / count) + tolerance)
            judged |= math.isfinite(found[0])
            seen.append((found[0] / unit, estimate.replicas, found[1] / unit) if unit else (float("inf"), 0, 0.0))
            off.append((estimate.mean - predicted) / unit if unit else float("inf"))
            units.append(unit)
            distances.append(
                Distance.of(
                    abs(estimate.mean - predicted),
                    noise=estimate.stderr,
                    margin=half,
                    half=half_width(estimate.mean, (low, high)),
                    tolerance=tolerance,
                    wide=half_width(estimate.mean, wide[i]),
                )
            )
        worst = max(range(count), key=lambda i: abs(off[i]))
        smallest, replicas, noise = max(seen)
        known = max(self.resolved(params) for params, _ in measured)
        rough = known >= self.margin
        p = min(1.0, count * min(ps_outside(nulls)))
        return EqualityEvidence(
            shown=all(shown),
            p_value=p,
            points=points,
            words=self._words(points, worst, off[worst], p, sum(shown)),
            seen=smallest,
            wanted=self.margin,
            needed=samples_needed(replicas, smallest, self.margin, noise),
            noise=noise,
            shrink=shrink_of(distances),
            assumption=assumption_of(measured, 1 - 2 * support),
            obstacle=self._too_rough(known) if rough else obstacle_of(measured),
            final=self._too_rough(known) if rough and smallest <= 2 * known else "",
            could_refute=judged,
            relation=self.relation,
            points_shown=sum(shown),
            worst=worst,
            difference=off[worst],
            units=tuple(units),
            scaled=self.scale is not None,
        )

    def _too_rough(self, known: float) -> str:
        return (
            f"no run can support it: what is compared is known to {100 * known:.0f} % only, and the margin is "
            f"{100 * self.margin:.0f} %; a run can only refute it"
        )

    def _words(self, points: Sequence[Point], worst: int, off: float, p: float, shown: int) -> str:
        point = points[worst]
        margin = f"{100 * self.margin:.3g}%" if self.margin >= 1e-6 else f"{self.margin:g}"
        resolved = max(self.resolved(one.params) for one in points)
        if resolved > 0.01 * self.margin:
            margin += f" (less what the compared values are uncertain by, up to {percent(resolved)})"
        against = f"at {spell(point.params)}; p = {p:.2g} against equality."
        if self.scale is None and not self.unit(point.params):
            return (
                f"The law says 0, of which {margin} is nothing: no value but 0 agrees with it, unless a scale is declared. "
                f"Measured is {point.mean:.4g} ({between(point.low, point.high, '.4g')}) {against}"
            )
        if self.scale is not None:
            return (
                f"Measured less predicted is within {margin} of the declared scale at {of_all(shown, len(points))} "
                f"(two one-sided tests at 1 % over all looks); it is farthest from 0 with {off:.2g} of the scale "
                f"(measured {point.mean:.4g}, {between(point.low, point.high, '.4g')}, predicted "
                f"{point.predicted:.4g}) {against}"
            )
        low, high = sorted((point.low / point.predicted, point.high / point.predicted))
        return (
            f"Measured over predicted is within {margin} of 1 at {of_all(shown, len(points))} "
            f"(two one-sided tests at 1 % over all looks); the ratio farthest from 1 is {point.ratio:.4f} "
            f"({between(low, high, '.4f')}) {against}"
        )

    def rule(self) -> str:
        """How an equality is judged."""
        margin = percent(self.margin) + (" (of the declared scale)" if self.scale is not None else "")
        against = "a mean within that margin" if self.law.relation == "~" else "equality"
        return (
            f"Supported: at every point two one-sided tests at 1 % over all looks put the mean within {margin} of the law. "
            f"Refuted: the smallest p-value against {against}, times the number of points, is below the budget."
        )

    # -- wrong laws --------------------------------------------------------------------------------------------------

    def wrong_laws(self) -> Iterator[WrongLaw]:
        """The constant, the regime, the variable or a term is wrong; or the law is moved, where it says 0."""
        cells = self.cells("quick", {})
        if any(self.predicted(cell) for cell in cells):
            yield always("constant 25 % too large", self.saying(lambda cell: (1 + OFF) * self.predicted(cell)))
            yield always("constant 25 % too small", self.saying(lambda cell: (1 - OFF) * self.predicted(cell)))
        if self.scale is not None:
            yield always("five margins too large", self._moved(CLEAR))
            yield always("five margins too small", self._moved(-CLEAR))
        swapped = self._table(cells, self._swapped_words)
        if swapped is not None:
            yield always("swapped regime: the value of another word", swapped)
        for name in _varying(cells):
            frozen = self._table(cells, partial(self._frozen, cells=cells, name=name))
            if frozen is not None:
                yield always(f"wrong variable: {name} is ignored", frozen)
                break
        if any(self._smallest_seen(cell) for cell in cells):
            dropped = self.saying(lambda cell: self.predicted(cell) - self._smallest_seen(cell))
            yield always("one term dropped", dropped)

    def saying(self, wrong: Callable[[Setting], float]) -> Self:
        """The same statement with a law that says `wrong(setting)`; the margin stays a share of what it was."""
        return replace(self, law=saying_law(self.law.relation), to_law=saying(wrong), scale=self.unit)

    def _moved(self, margins: float) -> Self:
        """Moved by some margins: a factor does nothing to a law that says 0."""
        return self.saying(lambda cell: self.predicted(cell) + margins * self.margin * self.unit(cell))

    def _clear(self, cell: Setting, wrong: float | None) -> bool:
        return wrong is not None and abs(wrong - self.predicted(cell)) > CLEAR * self.margin * self.unit(cell)

    def _table(self, cells: Sequence[Setting], value: Callable[[Setting], float | None]) -> Self | None:
        """A law given by a table over a few settings, if it is clearly another law than the right one."""
        some = spread(cells, 4)  # some laws take seconds a setting, and one wrong setting refutes
        table = {repr(sorted(cell.items())): value(cell) for cell in some}
        if not any(self._clear(cell, table[repr(sorted(cell.items()))]) for cell in some):
            return None

        def look_up(cell: Setting) -> float:
            wrong = table.get(repr(sorted(cell.items())))
            return self.predicted(cell) if wrong is None else wrong

        return self.saying(look_up)

    def _swapped_words(self, cell: Setting) -> float | None:
        """The law with its words changed, the first that makes a difference: sphere for gaussian, other for target."""
        values = self.law_values(cell)
        for name, options in self.law.words.items():
            for word in options:
                if word == values.get(name, self.law.defaults.get(name)):
                    continue
                wrong = _try(self.law, {**values, name: word})
                if self._clear(cell, wrong):
                    return wrong
        return None

    def _frozen(self, cell: Setting, *, cells: Sequence[Setting], name: str) -> float | None:
        """The law at the smallest value of `name` instead of the setting's own."""
        if name not in cell:
            return None
        smallest = min(c[name] for c in cells if name in c)
        try:
            return self.predicted({**cell, name: smallest})
        except (ValueError, IndexError, KeyError, ZeroDivisionError):
            return None

    def _smallest_seen(self, cell: Setting) -> float:
        """The smallest term that is more than three margins: what a quick check should miss if it were not there."""
        terms = self._terms(cell)
        seen = [t for t in terms if abs(t) > SEEN * self.margin * self.unit(cell)]
        return min(seen, key=abs) if len(terms) > 1 and seen else 0.0

    def _terms(self, cell: Setting) -> list[float]:
        """The values of the terms of a law that is a sum, at one setting; none where the law is no closed form."""
        if self.law.of_arrays or not self.law.closed_form:
            return []
        values = {**self.law.defaults, **self.law_values(cell)}
        numbers = {self.law.symbols[k]: v for k, v in values.items() if k in self.law.symbols}
        expr = self.law.variant(**{k: v for k, v in values.items() if k in self.law.words})
        return [float(term.subs(numbers)) for term in sympy.Add.make_args(expr)]


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class Identity(Equality):
    """An exact law: it holds wherever it is defined."""

    margin: float = LARGEST_MARGIN

    kind: ClassVar[str] = "identity"

    @classmethod
    def of_law(cls, law: Law) -> type[Statement]:
        """To leading order, if the law says so."""
        return Constant if law.relation == "~" else cls

    def expected_at(self, preset: str, overrides: Setting) -> str:
        """An exact law holds at the user's settings too; an erratum is declared for those of the grids only."""
        return super().expected_at(preset, overrides) if self.erratum else self.expected


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class Constant(Equality):
    """A law with its constant, to leading order: it holds at the settings of the grid, within a wider margin."""

    margin: float = 0.10

    kind: ClassVar[str] = "constant"
    largest_margin: ClassVar[float] = 0.10

    def with_law(self, law: Law) -> Statement:
        """About another law: where that is an inequality, a bound."""
        if law.relation not in ("<=", ">="):
            return super().with_law(law)
        shared = {f.name: getattr(self, f.name) for f in fields(Statement)}
        return Bound(**shared, law=law)


def _varying(cells: Sequence[Setting]) -> list[str]:
    """The numbers that differ between settings, those with the widest range first: the variables of the law."""
    numbers: dict[str, set[float]] = {}
    for cell in cells:
        for name, value in cell.items():
            if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < float("inf"):
                numbers.setdefault(name, set()).add(float(value))
    ranges = {name: max(values) / min(values) for name, values in numbers.items() if len(values) > 1}
    return sorted(ranges, key=lambda name: -ranges[name])


def _try(law: Law, values: Setting) -> float | None:
    try:
        return law_value(law, values)
    except ValueError:
        return None
