"""Calibration of capacities: synthetic recall curves whose capacity is known.

A study is a whole search (`find_capacity`), or a fit at sizes that were fixed beforehand (`capacity_of`, as claims have
it), with its own seed; it covers if its interval holds the largest integer N with mean recall >= 0.99 (infinity where
recall never falls below). The curves were fixed in advance: steep and shallow, bent, with a step, with plateaus,
over-dispersed to whole replicas that fail, and with replicas shared between sizes.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from asymp.montecarlo.calibrate.studies import rows_of, summarised, table_lines
from asymp.montecarlo.capacity.find import CapacityFit, capacity_of, find_capacity
from asymp.montecarlo.draws import derive_seed

THRESHOLD = 0.99
ROUTES = ("search", "fixed sizes")
FIXED_SIZES, FIXED_REPLICAS, SPAN = 9, 256, 2.0  # sizes from half to twice the capacity, as in the claims' grids
COLUMNS = (
    "name route truth:g coverage:.3f coverage_99:.3f coverage_999:.3f right:.3f ratio:.3f logit_share:.2f bias:.3f "
    "monotone_coverage:.3f monotone_ratio:.3f sizes:.0f replicas:.0f missed"
)
# A look of sixteen has the levels 1 - 0.02/16 (support) and 1 - budget/16 (refutation), between or beyond these.
BESIDE = {"coverage_99": 0.99, "coverage_999": 0.999}
Curve = Callable[[float], float]
Recall = Callable[[int, int, int], np.ndarray]


@dataclass(frozen=True)
class CapacityCase:
    """Mean recall as a function of N, a sampler with that mean, and the arguments of the search."""

    name: str
    curve: Curve
    recall: Recall
    start: int = 8
    stop: int = 100_000
    replicas: int = 64
    paired: bool = False

    @property
    def truth(self) -> float:
        """The largest N of the range with mean recall >= 0.99, by bisection on the curve itself."""
        if self.curve(self.stop) >= THRESHOLD:
            return math.inf
        if self.curve(self.start) < THRESHOLD:
            return 0.0
        low, high = self.start, self.stop
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.curve(middle) >= THRESHOLD else (low, middle)
        return float(low)

    def searched(self, seed: int) -> CapacityFit:
        """The capacity as `find_capacity` finds it, choosing sizes by what it sees."""
        return find_capacity(
            self.recall, start=self.start, stop=self.stop, replicas=self.replicas, paired=self.paired, seed=seed
        )

    def at_fixed_sizes(self, seed: int) -> CapacityFit:
        """The capacity as claims have it: from sizes that were fixed beforehand, around the capacity where there is one."""
        around = 0 < self.truth < math.inf
        low, high = (self.truth / SPAN, self.truth * SPAN) if around else (self.start, self.stop)
        ends = max(self.start, round(low)), min(self.stop, round(high))
        sizes = sorted({round(N) for N in np.geomspace(*ends, FIXED_SIZES)})
        # paired replicas are the same at every size, others are drawn afresh
        seeds = [seed if self.paired else derive_seed("size", seed, N) for N in sizes]
        samples = [self.recall(N, FIXED_REPLICAS, s) for N, s in zip(sizes, seeds, strict=True)]
        return capacity_of(sizes, samples, threshold=THRESHOLD, paired=self.paired)


@dataclass(frozen=True)
class CapacityRow:
    """One case by one route: coverage, the median ratio of the interval's ends, and how the studies ended.

    `right` is the share of studies whose status is the one the curve has: ok, unbounded or below. The `monotone` figures
    are those of the tests that assume only monotonicity, on the same points. `bias` is the median of log(found/true).
    """

    name: str
    route: str
    truth: float
    studies: int
    coverage: float
    coverage_99: float
    coverage_999: float
    right: float
    ratio: float
    logit_share: float
    monotone_coverage: float
    monotone_ratio: float
    bias: float
    sizes: float
    replicas: float

    @property
    def missed(self) -> str:
        """Empty if coverage is at least 0.93, as counted."""
        return "" if min(self.coverage, self.monotone_coverage) >= 0.93 else "MISSED"


def _logistic(b: float, N0: float) -> Curve:
    """Recall 0.99 at N0, slope b of the logit in log N."""
    return lambda N: float(special.expit(special.logit(0.99) - b * math.log(N / N0)))


def _probit(N0: float) -> Curve:
    """The error of a gaussian score with signal-to-noise ratio ~ N^-1/2: what random memories look like."""
    return lambda N: float(special.ndtr(special.ndtri(0.99) * math.sqrt(N0 / N)))


def _kink(below: float, above: float, N0: float, *, at: float = 0.0) -> Curve:
    """Recall 0.99 at N0; the slope changes at log(N/N0) = at >= 0."""

    def curve(N: float) -> float:
        u = math.log(N / N0)
        return float(special.expit(special.logit(0.99) - below * min(u, at) - above * max(u - at, 0)))

    return curve


def _plateau(before: float, after: float, N0: float) -> Curve:
    """From one level to another around N0."""
    return lambda N: after + (before - after) / (1 + (N / N0) ** 2)


def _ledge(level: float, N0: float) -> Curve:
    """A plateau just above the threshold, then a fall at N0."""
    return lambda N: min(1 - (1 - level) / (1 + (5 / N) ** 2), _logistic(10.0, N0)(N))


def _drawn(sample: Callable[[np.random.Generator, int, int], np.ndarray]) -> Recall:
    """Recall of sample(random numbers, N, replicas)."""
    return lambda N, replicas, seed: sample(np.random.default_rng(seed), N, replicas)


def _binomial(curve: Curve) -> Recall:
    """N independent inputs a replica."""
    return _drawn(lambda rng, N, replicas: 1 - rng.binomial(N, 1 - curve(N), replicas) / N)


def _beta_binomial(curve: Curve, rho: float) -> Recall:
    """Inputs of one replica that fail together, with correlation rho."""

    def recall(rng: np.random.Generator, N: int, replicas: int) -> np.ndarray:
        e, total = max(1 - curve(N), 1e-12), 1 / rho - 1
        return 1 - rng.binomial(N, np.minimum(rng.beta(e * total, (1 - e) * total, replicas), 1.0)) / N

    return _drawn(recall)


def _collapse(curve: Curve) -> Recall:
    """Most replicas recall everything, the others half of it."""
    return _drawn(lambda rng, N, replicas: np.where(rng.random(replicas) < 2 * (1 - curve(N)), 0.5, 1.0))


NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(64)


def _random_effect(b: float, N0: float, tau: float) -> Curve:
    """The mean of logistic curves whose positions have a spread tau in the logit."""

    def curve(N: float) -> float:
        error = special.expit(special.logit(0.01) + b * math.log(N / N0) + tau * NODES)
        return 1 - float(WEIGHTS @ error / WEIGHTS.sum())

    return curve


def _shared_replicas(b: float, N0: float, tau: float, noise: bool) -> Recall:
    """One position a replica, the same at every size; the inputs' own noise on top, or none."""

    def recall(N: int, replicas: int, seed: int) -> np.ndarray:
        shift = tau * np.random.default_rng(seed).standard_normal(replicas)
        error = special.expit(special.logit(0.01) + b * math.log(N / N0) + shift)
        if noise:
            error = np.random.default_rng([seed, N]).binomial(N, error) / N
        return np.asarray(1 - error)

    return recall


