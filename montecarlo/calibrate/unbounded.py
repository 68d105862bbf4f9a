"""Calibration of the intervals of unbounded means: hostile laws of the values, with a right, a false or no declaration.

A study is a fresh sample of a law whose mean is known. Counted are the studies whose interval is infinite, and those in
which the test of the true mean, which the interval inverts, rejects it:

- two-sided at 1e-2 and at 1e-3: a right law would be refuted at such a budget;
- one-sided at 1 %, on the worse side: a law that is wrong by its margin or more can only be supported, in two one-sided
  tests at 1 %, if the true mean is rejected on that side. So this is an upper bound for every wrong law and every margin.

How often it is rejected at 1e-6 is measured for laws that can be tilted: values are drawn from a law of the same family
with another mean, at which such an accident is common, and each study has its likelihood ratio as its weight.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from asymp.montecarlo.calibrate.studies import rows_of, table_lines
from asymp.montecarlo.draws import derive_seed
from asymp.montecarlo.estimate import Estimate, intervals_of
from asymp.montecarlo.intervals import student_interval
from asymp.montecarlo.tails import means_rejected

COLUMNS = "name declared replicas studies refused:.3f at_1e2:.1e at_1e3:.1e at_1e6:.1e wrong:.1e width:.2f student_1e3:.1e missed"
SIDES = {"wrong": 1e-2, "at_1e2": 5e-3, "at_1e3": 5e-4}  # levels of one-sided tests
RARE = 5e-7
INTERVALS = 100  # the studies of a cell whose intervals are computed
MOST_VALUES = 2**26  # in the studies of a cell
LOT = 100  # studies that are computed together

Draw = Callable[[np.random.Generator, tuple[int, int]], np.ndarray]
Tilted = Callable[[np.random.Generator, tuple[int, int], float], tuple[np.ndarray, np.ndarray]]
"""Rows of values and the logarithms of their likelihood ratios, tilted by so many standard errors of the mean."""


@dataclass(frozen=True)
class TailLaw:
    """A law of unbounded values: its mean, its kurtosis (infinite if it has none), and how it can be tilted."""

    name: str
    draw: Draw
    mean: float
    kurtosis: float
    tilted: Tilted | None = None


@dataclass(frozen=True)
class TailCell:
    """A law, the number of values, and the kurtosis that is declared, if any is."""

    law: TailLaw
    replicas: int
    declared: float | None

    @property
    def promised(self) -> bool:
        """Whether the interval promises anything of this law: the declaration is right, or there is none."""
        return self.declared is None or self.declared >= self.law.kurtosis


@dataclass(frozen=True)
class TailRow:
    """What was measured in one cell.

    `refused`: the share of studies without a finite interval at 98 % that something is judged by. `at_1e2`, `at_1e3`, `at_1e6`:
    how often the true mean is rejected at these budgets (NaN: not measured). `wrong`: how often a wrong law can be supported,
    at most. `width`: the median width over that of Student's interval, at 1 - 1e-3, where finite. `student_1e3`: how often
    Student's leaves the mean out.
    """

    name: str
    replicas: int
    declared: str
    studies: int
    refused: float
    at_1e2: float
    at_1e3: float
    at_1e6: float
    wrong: float
    width: float
    student_1e3: float
    promised: bool

    @property
    def missed(self) -> str:
        """Empty if each rate is at most its promise and four binomial standard errors; "no promise" for a false declaration."""
        if not self.promised:
            return "no promise"
        rates = ((self.at_1e2, 1e-2), (self.at_1e3, 1e-3), (self.wrong, 1e-2))
        kept = all(rate <= most + 4 * math.sqrt(most / self.studies) for rate, most in rates)
        return "" if kept and not self.at_1e6 > 2e-6 else "MISSED"


def _normal_power(power: int, kurtosis: float) -> TailLaw:
    moments = {1: 0.0, 2: 1.0, 3: 0.0, 4: 3.0}
    if power == 1:
        return TailLaw("z", lambda rng, shape: rng.standard_normal(shape), 0.0, 3.0, tilted=_shifted)
    tilted = _gamma(0.5, 2.0) if power == 2 else None
    name = f"z^{power}"
    return TailLaw(
        name, lambda rng, shape: rng.standard_normal(shape) ** power, moments[power], kurtosis, tilted=tilted
    )


def _shifted(rng: np.random.Generator, shape: tuple[int, int], tilt: float) -> tuple[np.ndarray, np.ndarray]:
    shift = tilt / math.sqrt(shape[1])
    x = rng.standard_normal(shape) + shift
    return x, (shift**2 / 2 - shift * x).sum(axis=1)


def _gamma(power: float, scale: float) -> Tilted:
    """Gamma values, tilted by another scale."""

    def draw(rng: np.random.Generator, shape: tuple[int, int], tilt: float) -> tuple[np.ndarray, np.ndarray]:
        factor = math.exp(tilt / math.sqrt(power * shape[1]))  # of the mean; its standard error is mean/sqrt(power n)
        x = rng.gamma(power, scale * factor, shape)
        return x, shape[1] * power * math.log(factor) - (x / scale * (1 - 1 / factor)).sum(axis=1)

    return draw


def exponential() -> TailLaw:
    """Exponential values."""
    return TailLaw("exponential", lambda rng, shape: rng.exponential(size=shape), 1.0, 9.0, tilted=_gamma(1, 1))


def lognormal(sigma: float) -> TailLaw:
    """Lognormal values with the mean 1."""
    w = math.exp(sigma**2)
    kurtosis = w**4 + 2 * w**3 + 3 * w**2 - 3

    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
        return np.exp(sigma * rng.standard_normal(shape) - sigma**2 / 2)

    return TailLaw(f"lognormal {sigma:g}", draw, 1.0, kurtosis)


def pareto(index: float) -> TailLaw:
    """Pareto values of at least 1."""

    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
        return np.asarray((1 - rng.random(shape)) ** (-1 / index))

    return TailLaw(f"Pareto {index:g}", draw, index / (index - 1), math.inf)


def spikes(p: float, bulk: float) -> TailLaw:
    """Half of the mean of 1 in spikes of probability p, the other in a normal bulk; or, with bulk 0, all of it in spikes."""
    spike, noise = (1 - bulk) / p, 0.1 * bulk
    # fourth central moment of a mixture of two normal laws with the same variance, about the common mean
    above, below = spike * (1 - p), spike * p
    variance = p * (1 - p) * spike**2 + noise**2
    fourth = sum(w * (d**4 + 6 * d**2 * noise**2 + 3 * noise**4) for w, d in ((p, above), (1 - p, below)))

    def values(rng: np.random.Generator, hit: np.ndarray) -> np.ndarray:
        rest = bulk + noise * rng.standard_normal(hit.shape) if bulk else 0.0
        return np.asarray(rest + spike * hit)

    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
        return values(rng, rng.random(shape) < p)

    def tilted(rng: np.random.Generator, shape: tuple[int, int], tilt: float) -> tuple[np.ndarray, np.ndarray]:
        other = min(0.5, p * math.exp(tilt / math.sqrt(p * shape[1])))
        hit = rng.random(shape) < other
        log = np.where(hit, math.log(p / other), math.log1p(-p) - math.log1p(-other))
        return values(rng, hit), log.sum(axis=1)

    name = f"bulk and spikes, {p:g}" if bulk else f"spikes, {p:g}"
    return TailLaw(name, draw, 1.0, fourth / variance**2, tilted=tilted)


def _zero_inflated(share: float) -> TailLaw:
    """Exponential values, but for zeros with probability 1 - share."""
    q = share
    variance, fourth = 2 * q - q**2, 24 * q - 24 * q**2 + 12 * q**3 - 3 * q**4

    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
        return np.where(rng.random(shape) < q, rng.exponential(size=shape), 0.0)

    return TailLaw(f"zero but for {q:g}", draw, q, fourth / variance**2)


def tail_cells() -> tuple[TailCell, ...]:
    """The cells, fixed in advance."""
    z, square, cube, fourth = (_normal_power(k, K) for k, K in ((1, 3.0), (2, 15.0), (3, 46.2), (4, 207.0)))
    products = TailLaw(
        "(z z')^2", lambda rng, shape: (rng.standard_normal(shape) * rng.standard_normal(shape)) ** 2, 1.0, 159.0
    )
    zeros = TailLaw("zeros, mean 1 by 1e-9", lambda rng, shape: np.zeros(shape), 1.0, 1e9)
    declared = (
        (z, (64, 512, 4096)),
        (square, (64, 512, 4096, 65536)),
        (cube, (512, 4096)),
        (fourth, (512, 4096, 65536)),
        (products, (512, 4096, 65536)),
        (exponential(), (64, 512, 4096)),
        (lognormal(0.5), (512, 4096)),
        (lognormal(1), (512, 4096, 65536)),
        (lognormal(2), (65536,)),
        (lognormal(3), (4096, 65536)),
        (_zero_inflated(0.1), (512, 4096)),
        (spikes(1e-2, 0), (512, 4096, 65536)),
        (spikes(1e-2, 0.5), (512, 4096)),
        (spikes(1e-3, 0.5), (4096, 65536)),
        (spikes(1e-4, 0), (512, 65536)),
        (spikes(1e-4, 0.5), (512, 65536)),
    )
    cells = [TailCell(law, n, law.kurtosis) for law, sizes in declared for n in sizes]
    cells.append(TailCell(zeros, 65536, 100.0))
    false = (lognormal(2), lognormal(3), pareto(1.2), pareto(1.5), pareto(2.5), spikes(1e-4, 0.5))
    cells += [TailCell(law, n, 100.0) for law in false for n in (4096, 65536)]
    undeclared = (fourth, lognormal(3), pareto(1.2), pareto(1.5), _zero_inflated(0.1), spikes(1e-4, 0.5), zeros)
    cells += [TailCell(law, n, None) for law in undeclared for n in (64, 65536)]
    return tuple(cells)


def tails_table(studies: int = 600, seed: int = 0, *, workers: int = 1) -> list[TailRow]:
    """The rates of every cell from twenty times `studies` fresh samples each, or as many as have 2^26 values."""
    return rows_of(_row, range(len(tail_cells())), studies=studies, seed=seed, workers=workers)


def _row(place: int, studies: int, seed: int) -> TailRow:
    """The row of a cell by its place: a cell holds a function, which does not travel between processes."""
    cell = tail_cells()[place]
    law, n = cell.law, cell.replicas
    rng = np.random.default_rng(derive_seed("calibrate-tails", law.name, n, str(cell.declared), seed))
    count = max(1, min(20 * studies, MOST_VALUES // n))
    rejected = {name: np.zeros(2) for name in SIDES}  # below the mean, above it
    left_out, infinite, widths = 0, [], []
    for start in range(0, count, LOT):
        samples = law.draw(rng, (min(LOT, count - start), n))
        studied = [Estimate(x, kurtosis=cell.declared) for x in samples]
        for name, alpha in SIDES.items():
            rejected[name] += _rejected(studied, law.mean, alpha).sum(axis=1)
        usual = np.array([student_interval(x, level=0.999) for x in samples])
        left_out += int(np.sum((usual[:, 0] > law.mean) | (usual[:, 1] < law.mean)))
        if start < INTERVALS:
            support, narrow = (np.array(ends) for ends in intervals_of(studied, 0.98, 0.999))
            judged = cell.declared is not None  # else the interval is Student's, for orientation
            infinite += list(~(judged & np.isfinite(support).all(axis=1)))
            finite = judged & np.isfinite(narrow).all(axis=1)
            widths += list(np.ptp(narrow[finite], axis=1) / np.ptp(usual[finite], axis=1))
    return TailRow(
        name=law.name,
        replicas=n,
        declared="none" if cell.declared is None else f"{cell.declared:.3g}",
        studies=count,
        refused=float(np.mean(infinite)),
        at_1e2=float(rejected["at_1e2"].sum() / count),
        at_1e3=float(rejected["at_1e3"].sum() / count),
        at_1e6=_rarely_rejected(cell, count, rng),
        wrong=float(rejected["wrong"].max() / count),
        width=float(np.median(widths)) if widths else math.nan,
        student_1e3=left_out / count,
        promised=cell.promised,
    )


def _rejected(studies: Sequence[Estimate], mean: float, alpha: float) -> np.ndarray:
    """Whether the test of the mean rejects it: for being too low, and for being too high, one-sided at alpha."""
    found = np.zeros((2, len(studies)), dtype=bool)
    told = [(i, study.bets) for i, study in enumerate(studies) if study.bets is not None]
    if not told:
        return found
    which = [i for i, _ in told]
    bets = [bet for _, bet in told]
    rows = np.array([bet.x for bet in bets])
    means = np.array([[(mean - bet.origin) / bet.width] for bet in bets])
    goals, kurtosis = np.full(len(bets), math.log(alpha)), np.array([bet.kurtosis for bet in bets])
    found[0, which] = means_rejected(rows, means, goals, kurtosis)[:, 0]
    found[1, which] = means_rejected(-rows, -means, goals, kurtosis)[:, 0]
    return found


def _rarely_rejected(cell: TailCell, studies: int, rng: np.random.Generator) -> float:
    """The probability that the mean is rejected at 1e-6, either side by tilted samples; NaN if it cannot be measured."""
    law, n = cell.law, cell.replicas
    if law.tilted is None or cell.declared is None or not cell.promised or n > 2**13 or studies < LOT:
        return math.nan
    total = 0.0
    for side, tilt in enumerate((5.0, -5.0)):
        for _ in range(studies // LOT):
            samples, logs = law.tilted(rng, (LOT, n), tilt)
            out = _rejected([Estimate(x, kurtosis=cell.declared) for x in samples], law.mean, RARE)[side]
            total += float(np.sum(np.exp(logs[out])))
    return total / (studies // LOT * LOT)


def tails_text(rows: Sequence[TailRow]) -> str:
    """The table as text; last the cell of a right declaration in which a true mean was most often refuted at 1e-3."""
    worst = max((row for row in rows if row.promised), key=lambda row: row.at_1e3)
    last = f"worst cell: {worst.name}, {worst.replicas} replicas: the mean refuted in {worst.at_1e3:.2g} of studies at 1e-3"
    return "\n".join([*table_lines(COLUMNS, rows), last])
