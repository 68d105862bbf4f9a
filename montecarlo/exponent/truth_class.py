"""The declared class of laws, and the interval, status and point estimate that follow from its families' likelihoods.

b is in the interval if some family fits with that b to

    chi2 <= min(P + q1, best of the family + q2).

P is the best pure power's chi2 and q1 = t1^2, t1 being the one-sided quantile for nine tenths of 1 - level: the
likelihood-ratio test of b against a pure power. A law at distance D from the pure powers has a log-ratio of about
N(-D^2, 4 D^2), which exceeds t1^2 with just that probability at the worst distance, D = t1. This term makes the
interval short where a pure power fits, close to Pratt's bound, and changes nothing where none does. q2 is 5.5/3.84 t^2
with the two-sided quantile t, or the quantile of chi2 with two degrees of freedom if that is larger: t^2 itself is not
enough at the corners of the class. A family whose best chi2 exceeds the overall best by more than q3 is left out; q3
has three degrees of freedom, since a rival with more nuisances may beat the truth by so much. All terms grow with the
level, so intervals are nested.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from asymp.montecarlo.exponent.corrected import Corrected
from asymp.montecarlo.exponent.families import Family, Log, Power
from asymp.montecarlo.exponent.floor import Floor
from asymp.montecarlo.exponent.likelihood import Likelihood

__all__ = ["ExponentClass", "Goodness", "goodness", "median", "quantile", "status", "thresholds", "union"]

OUTER = 5.5 / 3.84  # times t^2: allowed rise of chi2 over a family's own best
NEAR = 0.9  # share of 1 - level spent on laws close to a pure power; the rest is for noise that is not quite normal
# A plausible family's chi2 is within this of the best: a power is given up sooner, since the others contain it.
WITHIN = {"power": 4.5, "corrected": 7.0, "floor": 7.0, "log": 7.0}
MISFIT = 0.01  # and its goodness of fit exceeds this
RIVAL = 4.0  # a real logarithm within this of the best chi2 forbids to speak of a power
PRIOR = {"power": 0.25, "corrected": 0.55, "floor": 0.08, "log": 0.12}  # of the families, for the point estimate


@dataclass(frozen=True)
class Goodness:
    """How well a family fits: chi2 of its best law, degrees of freedom, and the probability of a worse fit."""

    chi2: float
    freedom: int
    p: float


@dataclass(frozen=True)
class ExponentClass:
    """The declared class of truths: families and the ranges of their nuisances."""

    families: tuple[str, ...]
    kappa: tuple[float, float]
    omega: tuple[float, float]
    log_power: tuple[float, float]

    def __str__(self) -> str:
        words = {
            "power": "a x^b",
            "corrected": f"a x^b (1 + kappa (x/x_min)^-w), kappa in {_range(self.kappa)}, w in {_range(self.omega)}",
            "floor": "a x^b + F, F >= 0",
            "log": f"a x^b (log x)^p, p in {_range(self.log_power)}",
        }
        return "; ".join(words[name] for name in self.families)

    def fit(self, data: Likelihood) -> dict[str, Family]:
        """The declared families on these data."""
        made: dict[str, Family] = {}
        for name in self.families:
            if name == "power":
                made[name] = Power(data)
            elif name == "corrected":
                made[name] = Corrected(data, self.kappa, self.omega)
            elif name == "floor":
                made[name] = Floor(data, Power(data).slope)
            else:
                made[name] = Log(data, *self.log_power)
        return made

    @property
    def has_power(self) -> bool:
        """Whether pure powers belong to the class, by name or as a case of another family."""
        return (
            bool({"power", "floor"} & set(self.families))
            or ("corrected" in self.families and self.kappa[0] <= 0 <= self.kappa[1])
            or ("log" in self.families and self.log_power[0] <= 0 <= self.log_power[1])
        )


def quantile(tail: float, freedom: float) -> float:
    """Student's t exceeded with probability `tail`."""
    return float(-special.ndtri(tail)) if math.isinf(freedom) else float(-special.stdtrit(freedom, tail))


