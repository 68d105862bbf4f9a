"""Intervals of one parameter by the profile of the residuals: the others follow while it is held at a value."""

import math

import numpy as np

from asymp.montecarlo.fit.backtest import Fitted, student
from asymp.montecarlo.fit.solve import Solution, robust_spread, solve

__all__ = ["profile_interval"]

STEPS = 24
CLOSE = 1e-3
OUTER = 5.5 / 3.84
"""Where parameters meet the edges of their ranges a quantile of one degree of freedom is not enough; as in `exponent`."""


def profile_interval(fitted: Fitted, name: str, parameter: str, level: float) -> tuple[float, float]:
    """The values of a form's parameter that the residuals allow; the ends of its box where nothing bounds it."""
    found = fitted.solutions[name]
    form, place = found.form, found.form.parameters.index(parameter)
    noise = fitted.noise
    if fitted.huber is not None:
        return _robust(found, place, level, fitted.huber)
    freedom = max(min(len(found.y) / noise.inflation - len(found.values), noise.freedom), 1.0)
    variance = max(found.cost / max(len(found.y) - len(found.values), 1), noise.variance) * noise.inflation
    limit = found.cost + OUTER * variance * student(level, freedom) ** 2
    logs = parameter in form.positive
    middle = math.log(found.values[place]) if logs else float(found.values[place])
    error = math.sqrt(max(found.spread[place, place], 0.0) * variance)
    ends = []
    for side, edge in ((-1, form.low[parameter]), (1, form.high[parameter])):
        bound = (math.log(edge) if edge > 0 else -math.inf) if logs else edge
        at = _crossing(found, place, middle, side * max(error, 1e-6), bound, limit, logs)
        ends.append(math.exp(at) if logs else at)
    return ends[0], ends[1]


def _crossing(found: Solution, place: int, middle: float, step: float, bound: float, limit: float, logs: bool) -> float:
    """Where the profile meets the limit on one side, in the coordinates of the search."""
    inside, start = middle, found.values
    outside = None
    for _ in range(STEPS):
        at = inside + 2 * step if outside is None else (inside + outside) / 2
        at = max(at, bound) if step < 0 else min(at, bound)
        held = solve(
            found.form, found.x, found.y, white=found.white, start=start, fixed=(place, math.exp(at) if logs else at)
        )
        if held.cost > limit:
            outside = at
        else:
            inside, start = at, held.values
            step *= 1.5 if outside is None else 1
            if at == bound:
                return bound
        if outside is not None and abs(outside - inside) < CLOSE * max(abs(inside - middle), 1e-6):
            break
    return inside if outside is None else float(np.mean([inside, outside]))


def _robust(found: Solution, place: int, level: float, huber: float) -> tuple[float, float]:
    variance = robust_spread(found, huber)[0][place, place]
    half = student(level, max(len(found.y) - len(found.values), 1)) * math.sqrt(variance)
    value = float(found.values[place])
    logs = found.form.parameters[place] in found.form.positive
    return (value * math.exp(-half), value * math.exp(half)) if logs else (value - half, value + half)
