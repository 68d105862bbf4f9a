"""Capacities: the largest size at which recall holds, at sizes fixed before the run, then its value or its exponent.

At every group of the other parameters the capacity is read off the sizes by `capacity_of`, with an interval. A statement
without a variable compares it with the law itself, within the relative margin (or one-sided, for a law that is a bound).
One with a variable compares the exponent of the capacities in that variable, over the class of laws that it declares;
where the sharp form has a logarithm it says how a capacity is counted, such as N log N, so that what is left is a power.
Sizes that do not enclose the capacity of a group leave the statement open: they could not have decided.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, Self, final

from asymp.montecarlo import Estimate, capacity_of, fit_exponent_of_logs
from asymp.montecarlo.capacity.find import CapacityFit
from asymp.montecarlo.exponent.fit import ExponentFit
from asymp.reports.design import Values, around, grid_of, sizes
from asymp.reports.grid import Setting, first_group, groups_without, in_first_and_last_group, spread
from asymp.reports.kinds.base import CALIBRATED_BLOCKS, Look, Statement, WrongLaw
from asymp.reports.kinds.evidence import (
    SUPPORT_LEVEL,
    Distance,
    Evidence,
    Measured,
    Point,
    PointEvidence,
    apart,
    band_level,
    half_width,
    p_by_interval,
    samples_needed,
    shrink_of,
)
from asymp.reports.kinds.rate import ONE_SIGMA, Fitted, Group, constant_of
from asymp.reports.kinds.wrong import OFF, always, saying, saying_law
from asymp.reports.numbers import Placed, Scale, margins, of_all, percent, spell
from asymp.theory import Domain, Law

CAPACITIES = 8
"""Values of the variable of a user's capacity, whose exponent is judged."""

Found = tuple[dict[str, Any], CapacityFit, int]
"""The parameters of a group, its capacity, and the fewest replicas at any of its sizes."""


