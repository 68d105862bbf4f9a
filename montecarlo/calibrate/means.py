"""Calibration of the intervals of means: do they cover as often as they say, and how wide are they?

Bounded values are here, unbounded ones in `unbounded`; `means_table` has the rows of both.

The cells are fixed; a study is a fresh sample from a law whose mean is known, and its interval. The reference width is
Clopper and Pearson's on the same sample for Bernoulli values, and the normal width at the true spread otherwise. Beside
it stands the floor, the width below which no interval valid for every law on [0, 1] can go (`intervals.floor_width`).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
from scipy import special

from asymp.montecarlo.calibrate.studies import rows_of, summarised, table_lines
from asymp.montecarlo.calibrate.unbounded import TailRow, tails_table, tails_text
from asymp.montecarlo.draws import derive_seed
from asymp.montecarlo.estimate import Estimate
from asymp.montecarlo.intervals import clopper_pearson, floor_width

COLUMNS = "name replicas:.0f level:g coverage:.4f coverage_error:.4f width:.3g reference:.3g compared ratio:.2f floor:.3g missed"
Draw = Callable[[np.random.Generator, int], np.ndarray]


@dataclass(frozen=True)
class MeanLaw:
    """A law on [0, 1] with its mean and standard deviation; `binary`: its values are 0 and 1."""

    name: str
    draw: Draw
    mean: float
    sd: float
    binary: bool = False


@dataclass(frozen=True)
class MeanCell:
    """A law, the number of values, and how the sampling stops."""

    law: MeanLaw
    replicas: int
    rel_error: float | None = None
    level: float = 0.95

    @property
    def name(self) -> str:
        return self.law.name + (f", stop at {self.rel_error:g}" if self.rel_error else "")


@dataclass(frozen=True)
class MeanRow:
    """One cell's coverage, its Monte Carlo error, and its widths; `replicas` is the median number of values used."""

    name: str
    replicas: float
    level: float
    studies: float
    coverage: float
    coverage_error: float
    width: float
    reference: float
    floor: float
    binary: bool

    @property
    def ratio(self) -> float:
        """The median width over the reference's."""
        return self.width / self.reference

    @property
    def missed(self) -> str:
        """Empty if coverage is at least the level less three Monte Carlo errors and width 1.5 Clopper-Pearson's at most."""
        covered = self.coverage >= self.level - 3 * self.coverage_error
        return "" if covered and (not self.binary or self.ratio <= 1.5) else "MISSED"

    @property
    def compared(self) -> str:
        """What the width is compared with: Clopper and Pearson's interval, or the normal one at the true spread."""
        return "CP" if self.binary else "z"


def _bernoulli(p: float) -> MeanLaw:
    sd = math.sqrt(p * (1 - p))
    return MeanLaw(f"Bernoulli {p:g}", lambda rng, n: (rng.random(n) < p).astype(np.float64), p, sd, binary=True)


def _beta(a: float, b: float) -> MeanLaw:
    sd = math.sqrt(a * b / (a + b + 1)) / (a + b)
    return MeanLaw(f"Beta({a:g}, {b:g})", lambda rng, n: rng.beta(a, b, n), a / (a + b), sd)


def _spikes(p: float, size: float) -> MeanLaw:
    """Uniform on [0, 0.02], but for spikes of a given size with probability p."""
    mean = p * size + (1 - p) * 0.01
    square = p * size**2 + (1 - p) * 0.02**2 / 3
    return MeanLaw(
        f"spikes of {size:g}, {p:g}",
        lambda rng, n: np.where(rng.random(n) < p, size, 0.02 * rng.random(n)),
        mean,
        math.sqrt(square - mean**2),
    )


