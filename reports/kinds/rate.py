"""Rates: the exponent in one size, through `fit_exponent`, in every group of the other parameters.

What a rate has in common with other statements about exponents, such as those of capacities, is in `Fitted`: the class of
truths, the fit, the rule for a misfit, the wrong laws.

Supported: the 98 % interval of the exponent lies within the margin of the law's, in every group. Refuted: an interval
at the budget excludes the law's exponent. A fit that no declared family describes (status misfit) supports nothing; it
may still refute, because an interval covers every truth of the declared class at its level whatever the goodness of
fit, unless the misfit is far beyond chance: then the class itself is in doubt.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache, partial
from operator import add
from typing import Any, ClassVar, Self, final

import numpy as np

from asymp.montecarlo import Estimate, fit_exponent
from asymp.montecarlo.estimate import intervals_of
from asymp.montecarlo.exponent.fit import FAMILIES, KAPPA, OMEGA, ExponentFit
from asymp.reports.grid import Setting, first_group, groups_without, in_first_and_last_group
from asymp.reports.kinds.base import CALIBRATED_BLOCKS, LawStatement, Look, WrongLaw
from asymp.reports.kinds.evidence import (
    SUPPORT_LEVEL,
    Distance,
    Evidence,
    Fit,
    Measured,
    Point,
    band_level,
    half_width,
    number,
    p_by_interval,
    points_of,
    samples_needed,
    shrink_of,
)
from asymp.reports.kinds.wrong import always, with_exponent, without_values
from asymp.reports.numbers import factor, interval, plain, spell

ONE_SIGMA = 0.6826894921370859
# Below this goodness of fit the data are outside the declared class, and the interval says nothing.
HOPELESS = 1e-4
# What the fit says of the form in which the power law is approached.
FORMS = {
    "power": "no curvature seen",
    "corrected": "with a correction at small sizes",
    "floor": "down to a floor",
    "log": "with a logarithm",
    "inconclusive": "form of the approach undecided",
    "misfit": "no declared form fits",
}
CAPTION = (
    "Points: measured means with a simultaneous 95 % band. Dashed: the law, its open constant set at the largest size. "
    "Dash-dotted: the fitted exponent through the same point. Below: measured over law; local slopes between neighbouring "
    "sizes, with the law's exponent (dashed)."
)


@dataclass(frozen=True, kw_only=True)
class ExponentEvidence(Evidence):
    """Evidence about an exponent in `variable`: a fit for each group of the other parameters."""

    variable: str
    exponents: tuple[Fit, ...]

    unit: ClassVar[str] = "absolute"
    _of: ClassVar[str] = ""

    @property
    def fits(self) -> tuple[Fit, ...]:
        """The fits, one a group."""
        return self.exponents

    @property
    def _farthest(self) -> Fit:
        return max(self.exponents, key=lambda f: abs(f.exponent - f.predicted))

    def numbers(self) -> dict[str, object]:
        """The fits."""
        return {"fits": [asdict(fit) for fit in self.exponents]}

    def _line(self) -> tuple[str, str, str, str]:
        worst, count = self._farthest, len(self.exponents)
        more = f", farthest of {count}" if count > 1 else ""
        low, high = worst.interval
        measured = number(worst.exponent, low, high)
        return f"exponent in {self.variable}{more}", plain(worst.predicted), measured, interval(low, high)

    def off_words(self) -> str:
        """How far off the exponent is, and what that comes to over the sizes measured."""
        worst = self._farthest
        return (
            f"the exponent is {worst.exponent:.3g}, not {worst.predicted:.3g}: "
            f"a factor {factor(self.off())} over the sizes measured"
        )

    def _size(self, discrepancy: float) -> str:
        return f"{discrepancy:.3g}"

    def could_see(self) -> str:
        """The smallest difference of exponents that could have been seen."""
        return f"{self.seen:.2g}" if math.isfinite(self.seen) and self.could_refute else "nothing"


@dataclass(frozen=True)
class Group:
    """The fit to the points that share all parameters but the variable, and what it says of the law's exponent."""

    fit: Fit
    shown: bool
    p_value: float
    half_width: float
    distance: Distance


