"""Rates: the exponent in one size, through `fit_exponent`, in every group of the other parameters.

Supported: the 98 % interval of the exponent lies within the margin of the law's, in every group. Refuted: an interval
at the budget excludes the law's exponent. A fit that no declared family describes (status misfit) supports nothing; it
may still refute, because an interval covers every truth of the declared class at its level whatever the goodness of
fit, unless the misfit is far beyond chance: then the class itself is in doubt.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from asymp.montecarlo import Estimate, fit_exponent
from asymp.montecarlo.exponent.fit import ExponentFit
from asymp.reports.declare import Part
from asymp.reports.judge.cells import band_cell, class_words, know_bands, spell
from asymp.reports.judge.groups import groups_without
from asymp.reports.judge.invert import p_by_interval
from asymp.reports.statistics import SUPPORT_LEVEL, samples_needed
from asymp.reports.verdict import Judgement

__all__ = ["judge_rate"]

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


def judge_rate(part: Part, measured: Sequence[tuple[dict[str, Any], Estimate]], *, level: float) -> Judgement:
    """Judge 'measured ~ variable**exponent' with the law's exponent, within the part's absolute margin."""
    variable = part.variable
    assert variable is not None
    groups = groups_without(measured, variable)
    know_bands([e for _, e in measured], points=len(measured))
    cells, words, p_values, shown, widths, numbers = [], [], [], [], [], []
    for rest, members in groups:
        sizes = np.array([float(params[variable]) for params, _ in members])
        fit = _fit(tuple(sizes.tolist()), tuple(e for _, e in members), tuple(part.families), part.kappa, part.omega)
        wanted = _law_exponent(part, variable, members[0][0])
        low, high = fit.interval(1 - 2 * SUPPORT_LEVEL)
        usable = fit.status != "misfit"
        p_values.append(
            p_by_interval(fit.interval, wanted, wanted) if max(g.p for g in fit.goodness.values()) >= HOPELESS else 1.0
        )
        shown.append(usable and wanted - part.margin <= low and high <= wanted + part.margin)
        wide_low, wide_high = fit.interval(1 - level / len(groups))
        widths.append(max(wide_high - fit.exponent, fit.exponent - wide_low))
        scale = _scale(part, members)
        cells += [band_cell(p, scale * part.predicted(p), e, points=len(measured)) for p, e in members]
        at = f" at {spell(rest)}" if rest else ""
        restricted = f"; class: {class_words(part)}" if (part.kappa, part.omega) != (Part.kappa, Part.omega) else ""
        words.append(
            f"The exponent in {variable}{at} is {fit.exponent:.4f}, 98 % interval {low:.4f} to {high:.4f} ({FORMS[fit.status]}); "
            f"the law says {wanted:.4f}, margin {part.margin:g}{restricted}."
        )
        numbers.append(
            {
                "at": rest,
                "exponent": fit.exponent,
                "interval": [low, high],
                "level": 1 - 2 * SUPPORT_LEVEL,
                "predicted": wanted,
                "status": fit.status,
                "family": str(fit.family),
                "sizes": [float(sizes.min()), float(sizes.max())],
            }
        )
    p = min(1.0, len(groups) * min(p_values))
    return Judgement(
        shown=all(shown),
        p_value=p,
        cells=tuple(cells),
        words=" ".join(words) + f" p = {p:.2g} against the law's exponent.",
        seen=max(widths),
        unit="absolute",
        wanted=part.margin,
        needed=samples_needed(min(e.replicas for _, e in measured), max(widths), part.margin),
        could_refute=all(math.isfinite(w) for w in widths),
        numbers={"fits": numbers},
    )


@lru_cache(maxsize=16)
def _fit(
    sizes: tuple[float, ...],
    estimates: tuple[Estimate, ...],
    families: tuple[str, ...],
    *correction: tuple[float, float],
) -> ExponentFit:
    """The fit does not depend on the law: another law that is judged by the same estimates finds it again."""
    kappa, omega = correction
    return fit_exponent(np.array(sizes), [e.values for e in estimates], families=families, kappa=kappa, omega=omega)


def _law_exponent(part: Part, variable: str, params: dict[str, Any]) -> float:
    values = {k: v for k, v in part.law_values(params).items() if k != variable and k not in part.law.words}
    return float(part.law.exponent(variable, **values))


def _scale(part: Part, members: Sequence[tuple[dict[str, Any], Estimate]]) -> float:
    """The constant that the rate leaves open, set at the largest size, for the plot only."""
    params, estimate = members[-1]
    predicted = part.predicted(params)
    return estimate.mean / predicted if predicted else 1.0
