"""Does `fit_exponent` keep its word? Synthetic studies with known exponents, in cells fixed in advance.

A cell is a truth (pure, corrected, with a floor, with a logarithm, or drawn at random for each study), a design (sizes)
and a noise (coefficient of variation and replicas of skewed values, or counts). In each the interval's coverage, its
width over that of an oracle who knows a pure power when it is one, and the statuses are measured, and held against what
must be reached. Corrections are stated at the smallest size, so that the declared class is filled to its corners.
Seeds come from the seed and the cell's name: a cell's figures do not depend on which others are run.
"""

import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context

import numpy as np

from asymp.montecarlo.blocks import derive_seed
from asymp.montecarlo.exponent.fit import fit_exponent
from asymp.montecarlo.exponent.likelihood import Array
from asymp.montecarlo.exponent.plan import expected_width, least_width, oracle_width

__all__ = ["CELLS", "Cell", "CellRow", "ExponentTable", "Figure", "exponent_table"]

HEAD = ("cover", "at .99", "width", "plan", "least", "error", "wrong")
OK = ("power", "corrected", "floor", "log")
START = 0.3  # probability of an error at the smallest size, for counts
SIZES = tuple(float(v) for v in np.geomspace(10, 2000, 10))  # 2.3 decades


@dataclass(frozen=True)
class Cell:
    """One kind of study: its truth, sizes and noise.

    truth is ("power", b), ("corrected", b, kappa, w), ("floor", b, eta), ("log", b, p) or ("random",); eta is the
    log of floor over signal at the largest size. `shared` is the correlation between the sizes of paired replicas; with
    `trials` the data are binomial counts of so many trials.
    """

    truth: tuple[str | float, ...]
    cv: float
    replicas: int
    sizes: tuple[float, ...] = SIZES
    shared: float = 0.0
    trials: int = 0

    @property
    def name(self) -> str:
        what = " ".join(v if isinstance(v, str) else f"{v:g}" for v in self.truth)
        noise = f"counts {self.trials}" if self.trials else f"cv {self.cv:g} n {self.replicas}"
        paired = f" paired {self.shared:g}" if self.shared else ""
        span = "" if self.sizes == SIZES else f" {len(self.sizes)} sizes {self.sizes[0]:g}..{self.sizes[-1]:g}"
        return f"{what} | {noise}{paired}{span}"


def _cells() -> tuple[Cell, ...]:
    truths: list[tuple[str | float, ...]] = [("power", -0.5)]
    truths += [("corrected", -0.5, k, w) for k in (-0.5, -0.3, -0.1, 0.1, 0.3, 1.0, 3.0) for w in (0.3, 0.5, 1.0)]
    truths += [("floor", b, eta) for b in (-0.5, -1.0) for eta in (-2.3, -1.0, 0.0, 1.0)]
    truths += [("log", -0.5, p) for p in (-1.0, -0.5, 0.5, 1.0)]
    truths += [("random",)]
    cells = [Cell(truth, cv, n) for cv, n in ((0.1, 100), (0.2, 80), (0.3, 60)) for truth in truths]
    # Other designs: the corners again where data are precise, few, skewed, wide, paired or rare counts.
    hard: list[tuple[str | float, ...]] = [
        ("power", -0.5),
        ("corrected", -0.5, -0.5, 0.3),
        ("corrected", -0.5, 3.0, 0.5),
    ]
    hard += [("corrected", -0.5, 0.3, 0.3), ("log", -0.5, -1.0), ("log", -0.5, 1.0), ("floor", -0.5, 0.0)]
    wide = tuple(float(v) for v in np.geomspace(10, 10000, 7))
    long = tuple(float(v) for v in np.geomspace(16, 65536, 13))
    for truth in hard:
        cells.append(Cell(truth, 0.02, 100))
        cells.append(Cell(truth, 0.2, 8))
        cells.append(Cell(truth, 1.0, 100))
        cells.append(Cell(truth, 0.2, 80, sizes=wide))
        cells.append(Cell(truth, 0.3, 1000, sizes=long))
        cells.append(Cell(truth, 0.2, 80, shared=0.7))
        cells.append(Cell(truth, 1.0, 1, trials=4000))
        cells.append(Cell(truth, 1.0, 1, trials=200))
    return tuple(cells)


CELLS = _cells()


@dataclass(frozen=True)
class CellRow:
    """Figures of one cell.

    Widths are medians over the oracle's width; `least` is Pratt's bound on the mean and `expected` what the plan said
    (pure powers of values; else 0). `error` is the point's median error over the oracle's width, `wrong` the share of
    studies whose status names a law and whose interval misses.
    """

    cell: Cell
    studies: int
    coverage: float
    coverage_99: float
    width: float
    least: float
    expected: float
    statuses: dict[str, float]
    wrong: float
    error: float
    milliseconds: float
    must: float = 0.93
    aim: float = 0.945


