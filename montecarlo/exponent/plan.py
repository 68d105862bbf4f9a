"""How wide an exponent's interval will be, before a run: expected, oracle's, and the least that is possible.

A margin declared on a rate claim must be wider than the interval can be at the planned sizes and replicas. Range in
log x helps more than replicas: the class's corrections die out over decades, noise does not change them.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from asymp.montecarlo.draws import derive_seed
from asymp.montecarlo.exponent.data import Array, LogMeans, check_sizes
from asymp.montecarlo.exponent.fit import ExponentClass
from asymp.montecarlo.exponent.fit import quantile as student

USUAL = ExponentClass()


def expected_width(
    sizes: Sequence[float] | Array,
    cv: float | Sequence[float] | Array,
    replicas: int | Sequence[int],
    level: float = 0.95,
    *,
    exponent: float = -0.5,
    means: Sequence[float] | Array | None = None,
    quantile: float = 0.5,
    studies: int = 40,
) -> float:
    """A quantile (default: the median) of the width of fit_exponent's interval, from `studies` synthetic ones.

    `cv` is the coefficient of variation of one replica's value and `replicas` their number, both one for all sizes or
    one a size. The truth is x^exponent unless `means` (the expected means at the sizes) says otherwise: a law with a
    correction that can be seen has a wider interval than a pure power. The studies have normal logs of means and fixed
    seeds, so that a plan is the same each time; about 4 ms each.
    """
    if isinstance(studies, bool) or not isinstance(studies, int) or studies < 1:
        raise ValueError(f"studies must be an integer >= 1; got {studies!r}")
    if not 0 <= quantile <= 1:
        raise ValueError(f"quantile must lie in [0, 1]; got {quantile!r}")
    data = _without_noise(sizes, cv, replicas, exponent, means, logs=True)
    rng = np.random.default_rng(derive_seed("exponent-plan"))
    widths = []
    for _ in range(studies):
        noisy = replace(data, y=data.y + np.sqrt(np.diag(data.cov)) * rng.standard_normal(len(data.t)))
        pieces = USUAL.pieces(USUAL.fit(noisy), noisy, level)
        widths.append(pieces[-1][1] - pieces[0][0])
    return float(np.quantile(widths, quantile, method="higher"))


def oracle_width(
    sizes: Sequence[float] | Array,
    cv: float | Sequence[float] | Array,
    replicas: int | Sequence[int],
    level: float = 0.95,
) -> float:
    """The width of the straight-line interval of one who knows that the law is a pure power."""
    data = _without_noise(sizes, cv, replicas, -0.5, None, logs=False)
    pure = ExponentClass(("power",))
    ((low, high),) = pure.pieces(pure.fit(data), data, level)
    return high - low


def least_width(
    sizes: Sequence[float] | Array,
    cv: float | Sequence[float] | Array,
    replicas: int | Sequence[int],
    level: float = 0.95,
    *,
    exponent: float = -0.5,
    declared: ExponentClass = USUAL,
) -> float:
    """Pratt's bound: no interval of this coverage over the class has a smaller mean width on pure powers.

    The mean width is the integral over b of the probability that b is in the interval, and that is at least
    Phi(z - D(b)), the most powerful test's, D(b) being the distance between the pure power and the nearest law of the
    class with exponent b: the integral over u of phi(z - u) times the width of {b: D(b) <= u}.
    """
    data = _without_noise(sizes, cv, replicas, exponent, None, logs="log" in declared.families)
    fitted = declared.fit(data)
    z = student(1 - level, math.inf)
    u = np.linspace(0.0, z + 5, 49)
    width = [0.0]
    for distance in u[1:]:
        ends = [family.ends(distance**2) for family in fitted.values()]
        width.append(max(high for _, high in ends) - min(low for low, _ in ends))
    density = np.exp(-((z - u) ** 2) / 2) / math.sqrt(2 * math.pi)
    return float(np.trapezoid(np.array(width) * density, u))


def _without_noise(sizes: Any, cv: Any, replicas: Any, exponent: float, means: Any, *, logs: bool) -> LogMeans:
    x = check_sizes(sizes, logs=logs)
    try:
        spread = np.broadcast_to(np.asarray(cv, dtype=float), x.shape)
        n = np.broadcast_to(np.asarray(replicas, dtype=float), x.shape)
        y = exponent * np.log(x) if means is None else np.log(np.broadcast_to(np.asarray(means, dtype=float), x.shape))
    except (TypeError, ValueError):
        raise ValueError(f"cv, replicas and means must be numbers, or one for each of {len(x)} sizes") from None
    if not (np.isfinite(spread).all() and (spread > 0).all()):
        raise ValueError(f"cv must be positive and finite; got {cv!r}")
    if not (np.isfinite(n).all() and (n >= 4).all()):
        raise ValueError(f"replicas must be at least 4 a size; got {replicas!r}")
    if not np.isfinite(y).all():
        raise ValueError("means must be positive and finite, and exponent finite")
    v = spread**2 / n * (n - 1) / (n - 3)
    return LogMeans(t=np.log(x), y=y, cov=np.diag(v), freedom=float(n.min() - 1))