def capacity_cases() -> tuple[CapacityCase, ...]:
    """The cases, fixed in advance."""
    plain: list[tuple[str, Curve]] = [
        ("shallow, slope 1", _logistic(1.0, 400.3)),
        ("slope 3", _logistic(3.0, 400.3)),
        ("steep, slope 10", _logistic(10.0, 400.3)),
        ("very steep, slope 40", _logistic(40.0, 400.3)),
        ("step from 1 to 0.5", lambda N: 1.0 if N <= 237 else 0.5),
        ("probit, N* = 2000", _probit(2000.5)),
        ("probit, N* = 14", _probit(14.4)),
        ("kink, slope 1 to 8", _kink(1.0, 8.0, 700.5)),
        ("kink, slope 8 to 1", _kink(8.0, 1.0, 700.5)),
        ("kink, slope 5 to 2, above N*", _kink(5.0, 2.0, 700.5, at=0.06)),
        ("plateau at 0.995", _plateau(1.0, 0.995, 50)),
        ("plateau at 0.992", _plateau(1.0, 0.992, 50)),
        ("plateau at 0.98", _plateau(1.0, 0.98, 300)),
        ("ledge at 0.992, fall at 5000", _ledge(0.992, 5000.5)),
    ]
    cases = [CapacityCase(name, curve, _binomial(curve)) for name, curve in plain]
    cases.append(CapacityCase("below the range", _probit(20.5), _binomial(_probit(20.5)), start=40))
    for rho in (0.01, 0.1):
        name = f"probit, beta-binomial {rho:g}"
        cases.append(CapacityCase(name, _probit(300.5), _beta_binomial(_probit(300.5), rho)))
    steep = _logistic(3.0, 300.5)
    cases.append(CapacityCase("slope 3, replicas that collapse", steep, _collapse(steep)))
    for tau, noise in ((0.5, True), (0.5, False), (1.0, True)):
        name = f"shared replicas, spread {tau:g}, {'with' if noise else 'no'} noise"
        curve, recall = _random_effect(3.0, 300.5, tau), _shared_replicas(3.0, 300.5, tau, noise)
        cases.append(CapacityCase(name, curve, recall, paired=True))
    return tuple(cases)


