"""Exponents with intervals that hold over a declared class of laws, not only for pure powers.

Data never prove that a law is a pure power: a correction, a floor or a logarithm too small to be seen moves the
exponent by many standard errors of a straight-line fit. `fit_exponent` therefore takes the class of truths as an input
and returns the exponents that the data allow over all of it. Its coverage is in the calibration, the width to expect
before a run in plan. b is in the interval if some family fits with that b to

    chi2 <= min(P + q1, best of the family + q2).

P is the best pure power's chi2 and q1 = t1^2, t1 being the one-sided quantile for nine tenths of 1 - level: the
likelihood-ratio test of b against a pure power. A law at distance D from the pure powers has a log-ratio of about
N(-D^2, 4 D^2), which exceeds t1^2 with just that probability at the worst distance, D = t1. This term makes the
interval short where a pure power fits, close to Pratt's bound, and changes nothing where none does. q2 is 1.25 t^2 with
the two-sided quantile t: t^2 itself is not enough at the corners of the class. A family whose best chi2 exceeds the overall
best by more than q3 is left out; q3 has three degrees of freedom, since a rival with more nuisances may beat the truth by
so much. All terms grow with the level, so intervals are nested.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import special

from asymp.montecarlo.exponent.alternatives import ALTERNATIVES
from asymp.montecarlo.exponent.data import Array, Likelihood, LogMeans, Tails, check_sizes, read_data
from asymp.montecarlo.exponent.families import Corrected, Family, Log, Power, Shifted
from asymp.montecarlo.exponent.floor import Floor
from asymp.montecarlo.typeset import latex_number, notebook_html

Range = tuple[float, float]
FAMILIES = ("power", "corrected", "floor", "log", "shifted")
KAPPA: Range = (-0.5, 3.0)
OMEGA: Range = (0.3, 1.0)
LOG_POWER: Range = (-3.0, 3.0)
SHIFT: Range = (-0.9, 9.0)
OUTER = 1.25  # times t^2: allowed rise of chi2 over a family's own best
NEAR = 0.9  # share of 1 - level spent on laws close to a pure power; the rest is for noise that is not quite normal
# A plausible family's chi2 is within this of the best: a power is given up sooner, since the others contain it.
WITHIN = {"power": 4.5, "corrected": 7.0, "floor": 7.0, "log": 7.0, "shifted": 7.0}
MISFIT = 0.01  # and its goodness of fit exceeds this
RIVAL = 4.0  # a real logarithm within this of the best chi2 forbids to speak of a power
PRIOR = {"power": 0.25, "corrected": 0.5, "floor": 0.08, "log": 0.12, "shifted": 0.05}  # for the point estimate
AKAIKE = 2.0  # chi2 that a parameter more has to gain


@dataclass(frozen=True)
class ExponentClass:
    """The declared class of truths: families, in one order, and the ranges of their nuisances."""

    families: Sequence[str] = FAMILIES
    kappa: Range = KAPPA
    omega: Range = OMEGA
    log_power: Range = LOG_POWER
    shift: Range = SHIFT

    def __post_init__(self) -> None:
        names = (self.families,) if isinstance(self.families, str) else tuple(self.families)
        if not names or any(name not in FAMILIES for name in names):
            raise ValueError(f"families must be some of {', '.join(FAMILIES)}; got {self.families!r}")
        object.__setattr__(self, "families", tuple(name for name in FAMILIES if name in names))
        for what, least in (("kappa", -1.0), ("omega", 0.0), ("log_power", -math.inf), ("shift", -1.0)):
            value = getattr(self, what)
            try:
                low, high = (float(v) for v in value)
            except (TypeError, ValueError):
                raise ValueError(f"{what} must be a pair (low, high) of numbers; got {value!r}") from None
            if not least < low < high < math.inf:
                raise ValueError(
                    f"{what} must be a pair (low, high) with {least:g} < low < high, finite; got {value!r}"
                )
            object.__setattr__(self, what, (low, high))

    def __str__(self) -> str:
        ranges = (self.kappa, self.omega, self.log_power, self.shift)
        kappa, omega, power, shift = (f"[{low:g}, {high:g}]" for low, high in ranges)
        words = {
            "power": "a x^b",
            "corrected": f"a x^b (1 + kappa (x/x_min)^-w), kappa in {kappa}, w in {omega}",
            "floor": "a x^b + F, F >= 0",
            "log": f"a x^b (log x)^p, p in {power}",
            "shifted": f"a (x + x0)^b, x0/x_min in {shift}",
        }
        return "; ".join(words[name] for name in self.families)

    @property
    def has_power(self) -> bool:
        """Whether pure powers belong to the class, by name or as a case of another family."""
        return (
            bool({"power", "floor"} & set(self.families))
            or ("corrected" in self.families and self.kappa[0] <= 0 <= self.kappa[1])
            or ("log" in self.families and self.log_power[0] <= 0 <= self.log_power[1])
            or ("shifted" in self.families and self.shift[0] <= 0 <= self.shift[1])
        )

    @property
    def narrowed(self) -> bool:
        """Whether something of the usual class was left out, so that whoever declared it vouches for the form."""
        inside = (self.kappa, KAPPA), (self.omega, OMEGA), (self.log_power, LOG_POWER), (self.shift, SHIFT)
        return self.families != FAMILIES or any(own[0] > usual[0] or own[1] < usual[1] for own, usual in inside)

    def fit(self, data: Likelihood) -> dict[str, Family]:
        """The declared families on these data."""
        made: dict[str, Callable[[], Family]] = {
            "power": lambda: Power(data),
            "corrected": lambda: Corrected(data, self.kappa, self.omega),
            "floor": lambda: Floor(data, Power(data).slope),
            "log": lambda: Log(data, *self.log_power),
            "shifted": lambda: Shifted(data, math.log1p(self.shift[0]), math.log1p(self.shift[1])),
        }
        return {name: made[name]() for name in self.families}

    def thresholds(self, freedom: float, level: float) -> tuple[float, float, float]:
        """Allowed rises of chi2: over the best pure power (inf if none is in the class), over a family's own best, and of
        a family's best over the overall best."""
        if isinstance(level, bool | str) or not 0.5 <= level <= 1 - 1e-12:
            raise ValueError(f"level must lie in [0.5, 1 - 1e-12]; got {level!r}")
        tail = 1 - level
        two = quantile(tail / 2, freedom) ** 2
        if self.families == ("power",):
            return two, two, two  # a straight line: nothing is unknown but the noise
        wider = two / quantile(tail / 2, math.inf) ** 2  # what not knowing the noise's scale costs
        own = OUTER * two
        kept = max(OUTER * two, wider * float(special.chdtri(3, tail)))
        return (quantile(NEAR * tail, freedom) ** 2 if self.has_power else math.inf), own, kept

    def pieces(self, fitted: Mapping[str, Family], data: Likelihood, level: float) -> tuple[tuple[float, float], ...]:
        """What the fitted families allow, as intervals that do not touch, increasing."""
        inner, own, kept = self.thresholds(data.freedom, level)
        pure = Power(data).best
        least = min(family.best for family in fitted.values())
        found: list[tuple[float, float]] = []
        allowed = (f.ends(min(pure + inner, f.best + own)) for f in fitted.values() if f.best <= least + kept)
        for low, high in sorted(ends for ends in allowed if ends[0] <= ends[1]):
            if found and low <= found[-1][1]:
                low, high = found[-1][0], max(high, found.pop()[1])
            found.append((low, high))
        return tuple(found)


