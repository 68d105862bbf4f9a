"""Orders: who comes first. The unit is the seed: each replica is one run, in which the order holds or does not.

Supported: it holds in every one of at least seven runs, at every point; under a fair coin that has probability below
1 %. Refuted: the share 1/2 is rejected downwards by a binomial test at the budget, times the number of points. Fewer
runs than could ever reach that are inconclusive: they could not have refuted anything.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import bdtr

from asymp.montecarlo import Estimate
from asymp.reports.declare import Part
from asymp.reports.judge.cells import band_cell, know_bands, spell
from asymp.reports.verdict import Judgement

__all__ = ["FEWEST", "judge_order"]

# 2^-7 < 1 %: a coin passes for an order at most that often.
FEWEST = 7


def judge_order(part: Part, measured: Sequence[tuple[dict[str, Any], Estimate]], *, level: float) -> Judgement:
    """Judge 'every run is on the law's side': measured <= law or measured >= law, run by run."""
    points = len(measured)
    know_bands([e for _, e in measured], points=points)
    cells, p_values, holds, runs = [], [], [], []
    for params, estimate in measured:
        limit = part.predicted(params)
        # An equality that only rounding breaks holds, to the resolution of the simulation's own arithmetic.
        slack = part.resolved(params) * abs(limit)
        below = part.law.relation.startswith("<")
        kept = estimate.values <= limit + slack if below else estimate.values >= limit - slack
        cells.append(band_cell(params, limit, estimate, points=points))
        holds.append(int(np.count_nonzero(kept)))
        runs.append(estimate.replicas)
        p_values.append(float(bdtr(holds[-1], runs[-1], 0.5)))
    p = min(1.0, points * min(p_values))
    needed = math.ceil(math.log2(points / level))
    share = [h / n for h, n in zip(holds, runs, strict=True)]
    worst = min(range(points), key=lambda i: share[i])
    return Judgement(
        shown=all(h == n >= FEWEST for h, n in zip(holds, runs, strict=True)),
        p_value=p,
        cells=tuple(cells),
        words=(
            f"The order holds in {sum(holds)} of {sum(runs)} runs at {points} points, in {holds[worst]} of {runs[worst]} where it "
            f"holds least ({spell(cells[worst].params)}); p = {p:.2g} against a share of at least one half."
        ),
        seen=_largest_refuted_share(min(runs), level / points),
        unit="share of runs",
        wanted=0.5,
        needed=needed,
        could_refute=min(runs) >= needed,
        numbers={"holds": holds, "runs": runs},
    )


def _largest_refuted_share(runs: int, level: float) -> float:
    """The largest observed share of runs in the order that would still have refuted it; 0 if none would."""
    refuting = [k for k in range(runs + 1) if bdtr(k, runs, 0.5) <= level]
    return max(refuting) / runs if refuting else 0.0