def mean_cells() -> tuple[MeanCell, ...]:
    """The cells, fixed in advance."""
    stopped = ((0.001, 20000, 0.5), (0.01, 20000, 0.2), (0.1, 20000, 0.1), (0.5, 20000, 0.1), (0.5, 1000, 0.3))
    skewed, flat, narrow, rare = _beta(0.5, 20), _beta(1, 1), _beta(600, 1400), _spikes(0.005, 1.0)
    cells = [MeanCell(_bernoulli(p), n) for p in (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 0.5) for n in (100, 1000)]
    cells += [MeanCell(_bernoulli(p), n, rel_error=r) for p, n, r in stopped]
    cells += [MeanCell(skewed, n) for n in (30, 100, 1000)]
    cells += [MeanCell(skewed, 4000, rel_error=0.1), MeanCell(skewed, 1000, level=0.99)]
    cells += [MeanCell(flat, 100), MeanCell(flat, 1000), MeanCell(narrow, 300), MeanCell(narrow, 4000)]
    cells += [MeanCell(rare, 100), MeanCell(rare, 1000), MeanCell(_spikes(0.02, 0.5), 1000)]
    cells += [MeanCell(rare, 8000, rel_error=0.3)]
    return tuple(cells)


def means_table(studies: int = 600, seed: int = 0, *, workers: int = 1) -> list[MeanRow | TailRow]:
    """The rows of bounded values, then those of unbounded ones."""
    return [
        *bounded_table(studies, seed, workers=workers),
        *tails_table(studies, seed, workers=workers),
    ]


def bounded_table(studies: int = 600, seed: int = 0, *, workers: int = 1) -> list[MeanRow]:
    """Coverage and width of every cell from `studies` fresh samples each."""
    return rows_of(_row, range(len(mean_cells())), studies=studies, seed=seed, workers=workers)


def _row(place: int, studies: int, seed: int) -> MeanRow:
    """The row of a cell by its place: a cell holds a function, which does not travel between processes."""
    cell = mean_cells()[place]
    rng = np.random.default_rng(derive_seed("calibrate-means", cell.name, cell.replicas, cell.level, seed))
    found, tail = [], -float(special.ndtri((1 - cell.level) / 2))
    for _ in range(studies):
        if cell.rel_error is None:
            estimate = Estimate(cell.law.draw(rng, cell.replicas), bounds=(0.0, 1.0))
        else:
            blocks = (cell.law.draw(rng, 64) for _ in count())
            estimate = Estimate.until(blocks, rel_error=cell.rel_error, replicas=cell.replicas, bounds=(0.0, 1.0))
        low, high = estimate.interval(cell.level)
        n = estimate.replicas
        reference = 2 * tail * cell.law.sd / math.sqrt(n)
        if cell.law.binary:
            exact = clopper_pearson(round(estimate.mean * n), n, level=cell.level)
            reference = exact[1] - exact[0]
        covered = float(low <= cell.law.mean <= high)
        found.append({"coverage": covered, "width": high - low, "reference": reference, "replicas": n})
    figures = summarised(found, "coverage")
    figures["replicas"] = int(figures["replicas"])
    error = math.sqrt(cell.level * (1 - cell.level) / studies)
    floor = floor_width(int(figures["replicas"]), level=cell.level)
    known = {"level": cell.level, "studies": studies, "coverage_error": error, "floor": floor}
    return MeanRow(name=cell.name, binary=cell.law.binary, **known, **figures)


def means_text(rows: Sequence[MeanRow | TailRow]) -> str:
    """The tables as text, each with its worst cell last."""
    bounded = [row for row in rows if isinstance(row, MeanRow)]
    unbounded = [row for row in rows if isinstance(row, TailRow)]
    lines = []
    if bounded:
        worst = min(bounded, key=lambda row: (row.coverage - row.level) / row.coverage_error)
        last = f"worst cell: {worst.name}, {worst.replicas} replicas: {worst.coverage:.4f} at level {worst.level:g}"
        lines += [*table_lines(COLUMNS, bounded), last]
    if unbounded:
        lines += ["", tails_text(unbounded)] if lines else [tails_text(unbounded)]
    return "\n".join(lines)
