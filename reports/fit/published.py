"""A published law against a table: supported, refuted or open, at a stated rate."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from asymp.lazy import Lazy
from asymp.montecarlo.fit.backtest import Fitted, excess, student
from asymp.montecarlo.fit.solve import whiten
from asymp.reports.fit.expression import law_values

if TYPE_CHECKING:
    from scipy import special
else:
    special = Lazy("scipy.special")

__all__ = ["LawVerdict", "judge_law"]


@dataclass(frozen=True)
class LawVerdict:
    """How a law came out: `outcome` (supported, refuted, open), `chi2` with its degrees of `freedom`, `p_value`, and words.

    `farthest`: the largest relative distance of the law from the curve of an allowed form at the table's rows.
    """

    law: str
    outcome: str
    chi2: float
    freedom: int
    p_value: float
    rate: float
    margin: float
    farthest: float
    words: str

    def __str__(self) -> str:
        return f"{self.outcome}: {self.words}"


def judge_law(fitted: Fitted, law: Any, *, rate: float, margin: float) -> LawVerdict:
    """The verdict on a law without free parameters.

    chi2 is by how much the law's squared residuals exceed those of the best allowed form, in units of the noise; under the law
    it has as many degrees of freedom as that form has parameters (over those of the noise: Fisher's distribution). Of a fit by
    Huber's losses it is by how much the law's losses exceed the form's, in units of what a true law's would on average.
    """
    if not 0 < rate < 0.5 or not 0 < margin < 1:
        raise ValueError(f"rate must lie in (0, 0.5) and margin in (0, 1); got {rate!r} and {margin!r}")
    table, best = fitted.table, fitted.solutions[fitted.best]
    # neighbours may be as much alike as the residuals allow
    known = fitted.noise
    noise = replace(known, inflation=known.most, freedom=min(known.freedom, known.fewest))
    says = np.log(law_values(law, table.variables, table.x))
    rest = whiten(best.white, np.log(table.y) - says)
    freedom = len(best.values)
    chi2 = max(excess(rest, best, noise, fitted.huber), 0.0)
    # the best of several forms leaves less than noise alone would, by luck
    p_value = min(float(special.fdtrc(freedom, noise.freedom, chi2 / freedom)) * len(fitted.solutions), 1.0)
    quantile = student(0.98, known.freedom)
    scale = np.sqrt(known.variance * known.inflation)
    gaps, ends = [], []
    for name in fitted.allowed:
        found = fitted.solutions[name]
        gap = np.abs(np.log(found.at(table.x)) - says)
        gaps.append(float(gap.max()))
        ends.append(float((gap + quantile * scale * found.error(table.x)).max()))
    outcome = "refuted" if p_value <= rate else "supported" if max(ends) <= margin else "open"
    distance = f"it lies up to {100 * max(gaps):.2g} % from what the allowed forms say"
    why = {
        "refuted": f"a true law would be refuted with probability {rate:g}",
        "supported": f"within the margin of {100 * margin:g} % at every row, uncertainty included",
        "open": f"neither refuted at the rate {rate:g} nor shown to lie within {100 * margin:g} %",
    }[outcome]
    words = f"chi2({freedom}) = {chi2:.4g}, p = {p_value:.2g} against the law; {distance}; {why}."
    return LawVerdict(str(law), outcome, chi2, freedom, p_value, rate, margin, max(gaps), words)