@dataclass(frozen=True, kw_only=True)
class CapacityEvidence(PointEvidence):
    """Evidence about the value of a capacity: at how many settings it agrees, or None if the sizes do not enclose it.

    `free`: the law's constant is left open, so that without a fit there is nothing to compare a capacity with.
    """

    points_shown: int | None
    free: bool = False

    _ratio: ClassVar[str] = "capacity / law"

    @property
    def scale(self) -> Scale | None:
        """The distance from the law in margins; of a bound, the capacity over it."""
        if self.free:
            return None
        one_sided = self.relation.startswith(("<", ">"))
        return super().scale if one_sided else margins("the 98 % interval of the capacity")

    def placed(self) -> list[Placed]:
        """Each capacity on that scale."""
        one_sided = self.relation.startswith(("<", ">"))
        return super().placed() if one_sided else self._in_margins([abs(p.predicted) for p in self.points])

    def _line(self) -> tuple[str, str, str, str]:
        return ("capacity", "", "not enclosed by the sizes measured", "") if self.free else super()._line()

    def numbers(self) -> dict[str, object]:
        """Measured over predicted at each setting."""
        if self.points_shown is None:
            return {}
        return {"ratios": [p.ratio for p in self.points], "points_shown": self.points_shown}


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class Capacity(Fitted):
    """'The largest `size` with mean recall at least `threshold` is what the law says', or grows with its exponent.

    `variable`: the size in which the exponent is judged; without one the value is. `counted`: what of a capacity is a
    power of the variable, such as N log N, from the other parameters and N. `constant`: by which the law is multiplied.
    """

    size: str
    threshold: float = 0.5
    variable: str | None = None
    counted: Callable[[Setting, float], float] | None = None
    constant: float = 1.0
    margin: float = 0.10

    kind: ClassVar[str] = "capacity"
    options: ClassVar[tuple[str, ...]] = (
        *("size", "threshold", "variable", "families", "kappa", "omega"),
        *("counted", "constant"),
    )
    largest_margin: ClassVar[float] = 0.10
    not_generated: ClassVar[Mapping[str, str]] = {
        "wrong variable": "the statement has no variable",
        "swapped regime": "one exponent in all groups",
    }

    @property
    def factor(self) -> float:
        """The constant by which the law is multiplied."""
        return self.constant

    @classmethod
    def settings_over(cls, values: Mapping[str, Values], law: Law, options: Setting) -> list[dict[str, Any]]:
        """Settings as usual, each at the sizes given, or at sizes around what the law says."""
        size, variable = options.get("size"), options.get("variable")
        takes = dict(values)
        looked = takes.pop(str(size), None)
        ends = takes.get(str(variable))
        if isinstance(ends, tuple):
            takes[str(variable)] = spread(sizes(ends, law.domain[str(variable)]), CAPACITIES)
        cells = grid_of(takes, law.domain, variable)
        if looked is None:
            return around(law, str(size), cells)
        steps = [int(s) for s in sizes(looked, Domain("integer"))] if isinstance(looked, tuple) else looked
        return [{**cell, str(size): step} for cell in cells for step in (steps if isinstance(steps, list) else [steps])]

    def judge(self, measured: Measured, *, level: float, support: float = SUPPORT_LEVEL) -> Evidence:
        """Find the capacity of every group, then compare its value or its exponent with the law's."""
        found: list[Found] = []
        for rest, members in groups_without(measured, self.size):
            sizes = tuple(int(params[self.size]) for params, _ in members)
            fit = _fit(sizes, tuple(e for _, e in members), self.threshold)
            found.append((rest, fit, min(e.replicas for _, e in members)))
        if any(fit.status != "ok" for _, fit, _ in found):
            return self._open(found, level)
        if self.variable is None:
            return self._value(found, level, support)
        return self._exponent(found, level, support, self.variable)

    def _point(self, found: Found, count: int) -> Point:
        rest, fit, replicas = found
        low, high = fit.interval(band_level(count))
        near, far = fit.interval(1 - 2 * SUPPORT_LEVEL)
        return Point(dict(rest), self.predicted(rest), fit.capacity, low, high, 0.95, replicas, near, far)

    def _allowed(self, predicted: float) -> tuple[float, float]:
        """The capacities that the law allows. They are whole numbers, and so is what it says: the largest up to its value."""
        limit = float(math.floor(predicted))
        if self.relation.startswith("<"):
            return -math.inf, limit
        if self.relation.startswith(">"):
            return limit, math.inf
        half = self.margin * predicted if self.relation == "~" else 0.0
        return float(math.floor(predicted - half)), float(math.floor(predicted + half))

    def _open(self, found: Sequence[Found], level: float) -> Evidence:
        """Sizes that do not enclose a capacity support nothing, but recall that fails or holds at all of them may refute."""
        out = [f"{spell(rest)}: {fit.status}" for rest, fit, _ in found if fit.status != "ok"]
        rises = any(fit.status == "not monotone" for _, fit, _ in found)
        why = f"Recall rises again with {self.size}" if rises else "The sizes measured do not enclose the capacity"
        p = 1.0
        if self.variable is None and not rises:
            p_values = [p_by_interval(fit.interval, *self._allowed(self.predicted(rest))) for rest, fit, _ in found]
            p = min(1.0, len(found) * min(p_values))
        decided = f"; p = {p:.2g} against the law" if p < 1 else ", so that nothing was decided"
        return CapacityEvidence(
            shown=False,
            p_value=p,
            points=tuple(self._point(one, len(found)) for one in found),
            words=f"{why} ({'; '.join(out)}){decided}.",
            seen=float("inf"),
            wanted=self.margin,
            needed=None,
            could_refute=p <= level,
            relation=self.relation,
            points_shown=None,
            free=self.variable is not None,
        )

    def _value(self, found: Sequence[Found], level: float, support: float) -> Evidence:
        count, relation = len(found), self.relation
        points, shown, p_values, seen, distances, vacuous = [], [], [], [], [], []
        for one in found:
            fit, point = one[1], self._point(one, count)
            points.append(point)
            low, high = fit.interval(1 - 2 * support)
            limit, half = float(math.floor(point.predicted)), self.margin * point.predicted
            least, most = math.floor(point.predicted - half), math.floor(point.predicted + half)
            tolerance = half if relation == "~" else 0.0
            near, wide, noise = (
                half_width(fit.capacity, fit.interval(at)) for at in (1 - 2 * support, 1 - level / count, ONE_SIGMA)
            )
            seen.append((wide + tolerance) / fit.capacity)
            room = limit - fit.capacity
            if relation.startswith("<"):
                shown.append(high <= limit)
                vacuous += [spell(point.params)] if limit >= fit.range[1] - 1 else []
                distances.append(Distance.from_bound(room, noise=noise, half=near, wide=wide))
            elif relation.startswith(">"):
                shown.append(low >= limit)
                vacuous += [spell(point.params)] if limit <= fit.range[0] else []
                distances.append(Distance.from_bound(-room, noise=noise, half=near, wide=wide))
            else:
                approximate = relation == "~"
                shown.append(least <= low and high <= most and (approximate or low <= limit <= high))
                distances.append(
                    Distance.of(abs(room), noise=noise, margin=half, half=near, tolerance=tolerance, wide=wide)
                )
            p_values.append(p_by_interval(fit.interval, *self._allowed(point.predicted)))
        p = min(1.0, count * min(p_values))
        worst = max(points, key=lambda point: apart(point.ratio))
        empty = f" No data could refute it at {'; '.join(vacuous)}: all sizes lie on the law's side." if vacuous else ""
        return CapacityEvidence(
            shown=all(shown) and not vacuous,
            p_value=p,
            points=tuple(points),
            words=(
                f"The capacity (largest {self.size} with mean recall at least {self.threshold:g}) agrees with the law "
                f"({relation}, margin {100 * self.margin:.3g}%) at {of_all(sum(shown), count, 'setting')}; measured over predicted "
                f"is farthest from 1 with {worst.ratio:.3f} (simultaneous 95 % interval {worst.low / worst.predicted:.3f} to "
                f"{worst.high / worst.predicted:.3f}) at {spell(worst.params)}; p = {p:.2g} against the law.{empty}"
            ),
            seen=max(seen),
            wanted=self.margin,
            needed=samples_needed(min(n for _, _, n in found), max(seen), self.margin),
            shrink=shrink_of(distances),
            could_refute=all(math.isfinite(s) for s in seen) and len(vacuous) < count,
            relation=relation,
            points_shown=sum(shown),
        )

    def _count(self, params: Setting, N: float) -> float:
        """The capacity as it is counted; an open end stays open."""
        return self.counted(params, N) if self.counted is not None and 0 < N < math.inf else N

    def _exponent(self, found: Sequence[Found], level: float, support: float, variable: str) -> Evidence:
        groups: list[Group] = []
        points: list[Point] = []
        words: list[str] = []
        by_rest = groups_without([(rest, (fit, n)) for rest, fit, n in found], variable)
        for rest, members in by_rest:
            sizes = tuple(float(params[variable]) for params, _ in members)
            logs, errors = zip(*(self._log(params, fit) for params, (fit, _) in members), strict=True)
            fitted = _fit_exponent(sizes, logs, errors, self.families, self.kappa, self.omega)
            group = self.group(variable, rest, members[0][0], sizes, fitted, level / len(by_rest), support)
            laws = [self.predicted(params) for params, _ in members]
            group, against = self.signed(group, laws)
            groups.append(group)
            scale = constant_of(
                [
                    (self._count(at, one.capacity), law, error)
                    for (at, (one, _)), law, error in zip(members, laws, errors, strict=True)
                ]
            )
            for params, (fit, n) in members:
                point = self._point((params, fit, n), len(found))
                mean, low, high = (self._count(params, N) for N in (point.mean, point.low, point.high))
                near, far = (self._count(params, N) for N in (point.near, point.far))
                said = scale * point.predicted
                points.append(replace(point, mean=mean, low=low, high=high, near=near, far=far, predicted=said))
            words.append(self._words(group, rest, variable) + against)
        return self.exponent_evidence(variable, groups, points, words, min(n for _, _, n in found))

    def _log(self, params: Setting, fit: CapacityFit) -> tuple[float, float]:
        """The logarithm of a capacity and its error. The capacity is a whole number: rounding it is part of the error."""
        middle, low, high = (self._count(params, N) for N in (fit.capacity, *fit.interval(ONE_SIGMA)))
        rounding = (self._count(params, fit.capacity + 1) - middle) / middle
        return math.log(middle), math.hypot(math.log(high / low) / 2, rounding / math.sqrt(12))

    def _words(self, group: Group, rest: Setting, variable: str) -> str:
        at, found = self._found(group, rest, 3)
        return f"The capacity grows with {variable}{at} by the exponent {found}"

    def rule(self) -> str:
        """How a capacity is judged: by its value or by its exponent."""
        what = f"largest {self.size} at which mean recall is at least {self.threshold:g}"
        if self.variable is None:
            return (
                f"The capacity is the {what}. Supported: its 98 % interval agrees with the law within {percent(self.margin)} at "
                "every setting. Refuted: an interval at the level of the budget excludes the law."
            )
        return (
            f"The capacity (the {what}) is fitted by a power of {self.variable}. Supported: the 98 % interval of the exponent "
            f"holds the law's and lies within {self.margin:g} of it. Refuted: an interval at the level of the budget excludes it."
        )

    def look(self) -> Look:
        """Known up to a constant, where an exponent is judged."""
        return Look(open_constant=self.variable is not None, of_mean=False)

    def wrong_laws(self) -> Iterator[WrongLaw]:
        """Wrong exponents; or a wrong constant, for a bound on the wrong side of what was measured."""
        if self.variable is not None:
            yield from self.wrong_exponents(self.variable)
        elif self.relation.startswith(("<", ">")):
            yield WrongLaw("capacity 25 % on the wrong side", self._wrong_side)
        else:
            yield always("constant 25 % too small", self._scaled(1 - OFF))
            yield always("constant 25 % too large", self._scaled(1 + OFF))

    def _wrong_side(self, measured: Measured) -> Statement:
        """A bound on a capacity may have slack: it is moved to the wrong side of what was measured."""
        ratios = [point.ratio for point in self.judge(measured, level=OFF).points]
        upper = self.relation.startswith("<")
        return self._scaled(max(ratios) * (1 - OFF) if upper else min(ratios) * (1 + OFF))

    def _scaled(self, factor: float) -> Self:
        return self.saying(lambda cell: factor * self.predicted(cell))

    def saying(self, wrong: Callable[[Setting], float]) -> Self:
        """The same statement with a law that says `wrong(setting)`."""
        return replace(self, law=saying_law(self.relation), to_law=saying(wrong), constant=1.0)

    @property
    def variable_name(self) -> str | None:
        """The size in which the exponent is judged, if it is."""
        return self.variable

    @property
    def across(self) -> str | None:
        """The numbers stored are judged together."""
        return self.size

    @property
    def needs_all_groups(self) -> bool:
        """An exponent of capacities needs all of them."""
        return self.variable is not None

    def moved(self, sizes: Sequence[float], new: Setting, old: Setting) -> list[float]:
        """The sizes move with what the law predicts."""
        factor = self.predicted(new) / self.predicted(old)
        return sorted({max(2, round(size * factor)) for size in sizes})

    def check_free(self, name: str, claim: str) -> None:
        """The size needs a range."""
        if name == self.size:
            raise ValueError(
                f"claim {claim!r} measures how large {name} can be, which needs a range of sizes; leave {name} out"
            )

    def reduced(self) -> list[dict[str, Any]]:
        """Five sizes of the first group; for an exponent all sizes at the four smallest values of the variable."""
        cells = self.cells("quick", {})
        if self.variable is None:
            return spread(first_group(cells, self.size), 5)
        groups = groups_without([(c, None) for c in cells], self.size)
        values = first_group([{**rest} for rest, _ in groups], self.variable)[:4]
        return [c for rest, members in groups if rest in values for c, _ in members]

    def calibration_replicas(self, cell: Setting) -> int:
        """As many as the calibration of `capacity_of` has."""
        return min(32, CALIBRATED_BLOCKS * self.experiment.block)

    def some_cells(self, preset: str) -> list[dict[str, Any]]:
        """All sizes of the first and of the last group."""
        names = (self.size,) if self.variable is None else (self.size, self.variable)
        return in_first_and_last_group(self.cells(preset, {}), names)


@lru_cache(maxsize=32)
def _fit(sizes: tuple[int, ...], estimates: tuple[Estimate, ...], threshold: float) -> CapacityFit:
    """The capacity does not depend on the law: another law that is judged by the same estimates finds it again."""
    return capacity_of(sizes, [e.values for e in estimates], threshold=threshold)


@lru_cache(maxsize=16)
def _fit_exponent(
    sizes: tuple[float, ...],
    logs: tuple[float, ...],
    errors: tuple[float, ...],
    families: tuple[str, ...],
    kappa: tuple[float, float],
    omega: tuple[float, float],
) -> ExponentFit:
    return fit_exponent_of_logs(sizes, logs, errors, families=families, kappa=kappa, omega=omega)
