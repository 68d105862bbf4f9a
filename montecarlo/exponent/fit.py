"""Exponents with intervals that hold over a declared class of laws, not only for pure powers.

Data never prove that a law is a pure power: a correction, a floor or a logarithm too small to be seen moves the
exponent by many standard errors of a straight-line fit. `fit_exponent` therefore takes the class of truths as an input
and returns the exponents that the data allow over all of it. The rule is in truth_class, its coverage in
the calibration, the width to expect before a run in plan.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from asymp.montecarlo.exponent.families import Family
from asymp.montecarlo.exponent.input import FAMILIES, check_class, check_sizes, read_data
from asymp.montecarlo.exponent.likelihood import Array, Likelihood, LogMeans
from asymp.montecarlo.exponent.truth_class import ExponentClass, Goodness, goodness, median, status, union
from asymp.montecarlo.typeset import latex_number, notebook_html

__all__ = ["ExponentFit", "HeldOut", "LocalSlope", "fit_exponent", "fit_exponent_of_logs"]


@dataclass(frozen=True)
class LocalSlope:
    """Slope of log mean against log size between two neighbouring sizes; None if neither has seen an error."""

    sizes: tuple[float, float]
    slope: float | None
    interval: tuple[float, float]


@dataclass(frozen=True)
class HeldOut:
    """The largest size against the family's prediction from the others: z > 0 if the mean is above it."""

    size: float
    family: str
    z: float