def quantile(tail: float, freedom: float) -> float:
    """Student's t exceeded with probability `tail`."""
    return float(-special.ndtri(tail)) if math.isinf(freedom) else float(-special.stdtrit(freedom, tail))


@dataclass(frozen=True)
class Goodness:
    """How well a family fits: chi2 of its best law, degrees of freedom, and the probability of a worse fit."""

    chi2: float
    freedom: int
    p: float


@dataclass(frozen=True, eq=False, repr=False)
class ExponentFit:
    """A fitted exponent with the class of laws under which its interval holds.

    `sizes`: the range; `declared`: the class; `likelihood`: what was assumed of the noise; `notes`: what to know besides;
    `tails`: how far single values carry the spread.
    """

    sizes: tuple[float, ...]
    declared: ExponentClass
    likelihood: str
    notes: tuple[str, ...]
    data: Likelihood
    tails: Tails

    @cached_property
    def fitted(self) -> dict[str, Family]:
        """The declared families on the data."""
        return self.declared.fit(self.data)

    @cached_property
    def goodness(self) -> dict[str, Goodness]:
        """chi2, degrees of freedom and p of each declared family."""
        return {name: _goodness(family, self.data) for name, family in self.fitted.items()}

    @cached_property
    def plausible(self) -> tuple[str, ...]:
        """The families whose chi2 is within 7 of the best (a power: 4.5) and whose goodness of fit exceeds 0.01."""
        fits = self.goodness
        least = min(fit.chi2 for fit in fits.values())
        return tuple(name for name, fit in fits.items() if fit.chi2 <= least + WITHIN[name] and fit.p > MISFIT)

    @property
    def family(self) -> str:
        """Power if it is plausible, else the plausible family that fits best (the best of all if none is)."""
        if "power" in self.plausible:
            return "power"
        return min(self.plausible or self.fitted, key=lambda name: self.fitted[name].best)

    @cached_property
    def status(self) -> str:
        """What was seen: the family by its name, inconclusive or misfit.

        power: a pure power fits and a real logarithm does not ("no curvature seen", not "pure"); corrected, floor, log:
        only this family fits; misfit: none does, and the interval means nothing; inconclusive: several fit, or nothing
        bounds the exponent.
        """
        if not self.plausible:
            return "misfit"
        if not all(map(math.isfinite, self.interval(0.95))):
            return "inconclusive"  # a floor may hide everything: no law has been seen
        if "power" not in self.plausible:
            return self.plausible[0] if len(self.plausible) == 1 else "inconclusive"
        log = self.fitted.get("log")
        least = min(fit.chi2 for fit in self.goodness.values())
        # A real logarithm: to the first power, or to the largest that is declared.
        rival = isinstance(log, Log) and log.beyond(min(1.0, max(-log.low, log.high))) <= least + RIVAL
        return "inconclusive" if rival else "power"

    @cached_property
    def exponent(self) -> float:
        """The exponent b, mean ~ x^b: posterior median over the class, clipped to the 95 % interval."""
        low, high = self.interval(0.95)
        return min(max(_median(self.fitted), low), high)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The exponents that the data allow, 0.5 <= level <= 1 - 1e-12; -inf or inf where nothing bounds them."""
        pieces = self.pieces(level)
        return pieces[0][0], pieces[-1][1]

    def pieces(self, level: float = 0.95) -> tuple[tuple[float, float], ...]:
        """The same, with the gaps between what one family allows and what another does."""
        if level not in self._pieces:
            self._pieces[level] = self.declared.pieces(self.fitted, self.data, level)
        return self._pieces[level]

    @cached_property
    def _pieces(self) -> dict[float, tuple[tuple[float, float], ...]]:
        return {}

    def p_of_form(self, values: Sequence[float]) -> float:
        """The goodness of fit, as a p-value, of a law that has these values at the sizes, up to a factor; 0 if it is narrowed."""
        if self.declared.narrowed or len(values) != len(self.data.t) or min(values) <= 0:
            return 0.0
        return _p(float(self.data.intercept(np.log(values))), 1, self.data)

    def p_of_alternatives(self, exponent: float) -> float:
        """The best goodness of fit, as a p-value, of a law with this exponent just outside the class; 0 if it is narrowed."""
        if self.declared.narrowed:
            return 0.0
        return max(_p(form.chi2(self.data, exponent), form.parameters - 1, self.data) for form in ALTERNATIVES)

    def rival(self, exponent: float, margin: float) -> str:
        """A form just outside the class that fits about as well as the class, with an exponent farther off than the margin.

        About as well: chi2 and Akaike's 2 a parameter within 4 of the best of the class. "" if there is none.
        """
        if self.declared.narrowed:
            return ""
        best = min(family.best + AKAIKE * family.parameters for family in self.fitted.values()) + RIVAL
        for form in ALTERNATIVES:
            others = (exponent + times * margin for times in (-4, -2, -1, 1, 2, 4))
            if any(form.chi2(self.data, b) + AKAIKE * form.parameters <= best for b in others):
                return form.name
        return ""

    @cached_property
    def parameters(self) -> dict[str, float]:
        """The parameters of the best law of `family`: amplitude and exponent, and what else it has, such as its floor."""
        found, shape = self.fitted[self.family].law()
        amplitude = math.exp(float(self.data.level(shape(self.data.t))))
        found = {name: value * amplitude if name == "floor" else value for name, value in found.items()}
        return {"amplitude": amplitude, **found}

    @property
    def amplitude(self) -> float:
        """The factor in front of the best law of `family`."""
        return self.parameters["amplitude"]

    @property
    def floor(self) -> float:
        """The level at which the best law of `family` ends, 0 if it has none."""
        return self.parameters.get("floor", 0.0)

    def predict(self, sizes: float | Sequence[float] | Array) -> Array:
        """The mean at some sizes by the best law of `family`."""
        shape = self.fitted[self.family].law()[1]
        return np.asarray(self.amplitude * np.exp(shape(np.log(np.asarray(sizes, dtype=float)))))

    def plot(self, axes: Any = None) -> Any:
        """Draw the measured means with 95 % bars and the best law, into matplotlib axes that are returned."""
        from matplotlib import pyplot

        axes = axes or pyplot.subplots()[1]
        log, white = self.data.rough
        half = 1.96 * np.sqrt(np.diag(np.linalg.inv(white.T @ white)))
        mean = np.exp(log)
        x = np.geomspace(self.sizes[0], self.sizes[-1], 200)
        axes.errorbar(self.sizes, mean, [mean - np.exp(log - half), np.exp(log + half) - mean], fmt="o")
        axes.plot(x, self.predict(x), label=f"{self.family}: exponent {self.parameters['exponent']:.3g}")
        axes.set(xscale="log", yscale="log", xlabel="size", ylabel="mean")
        axes.legend()
        return axes

    def __str__(self) -> str:
        between = " or ".join(f"[{low:.4g}, {high:.4g}]" for low, high in self.pieces(0.95))
        warning = ("no law of the class fits, so that the interval means nothing",) if self.status == "misfit" else ()
        heavy = (self.tails.heavy,) if self.tails.heavy else ()
        notes = "".join(f"; {note}" for note in (*warning, *heavy, *self.notes))
        return (
            f"exponent {self.exponent:.4g}, 95 % interval {between}, status {self.status}, "
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
    kappa: Range = KAPPA,
    omega: Range = OMEGA,
    log_power: Range = LOG_POWER,
) -> ExponentFit:
    """Fit mean ~ x^b from replicas at increasing sizes, with intervals valid over the declared class.

    samples[i] holds the replicas' values at sizes[i]; `paired` says that samples[i][r] is the same replica r at every
    size, which shares its randomness (at least four times as many replicas as sizes). `counts` says that values are numbers of
    errors in so many trials a replica (one number, or one a size; math.inf: Poisson counts); values that are all 0 or 1
    are taken for single trials. Only counts may have sizes without a single error. The class: `families`, the
    correction at the smallest size `kappa` and its exponent `omega`, the power of the logarithm `log_power`.
    """
    declared = ExponentClass(families, kappa, omega, log_power)
    logs = "log" in declared.families
    x, data, likelihood, notes, tails = read_data(sizes, samples, paired=paired, counts=counts, logs=logs)
    return ExponentFit(tuple(x.tolist()), declared, likelihood, notes, data, tails)


def fit_exponent_of_logs(
    sizes: Sequence[float] | Array,
    logs: Sequence[float],
    errors: Sequence[float],
    *,
    freedom: float = math.inf,
    families: Sequence[str] = FAMILIES,
    kappa: Range = KAPPA,
    omega: Range = OMEGA,
    log_power: Range = LOG_POWER,
) -> ExponentFit:
    """Fit exp(log) ~ x^b where each size's quantity is known by its logarithm and a standard error, as capacities are.

    `sizes`: the sizes x. `logs`, `errors`: the logarithm measured at each size and its standard error, independent
    between sizes. `freedom`: the degrees of freedom of the standard errors. `families`, `kappa`, `omega`, `log_power`:
    the class of truths, as in `fit_exponent`.
    """
    declared = ExponentClass(families, kappa, omega, log_power)
    x = check_sizes(sizes, logs="log" in declared.families)
    y, se = np.asarray(logs, dtype=float), np.asarray(errors, dtype=float)
    if y.shape != x.shape or se.shape != x.shape:
        raise ValueError(f"logs and errors must have one number a size, {len(x)}; got {y.shape} and {se.shape}")
    if not (np.isfinite(y).all() and np.isfinite(se).all() and (se > 0).all()):
        raise ValueError("logs must be finite and errors positive and finite")
    data = LogMeans(t=np.log(x), y=y, cov=np.diag(se**2), freedom=min(float(freedom), 1e6))
    return ExponentFit(tuple(x.tolist()), declared, "normal logs", (), data, Tails())


def _goodness(family: Family, data: Likelihood) -> Goodness:
    freedom = max(0, len(data.t) - family.parameters)
    return Goodness(family.best, freedom, _p(family.best, family.parameters, data))


def _p(chi2: float, parameters: int, data: Likelihood) -> float:
    """The probability of a worse fit: chi2 over its degrees of freedom is F, the noise's scale being estimated too."""
    freedom = len(data.t) - parameters
    if freedom <= 0:  # as many parameters as sizes: nothing left to judge by
        return 1.0
    scatter = data.scatter(freedom)
    if math.isinf(scatter):
        return float(special.chdtrc(freedom, chi2))
    return float(special.fdtrc(freedom, scatter, chi2 / freedom))


def _median(fitted: dict[str, Family]) -> float:
    """Posterior median of b over the families: the maximum of the likelihood wanders along its flat ridge."""
    parts = [(math.log(PRIOR[name]), family.posterior()) for name, family in fitted.items()]
    log_weight = np.concatenate([prior + log_weights for prior, (log_weights, _, _) in parts])
    mean, sd = (np.concatenate([part[i] for _, part in parts]) for i in (1, 2))
    weight = np.exp(log_weight - log_weight.max())
    keep = weight > 1e-6
    weight, mean, sd = weight[keep] / weight[keep].sum(), mean[keep], sd[keep]
    low, high = float((mean - 8 * sd).min()), float((mean + 8 * sd).max())
    for _ in range(40):
        middle = (low + high) / 2
        below = float(weight @ special.ndtr((middle - mean) / sd))
        low, high = (middle, high) if below < 0.5 else (low, middle)
    return (low + high) / 2
