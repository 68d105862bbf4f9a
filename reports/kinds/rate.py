"""Rates: the exponent in one size, through `fit_exponent`, in every group of the other parameters.

What a rate has in common with other statements about exponents, such as those of capacities, is in `Fitted`: the class of
truths, the fit, the rule for a misfit, the wrong laws.

Supported: the 98 % interval of the exponent holds the law's and lies within the margin of it, in every group. Refuted: an
interval at the budget excludes the law's exponent. A fit that no declared family describes (status misfit) decides nothing,
nor does one of values of which a single one carries too much of the spread at its size: their mean is not normal.
Nor does one that a law just outside the class puts in doubt (`montecarlo/exponent/alternatives`): a law with another
exponent that fits about as well takes back the support, one with the law's own exponent that fits, or the law as it stands,
takes back the refutation.
A class that was narrowed has no such alternatives: whoever declares it vouches for the form.
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
from asymp.montecarlo.exponent.data import Tails
from asymp.montecarlo.exponent.fit import FAMILIES, KAPPA, OMEGA, ExponentFit
from asymp.montecarlo.exponent.noiseless import SLOWEST, NoiselessFit
from asymp.reports.design import Values, grid_of
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
from asymp.reports.numbers import Placed, Scale, factor, interval, margins, plain, spell
from asymp.theory import Law

ONE_SIGMA = 0.6826894921370859
WORTH_ASKING = 0.05  # a p-value below which a refutation may be near, so that alternatives are asked
# What the fit says of the form in which the power law is approached.
FORMS = {
    "power": "no curvature seen",
    "corrected": "with a correction at small sizes",
    "floor": "down to a floor",
    "log": "with a logarithm",
    "shifted": "of a shifted size",
    "inconclusive": "several forms fit",
    "misfit": "no declared form fits: larger sizes, or another class of forms, would help",
}
DRAWN = 0.02  # of a value: finer than a drawn point, so that no point alone sets the constant of a law


@dataclass(frozen=True, kw_only=True)
class ExponentEvidence(Evidence):
    """Evidence about an exponent in `variable`: a fit for each group of the other parameters."""

    variable: str
    exponents: tuple[Fit, ...]
    doubts: tuple[str, ...] = ()

    unit: ClassVar[str] = "absolute"
    _of: ClassVar[str] = ""

    @property
    def fits(self) -> tuple[Fit, ...]:
        """The fits, one a group."""
        return self.exponents

    def why_open(self, round: int) -> str:
        """A form just outside the class, or what keeps any statement open."""
        said = super().why_open(round)
        return said if not self.doubts or said == "no declared form fits" else f"{self.doubts[0]} fits as well"

    @property
    def _farthest(self) -> Fit:
        return max(self.exponents, key=lambda f: abs(f.exponent - f.predicted))

    def numbers(self) -> dict[str, object]:
        """The fits."""
        return {"fits": [asdict(fit) for fit in self.exponents]}

    def _line(self) -> tuple[str, str, str, str]:
        worst, count = self._farthest, len(self.exponents)
        own = {k: v for k, v in worst.at.items() if any(fit.at.get(k) != v for fit in self.exponents)}
        more = (f" at {spell(own)}" if own else "") + f" (the farthest off of {count})" if count > 1 else ""
        low, high = worst.interval
        measured = number(worst.exponent, low, high)
        return f"exponent in {self.variable}{more}", plain(worst.predicted), measured, interval(low, high)

    @property
    def scale(self) -> Scale:
        """The distance of an exponent from the law's, in margins."""
        return replace(margins("the 98 % interval of the exponent"), label="exponent less the law's, in margins")

    def placed(self) -> list[Placed]:
        """Each exponent less the law's, in margins."""
        found: list[Placed] = []
        for fit in self.exponents:
            value, low, high = ((at - fit.predicted) / self.wanted for at in (fit.exponent, *fit.interval))
            found.append((value, low, high))
        return found

    def off(self) -> float:
        """By which factor a law with its constant free is off over the sizes measured, in the worst series."""
        fits = self.exponents
        return max(math.exp(abs(f.exponent - f.predicted) * math.log(f.sizes[1] / f.sizes[0])) for f in fits)

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
    """The fit to the points that share all parameters but the variable, and what it says of the law's exponent.

    `doubt`: the form just outside the class that kept the fit from deciding, or nothing. `tails`: of the values fitted.
    """

    fit: Fit
    tails: Tails
    pieces: tuple[tuple[float, float], ...]
    shown: bool
    p_value: float
    doubt: str
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

    def class_words(self) -> str:
        """The class of truths in words, with the ranges of its correction where they are not the usual ones."""
        ranges = [
            f"{name} {found[0]:g} to {found[1]:g}"
            for name, found, usual in (("of size", self.kappa, KAPPA), ("with the exponent", self.omega, OMEGA))
            if found != usual
        ]
        ending = f" {' and '.join(ranges)}" if ranges and "corrected" in self.families else ""
        return ", ".join(self.families) + ending

    def _found(self, group: Group, rest: Setting, digits: int) -> tuple[str, str]:
        """Where the group is; and its exponent with the interval, the class, the law's exponent and any doubt, in words."""
        fit = group.fit
        between = " or ".join(f"{low:.{digits}f} to {high:.{digits}f}" for low, high in group.pieces)
        doubt = f"; but {group.doubt}, just outside the class, fits as well" if group.doubt else ""
        doubt += f"; but {group.tails.heavy}" if group.tails.heavy else ""
        interval = (
            f"98 % interval over all looks {between} ({FORMS.get(fit.status)}; forms allowed: {self.class_words()})"
        )
        if fit.status == NoiselessFit.status:
            interval = f"from {between} where the local ones tend to it as the size to a power of -{SLOWEST:g} or faster (no noise)"
        return f" at {spell(rest)}" if rest else "", (
            f"{fit.exponent:.{digits}f}, {interval}; the law says {fit.predicted:.{digits}f}, margin {self.margin:g}{doubt}."
        )

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
        fit: ExponentFit | NoiselessFit,
        level: float,
        support: float = SUPPORT_LEVEL,
        own: Sequence[float] = (),
    ) -> Group:
        """What a fit over `sizes` says of the law's exponent at `at`; `rest` are the parameters that the group shares.

        `own`: the law's values at the sizes, where it may be refuted by its exponent only if it does not fit as it stands.
        """
        wanted = self.law_exponent(variable, at)
        low, high = fit.interval(1 - 2 * support)
        near, far = (half_width(fit.exponent, found) for found in ((low, high), fit.interval(1 - level)))
        one_sigma = half_width(fit.exponent, fit.interval(ONE_SIGMA))
        judged = fit.status != "misfit" and not fit.tails.heavy
        inside = low <= wanted <= high and wanted - self.margin <= low and high <= wanted + self.margin
        p_value = p_by_interval(fit.interval, wanted, wanted) if judged else 1.0
        rival = fit.rival(wanted, self.margin) if judged and inside else ""
        if judged and p_value < WORTH_ASKING and (other := fit.p_of_alternatives(wanted)) > p_value:
            p_value, rival = other, "a law with its exponent" if other >= level else ""
        if p_value < WORTH_ASKING and (other := fit.p_of_form(own) if own else 0.0) > p_value:
            p_value, rival = other, "its own formula" if other >= level else ""
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
            tails=fit.tails,
            pieces=fit.pieces(1 - 2 * support),
            shown=judged and inside and not rival,
            p_value=p_value,
            doubt=rival,
            half_width=far,
            distance=Distance.of(
                abs(fit.exponent - wanted), noise=one_sigma, margin=self.margin, half=near, tolerance=0.0, wide=far
            ),
        )

    def signed(self, group: Group, laws: Sequence[float]) -> tuple[Group, str]:
        """The group and nothing; or, where the law has negative values, which no measured power has, a refuted one and why."""
        if group.tails.heavy or not any(law < 0 for law in laws):
            return group, ""
        return replace(group, shown=False, p_value=0.0), " The law is negative there, and what is measured is not."

    def exponent_evidence(
        self, variable: str, groups: Sequence[Group], points: Sequence[Point], words: Sequence[str], replicas: int
    ) -> ExponentEvidence:
        """The evidence of all groups together; `replicas` is the smallest number at any point."""
        p = min(1.0, len(groups) * min(g.p_value for g in groups))
        widest, heavy = max(g.half_width for g in groups), any(g.tails.heavy for g in groups)
        exact = any(g.fit.status == NoiselessFit.status for g in groups)
        obstacle = "the values have no noise; larger sizes would tell" if exact else ""
        return ExponentEvidence(
            shown=all(g.shown for g in groups),
            p_value=p,
            points=tuple(points),
            words=" ".join(words) + f" p = {p:.2g} against the law's exponent.",
            seen=widest,
            wanted=self.margin,
            needed=None if exact else samples_needed(replicas, widest, self.margin),
            shrink=shrink_of([g.distance for g in groups]),
            could_refute=math.isfinite(widest),
            variable=variable,
            exponents=tuple(g.fit for g in groups),
            doubts=tuple(g.doubt for g in groups if g.doubt),
            assumption=self._assumption(max(g.tails.share for g in groups), replicas),
            obstacle="single values carry too much of the spread" if heavy else obstacle,
        )

    def _assumption(self, share: float, replicas: int) -> str:
        """What the interval of the exponent rests on besides the class; `share` is the largest that one value has."""
        if share == 0:
            return ""
        return (
            f"Means of {replicas} values or more are taken to be normal: one value carries {100 * share:.2g} % of the spread at "
            "its size at most. Values too rare to be seen could move the exponent."
        )

    def wrong_exponents(self, variable: str) -> Iterator[WrongLaw]:
        """The exponent off by twice the margin; no growth; the exponent of another regime."""
        for sign, word in ((1, "+"), (-1, "-")):
            shifted = self._with_exponent(variable, partial(add, sign * 2 * self.margin))
            yield always(f"exponent {word} twice the margin", shifted)
        found = list(dict.fromkeys(self.law_exponent(variable, cell) for cell in self.cells("quick", {})))
        if all(abs(e) >= 2 * self.margin for e in found):
            yield always(f"wrong variable: no growth in {variable}", self._with_exponent(variable, lambda e: 0.0))
        steepest, flattest = max(found), min(found)
        if steepest - flattest >= 2 * self.margin:
            # every group is given the exponent that is farthest from its own
            yield always(
                "swapped regime: the exponent of other parameters",
                self._with_exponent(variable, lambda e: flattest if e - flattest > steepest - e else steepest),
            )

    def _with_exponent(self, variable: str, change: Callable[[float], float]) -> Self:
        return replace(self, law=with_exponent(self.law, variable, change))