def thresholds(declared: ExponentClass, freedom: float, level: float) -> tuple[float, float, float]:
    """Allowed rises of chi2: over the best pure power (inf if none is in the class), over a family's own best, and of
    a family's best over the overall best."""
    if isinstance(level, bool | str) or not 0.5 <= level <= 1 - 1e-12:
        raise ValueError(f"level must lie in [0.5, 1 - 1e-12]; got {level!r}")
    tail = 1 - level
    two = quantile(tail / 2, freedom) ** 2
    if declared.families == ("power",):
        return two, two, two  # a straight line: nothing is unknown but the noise
    wider = two / quantile(tail / 2, math.inf) ** 2  # what not knowing the noise's scale costs
    own = max(OUTER * two, wider * float(special.chdtri(2, tail)))
    kept = max(OUTER * two, wider * float(special.chdtri(3, tail)))
    return (quantile(NEAR * tail, freedom) ** 2 if declared.has_power else math.inf), own, kept


def union(declared: ExponentClass, fitted: dict[str, Family], data: Likelihood, level: float) -> tuple[float, float]:
    """The interval: the hull of what the families allow."""
    inner, own, kept = thresholds(declared, data.freedom, level)
    pure = Power(data).best
    least = min(family.best for family in fitted.values())
    low, high = math.inf, -math.inf
    for family in fitted.values():
        if family.best <= least + kept:
            ends = family.ends(min(pure + inner, family.best + own))
            low, high = min(low, ends[0]), max(high, ends[1])
    return low, high


def goodness(family: Family, data: Likelihood) -> Goodness:
    """The family's fit: chi2 over its degrees of freedom is F, the noise's scale being estimated too."""
    freedom = len(data.t) - family.parameters
    if freedom <= 0:  # as many parameters as sizes: nothing left to judge by
        return Goodness(family.best, 0, 1.0)
    scatter = data.scatter(freedom)
    if math.isinf(scatter):
        return Goodness(family.best, freedom, float(special.chdtrc(freedom, family.best)))
    return Goodness(family.best, freedom, float(special.fdtrc(freedom, scatter, family.best / freedom)))


def status(fitted: dict[str, Family], fits: dict[str, Goodness]) -> tuple[str, tuple[str, ...]]:
    """Status and plausible families; "power" says that no curvature is seen, not that there is none."""
    least = min(fit.chi2 for fit in fits.values())
    plausible = tuple(name for name, fit in fits.items() if fit.chi2 <= least + WITHIN[name] and fit.p > MISFIT)
    if not plausible:
        return "misfit", plausible
    if "power" in plausible:
        log = fitted.get("log")
        # A real logarithm: to the first power, or to the largest that is declared.
        rival = isinstance(log, Log) and log.beyond(min(1.0, max(-log.low, log.high))) <= least + RIVAL
        return ("inconclusive" if rival else "power"), plausible
    return (plausible[0] if len(plausible) == 1 else "inconclusive"), plausible


def median(fitted: dict[str, Family]) -> float:
    """Posterior median of b over the families: the maximum of the likelihood wanders along its flat ridge."""
    parts = [(math.log(PRIOR[name]), family.posterior()) for name, family in fitted.items()]
    log_weight = np.concatenate([prior + part.log_weight for prior, part in parts])
    mean = np.concatenate([part.mean for _, part in parts])
    sd = np.concatenate([part.sd for _, part in parts])
    weight = np.exp(log_weight - log_weight.max())
    keep = weight > 1e-6
    weight, mean, sd = weight[keep] / weight[keep].sum(), mean[keep], sd[keep]
    low, high = float((mean - 8 * sd).min()), float((mean + 8 * sd).max())
    for _ in range(40):
        middle = (low + high) / 2
        below = float(weight @ special.ndtr((middle - mean) / sd))
        low, high = (middle, high) if below < 0.5 else (low, middle)
    return (low + high) / 2


def _range(pair: tuple[float, float]) -> str:
    return f"[{pair[0]:g}, {pair[1]:g}]"