@dataclass(frozen=True)
class Figure:
    """One line of the summary: the worst value over its cells, and whether it reaches what it must, what it should."""

    figure: str
    value: float
    cell: str
    must: float
    aim: float
    more_is_better: bool

    @property
    def reached(self) -> str:
        """aim, must or MISSED."""
        sign = 1 if self.more_is_better else -1
        if sign * self.value >= sign * self.aim:
            return "aim"
        return "must" if sign * self.value >= sign * self.must else "MISSED"


@dataclass(frozen=True)
class ExponentTable:
    """The calibration's cells and its summary; str() prints both."""

    rows: tuple[CellRow, ...]
    figures: tuple[Figure, ...]
    studies: int
    seed: int

    def __str__(self) -> str:
        lines = [f"exponents: {len(self.rows)} cells of {self.studies} studies, seed {self.seed}", ""]
        lines.append(f"{'figure':66} {'worst':>7} {'must':>6} {'aim':>6}  reached  worst cell")
        for f in self.figures:
            lines.append(f"{f.figure:66} {f.value:7.3f} {f.must:6g} {f.aim:6g}  {f.reached:7}  {f.cell}")
        lines += [
            "",
            f"{'cell':56}" + "".join(f" {name:>6}" for name in HEAD) + "  statuses",
        ]
        for r in self.rows:
            words = ", ".join(f"{name} {share:.2f}" for name, share in sorted(r.statuses.items(), key=lambda v: -v[1]))
            plan, least = (f"{v:6.2f}" if v > 0 else "     -" for v in (r.expected, r.least))
            lines.append(
                f"{r.cell.name:56} {r.coverage:6.3f} {r.coverage_99:6.3f} {r.width:6.2f} {plan} {least} {r.error:6.2f} "
                f"{r.wrong:6.3f}  {words}"
            )
        return "\n".join(lines)