def constant_of(values: Sequence[tuple[float, float, float]], *, most: float = math.inf) -> float:
    """The constant that a law leaves open: least squares of the logarithms, for drawing only.

    `values`: what was measured, the law without its constant, and the relative error. `most`: the largest constant with which
    the law says nothing that could not be measured, such as a probability above 1.
    """
    live = [(mean / law, 1 / math.hypot(error, DRAWN) ** 2) for mean, law, error in values if mean > 0 and law > 0]
    if not live:
        return 1.0
    fitted = math.exp(sum(w * math.log(ratio) for ratio, w in live) / sum(w for _, w in live))
    return min(fitted, most)


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class Rate(Fitted):
    """'The mean grows in `variable` with the law's exponent', within an absolute margin of the exponent.

    `shape`: a law whose finite-size form the approach is taken to have: values are divided by what it says beyond its power.
    """

    variable: str
    margin: float = 0.05
    shape: Law | None = None

    kind: ClassVar[str] = "rate"
    options: ClassVar[tuple[str, ...]] = ("variable", "families", "kappa", "omega", "shape")
    usual_relation: ClassVar[str] = "~"
    relations: ClassVar[tuple[str, ...]] = ("=", "~")
    largest_margin: ClassVar[float] = 0.05

    @classmethod
    def settings_over(cls, values: Mapping[str, Values], law: Law, options: Setting) -> list[dict[str, Any]]:
        """Sizes over the range of the variable, the others in the middle of theirs."""
        return grid_of(values, law.domain, options.get("variable"))

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
            found_at = tuple(e for _, e in members)
            beyond = self._beyond(members)
            exact = self.experiment.deterministic
            fit = (_exact if exact else _fit)(sizes, found_at, beyond, self.families, self.kappa, self.omega)
            laws = [self.predicted(params) for params, _ in members]
            own = [law / part for law, part in zip(laws, beyond, strict=True)]
            group = self.group(self.variable, rest, members[0][0], sizes, fit, level / len(found), support, own)
            group, against = self.signed(group, laws)
            groups.append(group)
            scale = constant_of(
                [
                    (e.mean, said, e.stderr / e.mean if e.mean else math.inf)
                    for e, said in zip(found_at, laws, strict=True)
                ],
                most=min(
                    (e.bounds[1] / law for e, law in zip(found_at, laws, strict=True) if e.bounds and law > 0),
                    default=math.inf,
                ),
            )
            said = [scale * law for law in laws]
            points += points_of(members, said, [bands[e] for _, e in members])
            words.append(self._words(group, rest) + against)
        return self.exponent_evidence(self.variable, groups, points, words, min(e.replicas for e in estimates))

    def _words(self, group: Group, rest: Setting) -> str:
        at, found = self._found(group, rest, 4)
        return f"The exponent in {self.variable}{at} is {found}"

    def _beyond(self, members: Measured) -> tuple[float, ...]:
        """What the shape says at each size beyond its power of the variable; 1 without a shape."""
        if self.shape is None:
            return (1.0,) * len(members)
        exponent = replace(self, law=self.shape).law_exponent(self.variable, members[0][0])
        said = [float(self.shape(**self.law_values(params))) for params, _ in members]
        return tuple(
            value / float(params[self.variable]) ** exponent for value, (params, _) in zip(said, members, strict=True)
        )

    def class_words(self) -> str:
        """The class, and the shape beside which it is meant."""
        return super().class_words() + (f", beside the finite-size form of {self.shape.id}" if self.shape else "")

    def rule(self) -> str:
        """How a rate is judged."""
        return (
            f"The exponent in {self.variable} is fitted over a declared class of laws ({', '.join(self.families)}). "
            f"Supported: its 98 % interval over all looks holds the law's exponent and lies within {self.margin:g} of it, for "
            "every series. Refuted: an interval at the level of the budget excludes it. Neither if no form of the class fits, "
            "or if one just outside it that fits says otherwise."
        )

    def look(self) -> Look:
        """Known up to a constant."""
        return Look(open_constant=True, beside=True)

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
    beyond: tuple[float, ...],
    families: tuple[str, ...],
    kappa: tuple[float, float],
    omega: tuple[float, float],
) -> ExponentFit:
    """The fit does not depend on the law: another law that is judged by the same estimates finds it again."""
    values = [e.values / part for e, part in zip(estimates, beyond, strict=True)]
    return fit_exponent(np.array(sizes), values, families=families, kappa=kappa, omega=omega)


def _exact(
    sizes: tuple[float, ...], estimates: tuple[Estimate, ...], beyond: tuple[float, ...], *_: Any
) -> NoiselessFit:
    """The fit where all replicas of a size are the same number."""
    return NoiselessFit.of(sizes, [float(e.mean) / part for e, part in zip(estimates, beyond, strict=True)])
