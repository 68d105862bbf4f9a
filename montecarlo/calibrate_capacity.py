"""Calibration of `find_capacity`: synthetic recall curves whose capacity is known.

A study is a whole search with its own seed; it covers if its interval holds the largest integer N with mean recall
>= 0.99 (infinity where recall never falls below). The curves were fixed in advance: steep and shallow, bent, with a
step, with plateaus, over-dispersed to whole replicas that fail, and with replicas shared between sizes.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

from asymp.montecarlo.blocks import derive_seed
from asymp.montecarlo.capacity import find_capacity

__all__ = ["CapacityRow", "capacity_table", "capacity_text"]

THRESHOLD = 0.99
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


@dataclass(frozen=True)
class CapacityRow:
    """One case: coverage, the median ratio of the interval's ends for each method, and how the searches ended.

    `right` is the share of studies whose status is the one the curve has: ok, unbounded or below.
    """

    name: str
    truth: float
    studies: int
    coverage: float
    right: float
    logit_share: float
    ratio: float
    logit_ratio: float
    monotone_ratio: float
    bias: float
    sizes: int
    evaluations: int

    @property
    def ok(self) -> bool:
        """Coverage at least 0.93, less two Monte Carlo errors of a method that covers 0.93."""
        return self.coverage >= 0.93 - 2 * math.sqrt(0.93 * 0.07 / self.studies)


def _logistic(b: float, N0: float) -> Curve:
    """Recall 0.99 at N0, slope b of the logit in log N."""
    return lambda N: float(special.expit(special.logit(0.99) - b * math.log(N / N0)))


def _probit(N0: float) -> Curve:
    """The error of a gaussian score with signal-to-noise ratio ~ N^-1/2: what random memories look like."""
    return lambda N: float(special.ndtr(special.ndtri(0.99) * math.sqrt(N0 / N)))


def _kink(N0: float) -> Curve:
    """Slope 1 below N0, 8 above."""
    shallow, steep = _logistic(1.0, N0), _logistic(8.0, N0)
    return lambda N: shallow(N) if N < N0 else steep(N)


def _plateau(before: float, after: float, N0: float) -> Curve:
    """From one level to another around N0."""
    return lambda N: after + (before - after) / (1 + (N / N0) ** 2)


def _ledge(level: float, N0: float) -> Curve:
    """A plateau just above the threshold, then a fall at N0."""
    return lambda N: min(1 - (1 - level) / (1 + (5 / N) ** 2), _logistic(10.0, N0)(N))


def _binomial(curve: Curve) -> Recall:
    """N independent inputs a replica."""

    def recall(N: int, replicas: int, seed: int) -> np.ndarray:
        rng = np.random.default_rng(seed)
        return 1 - rng.binomial(N, 1 - curve(N), replicas) / N

    return recall


def _beta_binomial(curve: Curve, rho: float) -> Recall:
    """Inputs of one replica that fail together, with correlation rho."""

    def recall(N: int, replicas: int, seed: int) -> np.ndarray:
        rng = np.random.default_rng(seed)
        e, total = max(1 - curve(N), 1e-12), 1 / rho - 1
        return 1 - rng.binomial(N, np.minimum(rng.beta(e * total, (1 - e) * total, replicas), 1.0)) / N

    return recall


def _collapse(curve: Curve) -> Recall:
    """Most replicas recall everything, the others half of it."""

    def recall(N: int, replicas: int, seed: int) -> np.ndarray:
        rng = np.random.default_rng(seed)
        return np.where(rng.random(replicas) < 2 * (1 - curve(N)), 0.5, 1.0)

    return recall


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
        ("kink, slope 1 to 8", _kink(700.5)),
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


def capacity_table(studies: int = 600, seed: int = 0) -> list[CapacityRow]:
    """Coverage and the ratio of the interval's ends in every case, from `studies` searches each."""
    if studies < 1:
        raise ValueError(f"studies must be an integer >= 1; got {studies!r}")
    return [_row(case, studies, seed) for case in capacity_cases()]


def _row(case: CapacityCase, studies: int, seed: int) -> CapacityRow:
    truth = case.truth
    status = {math.inf: "unbounded", 0.0: "below"}.get(truth, "ok")
    covered, right, ratios, methods, bias, sizes, used = [], [], [], [], [], [], []
    for study in range(studies):
        fit = find_capacity(
            case.recall,
            start=case.start,
            stop=case.stop,
            replicas=case.replicas,
            paired=case.paired,
            seed=derive_seed("calibrate-capacity", case.name, seed, study),
        )
        low, high = fit.interval()
        covered.append(low <= truth <= high)
        right.append(fit.status == status)
        # The capacity is known to lie in [low, high + 1) of real sizes: a ratio of 1 would claim too much.
        ratios.append((high + 1) / low if low > 0 else math.inf)
        methods.append(fit.method == "logit")
        bias.append(math.log(fit.capacity / truth) if status == fit.status == "ok" else 0.0)
        sizes.append(len(fit.evaluated))
        used.append(sum(p.replicas for p in fit.evaluated))
    spans, logit = np.array(ratios), np.array(methods)
    return CapacityRow(
        name=case.name,
        truth=truth,
        studies=studies,
        coverage=float(np.mean(covered)),
        right=float(np.mean(right)),
        logit_share=float(np.mean(logit)),
        ratio=float(np.median(spans)),
        logit_ratio=float(np.median(spans[logit])) if logit.any() else math.inf,
        monotone_ratio=float(np.median(spans[~logit])) if not logit.all() else math.inf,
        bias=float(np.median(bias)),
        sizes=int(np.median(sizes)),
        evaluations=int(np.median(used)),
    )


def capacity_text(rows: list[CapacityRow]) -> str:
    """The table as text, the worst coverage last."""
    lines = [
        f"{'case':40s} {'N*':>7s} {'coverage':>8s} {'status':>6s} {'hi/lo':>7s} {'logit':>7s} {'share':>5s}"
        f" {'monotone':>8s} {'bias':>7s} {'sizes':>5s} {'replicas':>8s}"
    ]
    for row in rows:
        lines.append(
            f"{row.name:40s} {row.truth:7g} {row.coverage:8.3f} {row.right:6.3f} {row.ratio:7.3f}"
            f" {row.logit_ratio:7.3f} {row.logit_share:5.2f} {row.monotone_ratio:8.3f} {row.bias:7.3f}"
            f" {row.sizes:5d} {row.evaluations:8d}{'' if row.ok else '  MISSED'}"
        )
    worst = min(rows, key=lambda row: row.coverage)
    error = math.sqrt(0.05 * 0.95 / worst.studies)
    lines.append(f"worst case: {worst.name}: {worst.coverage:.3f}+-{error:.3f}, must be 0.93")
    return "\n".join(lines)