@dataclass(frozen=True, eq=False, repr=False)
class ExponentFit:
    """A fitted exponent with the class of laws under which its interval holds.

    status     power: a pure power fits and a real logarithm does not ("no curvature seen", not "pure");
               corrected, floor, log: only this family fits; misfit: none does, and the interval means nothing;
               inconclusive: several fit, or nothing bounds the exponent
    family     power if it is plausible, else the plausible family that fits best (the best of all if none is)
    plausible  the families whose chi2 is within 7 of the best (a power: 4.5) and whose goodness of fit exceeds 0.01
    goodness   chi2, degrees of freedom and p of each declared family
    declared   the class; `sizes` the range; `likelihood` what was assumed of the noise; `notes` what to know besides
    """

    sizes: tuple[float, ...]
    declared: ExponentClass
    status: str
    family: str
    plausible: tuple[str, ...]
    goodness: Mapping[str, Goodness]
    likelihood: str
    notes: tuple[str, ...]
    data: Likelihood
    fitted: dict[str, Family]

    @cached_property
    def exponent(self) -> float:
        """The exponent b, mean ~ x^b: posterior median over the class, clipped to the 95 % interval."""
        low, high = self.interval(0.95)
        return min(max(median(self.fitted), low), high)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The exponents that the data allow, 0.5 <= level <= 1 - 1e-12; -inf or inf where nothing bounds them."""
        known: dict[float, tuple[float, float]] = self.__dict__.setdefault("_intervals", {})
        if level not in known:
            known[level] = union(self.declared, self.fitted, self.data, level)
        return known[level]

    def profile(self, b: float) -> float:
        """Smallest chi2 over the class at the exponent b, less the overall smallest."""
        best = min(family.best for family in self.fitted.values())
        return min(family.profile(float(b)) for family in self.fitted.values()) - best

    @cached_property
    def local_slopes(self) -> tuple[LocalSlope, ...]:
        """Slopes between neighbouring sizes with 95 % intervals: a diagnostic, not an estimate of the exponent."""
        pairs = zip(self.sizes[:-1], self.sizes[1:], self.data.steps(0.95), strict=True)
        return tuple(LocalSlope((a, b), slope, (low, high)) for a, b, (slope, low, high) in pairs)

    @cached_property
    def held_out(self) -> HeldOut:
        """The largest size predicted from the others by `family`: the signed root of the rise in chi2 that it causes.

        For laws linear in their parameters this is (observed - predicted)/standard error exactly.
        """
        rest = self.declared.fit(self.data.without_last())[self.family].best
        rise = max(self.fitted[self.family].best - rest, 0.0)
        # The rise is a parabola in the observed mean: where more would raise it, the mean is above the prediction.
        more = self.declared.fit(self.data.nudged())[self.family].best - rest
        return HeldOut(self.sizes[-1], self.family, math.copysign(math.sqrt(rise), more - rise))

    def __str__(self) -> str:
        low, high = self.interval(0.95)
        warning = ("no law of the class fits, so that the interval means nothing",) if self.status == "misfit" else ()
        notes = "".join(f"; {note}" for note in (*warning, *self.notes))
        return (
            f"exponent {self.exponent:.4g}, 95 % interval [{low:.4g}, {high:.4g}], status {self.status}, "
            f"{len(self.sizes)} sizes {self.sizes[0]:g}..{self.sizes[-1]:g}, {self.likelihood}, "
            f"class {{{self.declared}}}{notes}"
        )

    def __repr__(self) -> str:
        return f"<ExponentFit: {self}>"

    def _repr_html_(self) -> str:
        return notebook_html("ExponentFit", str(self))

    def _repr_latex_(self) -> str:
        low, high = self.interval(0.95)
        return rf"$b = {latex_number(self.exponent)} \quad [{latex_number(low)},\; {latex_number(high)}]$"


def fit_exponent(
    sizes: Sequence[float] | Array,
    samples: Any,
    *,
    paired: bool = False,
    counts: Any = None,
    families: Sequence[str] = FAMILIES,
    kappa: tuple[float, float] = (-0.5, 3.0),
    omega: tuple[float, float] = (0.3, 1.0),
    log_power: tuple[float, float] = (-1.0, 1.0),
) -> ExponentFit:
    """Fit mean ~ x^b from replicas at increasing sizes, with intervals valid over the declared class.

    samples[i] holds the replicas' values at sizes[i]; `paired` says that samples[i][r] is the same replica r at every
    size, which shares its randomness (at least four times as many replicas as sizes). `counts` says that values are numbers of
    errors in so many trials a replica (one number, or one a size; math.inf: Poisson counts); values that are all 0 or 1
    are taken for single trials. Only counts may have sizes without a single error. The class: `families`, the
    correction at the smallest size `kappa` and its exponent `omega`, the power of the logarithm `log_power`.
    """
    declared = ExponentClass(*check_class(families, kappa, omega, log_power))
    x, data, likelihood, notes = read_data(
        sizes, samples, paired=paired, counts=counts, logs="log" in declared.families
    )
    return _fit(declared, x, data, likelihood, notes)


def fit_exponent_of_logs(
    sizes: Sequence[float] | Array,
    logs: Sequence[float],
    errors: Sequence[float],
    *,
    freedom: float = math.inf,
    families: Sequence[str] = FAMILIES,
    kappa: tuple[float, float] = (-0.5, 3.0),
    omega: tuple[float, float] = (0.3, 1.0),
    log_power: tuple[float, float] = (-1.0, 1.0),
) -> ExponentFit:
    """Fit exp(log) ~ x^b where each size's quantity is known by its logarithm and a standard error, as capacities are."""
    declared = ExponentClass(*check_class(families, kappa, omega, log_power))
    x = check_sizes(sizes, logs="log" in declared.families)
    y, se = np.asarray(logs, dtype=float), np.asarray(errors, dtype=float)
    if y.shape != x.shape or se.shape != x.shape:
        raise ValueError(f"logs and errors must have one number a size, {len(x)}; got {y.shape} and {se.shape}")
    if not (np.isfinite(y).all() and np.isfinite(se).all() and (se > 0).all()):
        raise ValueError("logs must be finite and errors positive and finite")
    data = LogMeans(t=np.log(x), y=y, cov=np.diag(se**2), freedom=min(float(freedom), 1e6))
    return _fit(declared, x, data, "normal logs", ())


def _fit(declared: ExponentClass, x: Array, data: Likelihood, likelihood: str, notes: tuple[str, ...]) -> ExponentFit:
    fitted = declared.fit(data)
    fits = {name: goodness(family, data) for name, family in fitted.items()}
    word, plausible = status(fitted, fits)
    ends = union(declared, fitted, data, 0.95)
    if word != "misfit" and not all(map(math.isfinite, ends)):
        word = "inconclusive"  # a floor may hide everything: no law has been seen
    fit = ExponentFit(
        sizes=tuple(float(v) for v in x),
        declared=declared,
        status=word,
        family="power" if "power" in plausible else min(plausible or fitted, key=lambda name: fitted[name].best),
        plausible=plausible,
        goodness=fits,
        likelihood=likelihood,
        notes=notes,
        data=data,
        fitted=fitted,
    )
    fit.__dict__["_intervals"] = {0.95: ends}
    return fit