def capacity_table(studies: int = 600, seed: int = 0, *, workers: int = 1) -> list[CapacityRow]:
    """Coverage and the ratio of the interval's ends in every case and by both routes, from `studies` studies each."""
    wanted = [(place, route) for place in range(len(capacity_cases())) for route in ROUTES]
    return rows_of(_row, wanted, studies=studies, seed=seed, workers=workers)


def _row(which: tuple[int, str], studies: int, seed: int) -> CapacityRow:
    """The row of a case by its place, since a case holds functions, which do not travel between processes."""
    case, route = capacity_cases()[which[0]], which[1]
    truth, find = case.truth, {"search": case.searched, "fixed sizes": case.at_fixed_sizes}[route]
    status = {math.inf: "unbounded", 0.0: "below"}.get(truth, "ok")
    found = []
    for study in range(studies):
        fit = find(derive_seed("calibrate-capacity", case.name, seed, study))
        ends = {"": fit.interval(), "monotone_": replace(fit, method="monotone").interval()}
        # The curve crosses the threshold somewhere in [low, high + 1).
        figures = {f"{by}coverage": float(low <= truth <= high) for by, (low, high) in ends.items()}
        for name, level in BESIDE.items():
            low, high = fit.interval(level)
            figures[name] = float(low <= truth <= high)
        figures |= {f"{by}ratio": (high + 1) / low if low > 0 else math.inf for by, (low, high) in ends.items()}
        figures |= {"right": fit.status == status, "logit_share": fit.method == "logit"}
        figures |= {"bias": math.log(fit.capacity / truth) if status == fit.status == "ok" else 0.0}
        found.append({**figures, "sizes": len(fit.evaluated), "replicas": sum(p.replicas for p in fit.evaluated)})
    row = summarised(found, "coverage", *BESIDE, "monotone_coverage", "right", "logit_share")
    row |= {name: int(row[name]) for name in ("sizes", "replicas")}
    return CapacityRow(name=case.name, route=route, truth=truth, studies=studies, **row)


def capacity_text(rows: list[CapacityRow]) -> str:
    """The table as text, the worst case last."""
    worst = min(rows, key=lambda row: row.coverage)
    error = math.sqrt(0.05 * 0.95 / worst.studies)
    last = f"worst case: {worst.name}, {worst.route}: {worst.coverage:.3f}+-{error:.3f}, must be 0.93"
    return "\n".join([*table_lines(COLUMNS, rows), last])
