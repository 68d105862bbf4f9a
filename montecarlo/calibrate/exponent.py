"""Does `fit_exponent` keep its word? Synthetic studies with known exponents, in cells fixed in advance.

A cell is a truth (pure, corrected, with a floor, with a logarithm, or drawn at random for each study), a design (sizes)
and a noise (coefficient of variation and replicas of skewed values, or counts). In each the interval's coverage, its
width over that of an oracle who knows a pure power when it is one, and the statuses are measured, and held against what
must be reached. Corrections are stated at the smallest size, so that the declared class is filled to its corners.
"""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from asymp.montecarlo.calibrate.studies import rows_of, summarised, table_lines
from asymp.montecarlo.draws import derive_seed
from asymp.montecarlo.exponent.data import Array
from asymp.montecarlo.exponent.fit import fit_exponent
from asymp.montecarlo.exponent.plan import expected_width, least_width, oracle_width

Truth = tuple[str | float, ...]
SUMMARY = "figure value:.3f must:g aim:g reached cell"
COLUMNS = (
    "name coverage:.3f coverage_98:.3f coverage_99:.3f coverage_999:.3f width:.2f expected:.2f least:.2f error:.2f "
    "wrong:.3f called"
)
OK = ("power", "corrected", "floor", "log", "shifted")
# A look of sixteen has the levels 1 - 0.02/16 (support) and 1 - budget/16 (refutation), between or beyond these.
BESIDE = {"coverage_98": 0.98, "coverage_99": 0.99, "coverage_999": 0.999}
START = 0.3  # probability of an error at the smallest size, for counts
SIZES = tuple(float(v) for v in np.geomspace(10, 2000, 10))  # 2.3 decades


@dataclass(frozen=True)
class Cell:
    """One kind of study: its truth, sizes and noise.

    truth is ("power", b), ("corrected", b, kappa, w), ("floor", b, eta), ("log", b, p) or ("random",); eta is the
    log of floor over signal at the largest size. `shared` is the correlation between the sizes of paired replicas; with
    `trials` the data are binomial counts of so many trials.
    """

    truth: Truth
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
    truths: list[Truth] = [("power", -0.5)]
    truths += [("corrected", -0.5, k, w) for k in (-0.5, -0.3, -0.1, 0.1, 0.3, 1.0, 3.0) for w in (0.3, 0.5, 1.0)]
    truths += [("floor", b, eta) for b in (-0.5, -1.0) for eta in (-2.3, -1.0, 0.0, 1.0)]
    truths += [("log", -0.5, p) for p in (-1.0, -0.5, 0.5, 1.0)]
    truths += [("random",)]
    cells = [Cell(truth, cv, n) for cv, n in ((0.1, 100), (0.2, 80), (0.3, 60)) for truth in truths]
    # Other designs: the corners again where data are precise, few, skewed, wide, paired or rare counts.
    hard: list[Truth] = [("power", -0.5), ("corrected", -0.5, -0.5, 0.3), ("corrected", -0.5, 3.0, 0.5)]
    hard += [("corrected", -0.5, 0.3, 0.3), ("log", -0.5, -1.0), ("log", -0.5, 1.0), ("floor", -0.5, 0.0)]
    wide = tuple(float(v) for v in np.geomspace(10, 10000, 7))
    long = tuple(float(v) for v in np.geomspace(16, 65536, 13))
    designs = [
        partial(Cell, cv=0.02, replicas=100),
        partial(Cell, cv=0.2, replicas=8),
        partial(Cell, cv=1.0, replicas=100),
        partial(Cell, cv=0.2, replicas=80, sizes=wide),
        partial(Cell, cv=0.3, replicas=1000, sizes=long),
        partial(Cell, cv=0.2, replicas=80, shared=0.7),
        partial(Cell, cv=1.0, replicas=1, trials=4000),
        partial(Cell, cv=1.0, replicas=1, trials=200),
    ]
    cells += [design(truth) for truth in hard for design in designs]
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
    coverage_98: float
    coverage_99: float
    coverage_999: float
    width: float
    least: float
    expected: float
    statuses: dict[str, float]
    wrong: float
    error: float
    milliseconds: float

    @property
    def name(self) -> str:
        """The cell's name."""
        return self.cell.name

    @property
    def called(self) -> str:
        """The statuses with their shares, the most frequent first."""
        return ", ".join(f"{name} {share:.2f}" for name, share in sorted(self.statuses.items(), key=lambda v: -v[1]))


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
        lines = [
            f"exponents: {len(self.rows)} cells of {self.studies} studies, seed {self.seed}",
            "",
            *table_lines(SUMMARY, self.figures),
        ]
        return "\n".join([*lines, "", *table_lines(COLUMNS, self.rows)])


def exponent_table(
    *,
    studies: int = 600,
    seed: int = 0,
    cells: Sequence[Cell] | None = None,
    level: float = 0.95,
    workers: int = 1,
) -> ExponentTable:
    """Run `studies` synthetic studies in each cell (default: all of CELLS, about 10 minutes on two idle cores)."""
    chosen = CELLS if cells is None else tuple(cells)
    job = partial(_run, level=level)
    rows = tuple(rows_of(job, chosen, studies=studies, seed=seed, workers=workers))
    return ExponentTable(rows=rows, figures=_figures(rows), studies=studies, seed=seed)


def _truth(truth: Truth, t: Array, rng: np.random.Generator) -> tuple[float, Array]:
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


def _run(cell: Cell, studies: int, seed: int, *, level: float) -> CellRow:
    rng = np.random.default_rng(derive_seed("calibrate-exponent", seed, cell.name))
    found = []
    statuses: Counter[str] = Counter()
    noise = _noise(cell)
    oracle = oracle_width(cell.sizes, *noise, level)
    for _ in range(studies):
        b, samples = _study(cell, rng)
        start = time.process_time()
        fit = fit_exponent(cell.sizes, samples, paired=cell.shared > 0)
        (low, high), point = fit.interval(level), fit.exponent
        seconds = time.process_time() - start
        inside = float(low <= b <= high)
        figures = {"coverage": inside}
        for name, at in BESIDE.items():
            ends = fit.interval(at)
            figures[name] = float(ends[0] <= b <= ends[1])
        figures |= {"wrong": float(fit.status in OK) * (1 - inside), "milliseconds": 1e3 * seconds}
        found.append({**figures, "width": high - low, "error": abs(point - b)})
        statuses[fit.status] += 1
    row = summarised(found, "coverage", *BESIDE, "wrong")
    row |= {name: row[name] / oracle for name in ("width", "error")}
    pure = cell.truth[0] == "power" and not cell.trials
    return CellRow(
        cell=cell,
        studies=studies,
        least=least_width(cell.sizes, *noise, level) / oracle if pure else 0.0,
        expected=expected_width(cell.sizes, *noise, level) / oracle if pure else 0.0,
        statuses={name: number / studies for name, number in statuses.items()},
        **row,
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
