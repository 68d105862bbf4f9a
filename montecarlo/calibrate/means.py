"""Calibration of the intervals of bounded means: do they cover as often as they say, and how wide are they?

The cells are fixed; a study is a fresh sample from a law whose mean is known, and its interval. The reference width is
Clopper and Pearson's on the same sample for Bernoulli values, and the normal width at the true spread otherwise. Beside
it stands the floor, the width below which no interval valid for every law on [0, 1] can go (`intervals.floor_width`).
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy import special

from asymp.montecarlo.blocks import derive_seed
from asymp.montecarlo.estimate import Estimate
from asymp.montecarlo.intervals import clopper_pearson, floor_width

__all__ = ["MeanRow", "means_table", "means_text"]

Draw = Callable[[np.random.Generator, int], np.ndarray]


@dataclass(frozen=True)
class MeanCell:
    """A law on [0, 1] with its mean and standard deviation, the number of values, and how the sampling stops."""

    name: str
    draw: Draw
    mean: float
    sd: float
    replicas: int
    rel_error: float | None = None
    level: float = 0.95
    binary: bool = False


@dataclass(frozen=True)
class MeanRow:
    """One cell's coverage, its Monte Carlo error, and its widths; `replicas` is the median number of values used."""

    name: str
    replicas: int
    level: float
    studies: int
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
    def ok(self) -> bool:
        """Coverage at least the level less three Monte Carlo errors; width at most 1.5 times Clopper-Pearson's."""
        covered = self.coverage >= self.level - 3 * self.coverage_error
        return covered and (not self.binary or self.ratio <= 1.5)


def _bernoulli(p: float, replicas: int, *, rel_error: float | None = None, level: float = 0.95) -> MeanCell:
    def draw(rng: np.random.Generator, n: int) -> np.ndarray:
        return (rng.random(n) < p).astype(np.float64)

    name = f"Bernoulli {p:g}" + (f", stop at {rel_error:g}" if rel_error else "")
    return MeanCell(name, draw, p, math.sqrt(p * (1 - p)), replicas, rel_error, level, binary=True)


def _beta(a: float, b: float, replicas: int, *, rel_error: float | None = None, level: float = 0.95) -> MeanCell:
    def draw(rng: np.random.Generator, n: int) -> np.ndarray:
        return rng.beta(a, b, n)

    name = f"Beta({a:g}, {b:g})" + (f", stop at {rel_error:g}" if rel_error else "")
    sd = math.sqrt(a * b / (a + b + 1)) / (a + b)
    return MeanCell(name, draw, a / (a + b), sd, replicas, rel_error, level)


def _spikes(p: float, size: float, replicas: int, *, rel_error: float | None = None) -> MeanCell:
    """Uniform on [0, 0.02], but for spikes of a given size with probability p."""

    def draw(rng: np.random.Generator, n: int) -> np.ndarray:
        return np.where(rng.random(n) < p, size, 0.02 * rng.random(n))

    mean = p * size + (1 - p) * 0.01
    square = p * size**2 + (1 - p) * 0.02**2 / 3
    name = f"spikes of {size:g}, {p:g}" + (f", stop at {rel_error:g}" if rel_error else "")
    return MeanCell(name, draw, mean, math.sqrt(square - mean**2), replicas, rel_error)


def mean_cells() -> tuple[MeanCell, ...]:
    """The cells, fixed in advance."""
    cells = [_bernoulli(p, n) for p in (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 0.5) for n in (100, 1000)]
    cells += [_bernoulli(p, n, rel_error=r) for p, n, r in _STOPPED]
    cells += [_beta(0.5, 20, n) for n in (30, 100, 1000)]
    cells += [_beta(0.5, 20, 4000, rel_error=0.1), _beta(0.5, 20, 1000, level=0.99)]
    cells += [_beta(1, 1, 100), _beta(1, 1, 1000), _beta(600, 1400, 300), _beta(600, 1400, 4000)]
    cells += [_spikes(0.005, 1.0, 100), _spikes(0.005, 1.0, 1000), _spikes(0.02, 0.5, 1000)]
    cells += [_spikes(0.005, 1.0, 8000, rel_error=0.3)]
    return tuple(cells)


_STOPPED = ((0.001, 20000, 0.5), (0.01, 20000, 0.2), (0.1, 20000, 0.1), (0.5, 20000, 0.1), (0.5, 1000, 0.3))


def means_table(studies: int = 600, seed: int = 0) -> list[MeanRow]:
    """Coverage and width of every cell from `studies` fresh samples each."""
    if studies < 1:
        raise ValueError(f"studies must be an integer >= 1; got {studies!r}")
    return [_row(cell, studies, seed) for cell in mean_cells()]


def _row(cell: MeanCell, studies: int, seed: int) -> MeanRow:
    rng = np.random.default_rng(derive_seed("calibrate-means", cell.name, cell.replicas, cell.level, seed))
    covered, widths, references, used = [], [], [], []
    tail = -float(special.ndtri((1 - cell.level) / 2))
    for _ in range(studies):
        if cell.rel_error is None:
            found = Estimate(cell.draw(rng, cell.replicas), bounds=(0.0, 1.0))
        else:
            found = Estimate.until(
                _blocks(cell, rng), rel_error=cell.rel_error, replicas=cell.replicas, bounds=(0.0, 1.0)
            )
        low, high = found.interval(cell.level)
        n = found.replicas
        covered.append(low <= cell.mean <= high)
        widths.append(high - low)
        used.append(n)
        if cell.binary:
            exact = clopper_pearson(round(found.mean * n), n, level=cell.level)
            references.append(exact[1] - exact[0])
        else:
            references.append(2 * tail * cell.sd / math.sqrt(n))
    floor = floor_width(int(np.median(used)), level=cell.level)
    return MeanRow(
        name=cell.name,
        replicas=int(np.median(used)),
        level=cell.level,
        studies=studies,
        coverage=float(np.mean(covered)),
        coverage_error=math.sqrt(cell.level * (1 - cell.level) / studies),
        width=float(np.median(widths)),
        reference=float(np.median(references)),
        floor=floor,
        binary=cell.binary,
    )


def _blocks(cell: MeanCell, rng: np.random.Generator) -> Iterator[np.ndarray]:
    while True:
        yield cell.draw(rng, 64)


def means_text(rows: list[MeanRow]) -> str:
    """The table as text, the worst coverage last."""
    head = f"{'law':32s} {'replicas':>8s} {'level':>6s} {'coverage':>16s} {'width':>9s} {'reference':>9s}"
    lines = [head + f" {'ratio':>6s} {'floor':>9s}"]
    for row in rows:
        kind = "CP" if row.binary else "z "
        lines.append(
            f"{row.name:32s} {row.replicas:8d} {row.level:6g} {row.coverage:8.4f}+-{row.coverage_error:.4f}"
            f" {row.width:9.3g} {row.reference:7.3g}{kind} {row.ratio:6.2f} {row.floor:9.3g}"
            f"{'' if row.ok else '  MISSED'}"
        )
    worst = min(rows, key=lambda row: (row.coverage - row.level) / row.coverage_error)
    lines.append(f"worst cell: {worst.name}, {worst.replicas} replicas: {worst.coverage:.4f} at level {worst.level:g}")
    return "\n".join(lines)