def exponent_table(
    *,
    studies: int = 600,
    seed: int = 0,
    cells: Sequence[Cell] | None = None,
    level: float = 0.95,
    workers: int = 1,
) -> ExponentTable:
    """Run `studies` synthetic studies in each cell (default: all of CELLS, about 10 minutes on two idle cores)."""
    for name, value in (("studies", studies), ("workers", workers)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ValueError(f"{name} must be an integer >= 1; got {value!r}")
    chosen = CELLS if cells is None else tuple(cells)
    job = partial(_run, studies=studies, seed=seed, level=level)
    if workers == 1:
        rows = tuple(job(cell) for cell in chosen)
    else:
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            rows = tuple(pool.map(job, chosen))
    return ExponentTable(rows=rows, figures=_figures(rows), studies=studies, seed=seed)


def _truth(truth: tuple[str | float, ...], t: Array, rng: np.random.Generator) -> tuple[float, Array]:
    """The exponent and the log of the law at log-sizes t, zero at the smallest size."""
    kind, *numbers = truth
    if kind == "random":
        b = rng.uniform(-1.5, -0.2)
        kind = str(rng.choice(["power", "corrected", "floor", "log"]))
        drawn = {
            "power": [b],
            "corrected": [b, np.expm1(rng.uniform(np.log(0.5), np.log(4))), rng.uniform(0.3, 1)],
            "floor": [b, rng.uniform(-3, 1.5)],
            "log": [b, rng.uniform(-1, 1)],
        }
        numbers = list(drawn[kind])
    b, *rest = (float(v) for v in numbers)
    law = b * t
    if kind == "corrected":
        law = law + np.log1p(rest[0] * np.exp(-rest[1] * (t - t[0])))
    elif kind == "floor":
        law = np.logaddexp(law, rest[0] + law[-1])
    elif kind == "log":
        law = law + rest[0] * np.log(t)
    return b, law - law[0]


def _study(cell: Cell, rng: np.random.Generator) -> tuple[float, list[Array]]:
    """The true exponent and the data of one study: gamma values, skewed like errors, or 0-1 counts."""
    t = np.log(np.array(cell.sizes))
    b, law = _truth(cell.truth, t, rng)
    k, n = len(t), cell.replicas
    if cell.trials:
        errors = rng.binomial(cell.trials, START * np.exp(law))
        return b, [np.repeat([1.0, 0.0], [y, cell.trials - y]) for y in errors]
    shape = 1 / cell.cv**2
    if not cell.shared:
        return b, list((rng.gamma(shape, 1 / shape, size=(n, k)) * np.exp(law)).T)
    # A shared gamma summand: correlation `shared`, coefficient of variation as declared.
    common = rng.gamma(cell.shared * shape, 1 / shape, size=(n, 1))
    return b, list(((common + rng.gamma((1 - cell.shared) * shape, 1 / shape, size=(n, k))) * np.exp(law)).T)


def _run(cell: Cell, studies: int, seed: int, level: float) -> CellRow:
    rng = np.random.default_rng(derive_seed("calibrate-exponent", seed, cell.name))
    covered, covered_99, wrong = 0, 0, 0
    widths, errors, times = [], [], []
    statuses: Counter[str] = Counter()
    for _ in range(studies):
        b, samples = _study(cell, rng)
        start = time.process_time()
        fit = fit_exponent(cell.sizes, samples, paired=cell.shared > 0)
        low, high = fit.interval(level)
        point = fit.exponent
        times.append(time.process_time() - start)
        wide = fit.interval(0.99)
        inside = low <= b <= high
        covered += inside
        covered_99 += wide[0] <= b <= wide[1]
        wrong += fit.status in OK and not inside
        statuses[fit.status] += 1
        widths.append(high - low)
        errors.append(abs(point - b))
    noise = _noise(cell)
    oracle = oracle_width(cell.sizes, *noise, level)
    pure = cell.truth[0] == "power" and not cell.trials
    return CellRow(
        cell=cell,
        studies=studies,
        coverage=covered / studies,
        coverage_99=covered_99 / studies,
        width=float(np.median(widths)) / oracle,
        least=least_width(cell.sizes, *noise, level) / oracle if pure else 0.0,
        expected=expected_width(cell.sizes, *noise, level) / oracle if pure else 0.0,
        statuses={name: number / studies for name, number in statuses.items()},
        wrong=wrong / studies,
        error=float(np.median(errors)) / oracle,
        milliseconds=1e3 * float(np.median(times)),
    )


def _noise(cell: Cell) -> tuple[Array, int]:
    """Coefficient of variation at each size and replicas, as far as they bear on a slope: what is shared drops out."""
    t = np.log(np.array(cell.sizes))
    if not cell.trials:
        return np.full(len(t), cell.cv * np.sqrt(1 - cell.shared)), cell.replicas
    rate = START * np.exp(_truth(cell.truth, t, np.random.default_rng(0))[1])
    return np.sqrt((1 - rate) / rate), cell.trials


def _figures(rows: Sequence[CellRow]) -> tuple[Figure, ...]:
    """The summary: for each figure the worst of its cells."""
    main = [r for r in rows if r.cell.sizes == SIZES and not r.cell.trials and not r.cell.shared]
    # Widths and statuses are promised for the usual noise; coverage, and no wrong interval with a name, for every cell.
    usual = [r for r in main if 0.1 <= r.cell.cv <= 0.3 and r.cell.replicas >= 60]

    def share(row: CellRow, *names: str) -> float:
        return sum(row.statuses.get(name, 0.0) for name in names)

    def of(kind: str, where: Sequence[CellRow] = usual) -> list[CellRow]:
        return [r for r in where if r.cell.truth[0] == kind]

    fixed = [r for r in rows if r.cell.truth[0] != "random"]
    floors = [r for r in of("floor") if float(r.cell.truth[2]) >= 0]
    logs = [r for r in of("log") if abs(float(r.cell.truth[2])) == 1]
    wanted = [
        ("coverage, every cell", [(r.coverage, r) for r in fixed], 0.93, 0.945, True),
        ("coverage over random truths", [(r.coverage, r) for r in of("random")], 0.95, 0.97, True),
        ("coverage at 99 %, every cell", [(r.coverage_99, r) for r in rows], 0.98, 0.985, True),
        ("median width on pure powers over the oracle's", [(r.width, r) for r in of("power")], 6.2, 5.3, False),
        ("pure power called power", [(share(r, "power"), r) for r in of("power")], 0.88, 0.92, True),
        (
            "pure power called floor, log or misfit",
            [(share(r, "floor", "log", "misfit"), r) for r in of("power")],
            0.03,
            0.02,
            False,
        ),
        (
            "floor at least the signal: called floor, inconclusive or misfit",
            [(1 - share(r, "power", "corrected", "log"), r) for r in floors],
            0.97,
            0.99,
            True,
        ),
        (
            "logarithm p = +-1: called log, inconclusive or misfit",
            [(1 - share(r, "power", "corrected", "floor"), r) for r in logs],
            0.92,
            0.95,
            True,
        ),
        ("status ok and interval wrong, every cell", [(r.wrong, r) for r in fixed], 0.06, 0.05, False),
        ("milliseconds a fit with interval (CPU)", [(r.milliseconds, r) for r in usual], 50.0, 5.0, False),
    ]
    figures = []
    for name, values, must, aim, more in wanted:
        if values:
            value, row = (min if more else max)(values, key=lambda pair: pair[0])
            figures.append(Figure(name, value, row.cell.name, must, aim, more))
    return tuple(figures)