@dataclass(frozen=True, eq=False, kw_only=True)
class Fitted(LawStatement):
    """A statement that may be about an exponent, and the class of truths over which the exponent's interval holds.

    `families`: the forms that the truth may have. `kappa`, `omega`: the size and the exponent of a correction at the
    smallest size.
    """

    families: tuple[str, ...] = FAMILIES
    kappa: tuple[float, float] = KAPPA
    omega: tuple[float, float] = OMEGA

    not_generated: ClassVar[Mapping[str, str]] = {
        "wrong variable": "the right exponent is within twice the margin of 0",
        "swapped regime": "one exponent in all groups",
    }

    @property
    def restricted(self) -> bool:
        """Whether the correction has other ranges than usual."""
        return (self.kappa, self.omega) != (KAPPA, OMEGA)

    def class_words(self) -> str:
        """The class of truths in words, with the ranges of its correction where they are restricted."""
        ranges = [
            f"{name} {found[0]:g} to {found[1]:g}"
            for name, found, usual in (("of size", self.kappa, KAPPA), ("with the exponent", self.omega, OMEGA))
            if found != usual
        ]
        ending = f" {' and '.join(ranges)}" if ranges and "corrected" in self.families else ""
        return ", ".join(self.families) + ending

    def without_law_values(self) -> Self:
        """Of an exponent the law's values only draw the plot."""
        return self if self.variable_name is None else replace(self, law=without_values(self.law))

    def law_exponent(self, variable: str, params: Setting) -> float:
        """The law's exponent in a variable at one setting."""
        values = {k: v for k, v in self.law_values(params).items() if k != variable and k not in self.law.words}
        return float(self.law.exponent(variable, **values))

    def group(
        self,
        variable: str,
        rest: Setting,
        at: Setting,
        sizes: Sequence[float],
        fit: ExponentFit,
        level: float,
        support: float = SUPPORT_LEVEL,
    ) -> Group:
        """What a fit over `sizes` says of the law's exponent at `at`; `rest` are the parameters that the group shares."""
        wanted = self.law_exponent(variable, at)
        low, high = fit.interval(1 - 2 * support)
        near, far = (half_width(fit.exponent, found) for found in ((low, high), fit.interval(1 - level)))
        one_sigma = half_width(fit.exponent, fit.interval(ONE_SIGMA))
        trusted = max(g.p for g in fit.goodness.values()) >= HOPELESS
        return Group(
            Fit(
                at=dict(rest),
                exponent=fit.exponent,
                interval=(low, high),
                level=1 - 2 * SUPPORT_LEVEL,
                predicted=wanted,
                status=fit.status,
                family=str(fit.family),
                sizes=(float(min(sizes)), float(max(sizes))),
            ),
            shown=fit.status != "misfit" and wanted - self.margin <= low and high <= wanted + self.margin,
            p_value=p_by_interval(fit.interval, wanted, wanted) if trusted else 1.0,
            half_width=far,
            distance=Distance.of(
                abs(fit.exponent - wanted), noise=one_sigma, margin=self.margin, half=near, tolerance=0.0, wide=far
            ),
        )

    def exponent_evidence(
        self, variable: str, groups: Sequence[Group], points: Sequence[Point], words: Sequence[str], replicas: int
    ) -> ExponentEvidence:
        """The evidence of all groups together; `replicas` is the smallest number at any point."""
        p = min(1.0, len(groups) * min(g.p_value for g in groups))
        widest = max(g.half_width for g in groups)
        return ExponentEvidence(
            shown=all(g.shown for g in groups),
            p_value=p,
            points=tuple(points),
            words=" ".join(words) + f" p = {p:.2g} against the law's exponent.",
            seen=widest,
            wanted=self.margin,
            needed=samples_needed(replicas, widest, self.margin),
            shrink=shrink_of([g.distance for g in groups]),
            could_refute=math.isfinite(widest),
            variable=variable,
            exponents=tuple(g.fit for g in groups),
        )

    def wrong_exponents(self, variable: str) -> Iterator[WrongLaw]:
        """The exponent off by twice the margin; no growth; the exponent of another regime."""
        for sign, word in ((1, "+"), (-1, "-")):
            shifted = self._with_exponent(partial(add, sign * 2 * self.margin))
            yield always(f"exponent {word} twice the margin", shifted)
        found = list(dict.fromkeys(self.law_exponent(variable, cell) for cell in self.cells("quick", {})))
        if all(abs(e) >= 2 * self.margin for e in found):
            yield always(f"wrong variable: no growth in {variable}", self._with_exponent(lambda e: 0.0))
        steepest, flattest = max(found), min(found)
        if steepest - flattest >= 2 * self.margin:
            # every group is given the exponent that is farthest from its own
            yield always(
                "swapped regime: the exponent of other parameters",
                self._with_exponent(lambda e: flattest if e - flattest > steepest - e else steepest),
            )

    def _with_exponent(self, change: Callable[[float], float]) -> Self:
        return replace(self, law=with_exponent(self.law, change))


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class Rate(Fitted):
    """'The mean grows in `variable` with the law's exponent', within an absolute margin of the exponent."""

    variable: str
    margin: float = 0.05

    kind: ClassVar[str] = "rate"
    largest_margin: ClassVar[float] = 0.05

    def __post_init__(self) -> None:
        self.check_margin(0.1)  # 0.05, and 0.1 for capacities and trained models

    def judge(self, measured: Measured, *, level: float, support: float = SUPPORT_LEVEL) -> Evidence:
        """Fit the exponent in every group and compare it with the law's."""
        found = groups_without(measured, self.variable)
        estimates = [e for _, e in measured]
        bands = dict(zip(estimates, intervals_of(estimates, band_level(len(measured)))[0], strict=True))
        groups: list[Group] = []
        points: list[Point] = []
        words: list[str] = []
        for rest, members in found:
            sizes = tuple(float(params[self.variable]) for params, _ in members)
            fit = _fit(sizes, tuple(e for _, e in members), self.families, self.kappa, self.omega)
            group = self.group(self.variable, rest, members[0][0], sizes, fit, level / len(found), support)
            groups.append(group)
            scale = self._scale(members)
            said = [scale * self.predicted(params) for params, _ in members]
            points += points_of(members, said, [bands[e] for _, e in members])
            words.append(self._words(group, rest))
        return self.exponent_evidence(self.variable, groups, points, words, min(e.replicas for e in estimates))

    def _words(self, group: Group, rest: Setting) -> str:
        fit, (low, high) = group.fit, group.fit.interval
        at = f" at {spell(rest)}" if rest else ""
        restricted = f"; class: {self.class_words()}" if self.restricted else ""
        return (
            f"The exponent in {self.variable}{at} is {fit.exponent:.4f}, 98 % interval over all looks {low:.4f} to {high:.4f} "
            f"({FORMS[fit.status]}); the law says {fit.predicted:.4f}, margin {self.margin:g}{restricted}."
        )

    def _scale(self, members: Sequence[tuple[dict[str, Any], Estimate]]) -> float:
        """The constant that the rate leaves open, set at the largest size, for the plot only."""
        params, estimate = members[-1]
        predicted = self.predicted(params)
        return estimate.mean / predicted if predicted else 1.0

    def rule(self) -> str:
        """How a rate is judged."""
        return (
            f"The exponent in {self.variable} is fitted over a declared class of laws ({', '.join(self.families)}). "
            f"Supported: its 98 % interval over all looks lies within {self.margin:g} of the law's exponent, for every "
            "series. Refuted: an interval at the level of the budget excludes it."
        )

    def look(self) -> Look:
        """Points, law and fitted power."""
        return Look(CAPTION, open_constant=True, beside=True)

    def wrong_laws(self) -> Iterator[WrongLaw]:
        """Wrong exponents."""
        return self.wrong_exponents(self.variable)

    @property
    def variable_name(self) -> str | None:
        """The size in which the exponent is judged."""
        return self.variable

    @property
    def across(self) -> str | None:
        """The sizes are judged together."""
        return self.variable

    def check_free(self, name: str, claim: str) -> None:
        """The variable needs a range."""
        if name == self.variable:
            raise ValueError(f"claim {claim!r} is a rate in {name}, which needs a range of sizes; leave {name} out")

    def reduced(self) -> list[dict[str, Any]]:
        """The six smallest sizes of the first group."""
        return first_group(self.cells("quick", {}), self.variable)[:6]

    def calibration_replicas(self, cell: Setting) -> int:
        """As many as the calibration of `fit_exponent` has."""
        return min(64, CALIBRATED_BLOCKS * self.experiment.block)

    def some_cells(self, preset: str) -> list[dict[str, Any]]:
        """All sizes of the first and of the last group."""
        return in_first_and_last_group(self.cells(preset, {}), (self.variable,))


@lru_cache(maxsize=16)
def _fit(
    sizes: tuple[float, ...],
    estimates: tuple[Estimate, ...],
    families: tuple[str, ...],
    kappa: tuple[float, float],
    omega: tuple[float, float],
) -> ExponentFit:
    """The fit does not depend on the law: another law that is judged by the same estimates finds it again."""
    return fit_exponent(np.array(sizes), [e.values for e in estimates], families=families, kappa=kappa, omega=omega)
