"""Exponents of what `fit_exponent` does not promise: heavy-tailed values, and truths just outside its class of laws.

A study has values at sizes from 16 to 16384 whose mean follows a truth with a known asymptotic exponent. What counts is what
a verdict would say at one look of sixteen: whether it refutes the exponent, supports one that is off by more than the margin,
or leaves it open, because a value carries too much of the spread, no form fits, or an alternative does.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from asymp.montecarlo.calibrate.studies import rows_of, table_lines
from asymp.montecarlo.calibrate.unbounded import TailLaw, exponential, lognormal, pareto, spikes
from asymp.montecarlo.draws import derive_seed
from asymp.montecarlo.exponent.data import Array
from asymp.montecarlo.exponent.fit import FAMILIES, fit_exponent

COLUMNS = "name replicas families studies tails:.3f misfit:.3f refuted:.4f wrong:.4f right:.3f unguarded:.4f missed"
REFUTES, SUPPORTS = 1e-3 / 16, 0.01 / 16
MARGIN = 0.05
OFF = (0.051, 0.075, 0.1, 0.15, 0.2, 0.3)  # wrong exponents, so far from the true one
FEW_SIZES, SIZES = (np.geomspace(16, 16384, k).round() for k in (8, 12))
CENTRE = 512.0  # of the sizes, in logarithms


@dataclass(frozen=True)
class HostileCell:
    """A truth with its asymptotic exponent, the law of the values about it, how many there are, and the class declared."""

    name: str
    truth: Callable[[Array], Array]
    exponent: float
    noise: TailLaw
    replicas: int
    sizes: Array
    families: tuple[str, ...] = FAMILIES


@dataclass(frozen=True)
class HostileRow:
    """Shares of studies: left open for the `tails` of the values, without a form that fits, the truth `refuted`, a `wrong`
    exponent supported, the `right` one; `unguarded`: refuted or wrong without a look at tails and alternatives."""

    name: str
    replicas: int
    families: str
    studies: int
    tails: float
    misfit: float
    refuted: float
    wrong: float
    right: float
    unguarded: float

    @property
    def missed(self) -> str:
        """Empty if both errors are as rare as promised, up to four binomial standard errors."""
        rates = ((self.refuted, REFUTES), (self.wrong, 16 * SUPPORTS))
        return "" if all(rate <= most + 4 * (most / self.studies) ** 0.5 for rate, most in rates) else "MISSED"


def hostile_cells() -> tuple[HostileCell, ...]:
    """The cells, fixed in advance."""
    uniform = TailLaw("uniform", lambda rng, shape: rng.uniform(0.8, 1.2, shape), 1.0, 1.8)
    heavy = (
        exponential(),
        *map(lognormal, (1, 2, 3)),
        *map(pareto, (1.2, 1.5, 2.5)),
        spikes(1e-3, 0.5),
        spikes(1e-4, 0.5),
    )
    cells = [
        HostileCell(law.name, lambda x: 1 / x, -1.0, law, n, FEW_SIZES, families)
        for families, replicas in ((("power",), (64, 512, 4096)), (FAMILIES, (512,)))
        for law in heavy
        for n in replicas
    ]
    truths: tuple[tuple[str, Callable[[Array], Array], float], ...] = (
        ("1/x", lambda x: 1 / x, -1.0),
        ("x^-1 (1 + 16/x)", lambda x: (1 + 16 / x) / x, -1.0),
        ("1/(x^.5 + x^.75)", lambda x: 1 / ((x / CENTRE) ** 0.5 + (x / CENTRE) ** 0.75), -0.75),
        ("x^-.75 + x^-.5", lambda x: (x / CENTRE) ** -0.75 + (x / CENTRE) ** -0.5, -0.5),
        ("x^-1 (1 + 2 y^-.3 - 1.5 y^-.6)", lambda x: (1 + 2 * (x / 16) ** -0.3 - 1.5 * (x / 16) ** -0.6) / x, -1.0),
        ("x^-.5 + x^-.6", lambda x: x**-0.5 + x**-0.6, -0.5),
        ("x^-1 (log x)^-2", lambda x: 1 / x / np.log(x) ** 2, -1.0),
    )
    return (*cells, *(HostileCell(name, truth, b, uniform, 512, SIZES) for name, truth, b in truths))


def hostile_table(studies: int = 600, seed: int = 0, *, workers: int = 1) -> list[HostileRow]:
    """The shares of every cell from so many studies."""
    return rows_of(_row, range(len(hostile_cells())), studies=studies, seed=seed, workers=workers)


def _row(place: int, studies: int, seed: int) -> HostileRow:
    """The row of a cell by its place: a cell holds functions, which do not travel between processes."""
    cell = hostile_cells()[place]
    families = "usual" if cell.families == FAMILIES else ", ".join(cell.families)
    rng = np.random.default_rng(derive_seed("calibrate-hostile", cell.name, cell.replicas, families, seed))
    found = np.array([_study(cell, rng) for _ in range(studies)], dtype=float)
    return HostileRow(cell.name, cell.replicas, families, studies, *map(float, found.mean(axis=0)))


def _study(cell: HostileCell, rng: np.random.Generator) -> tuple[bool, ...]:
    """In the order of the row: tails, misfit, refuted, wrong, right, unguarded."""
    samples = cell.noise.draw(rng, (len(cell.sizes), cell.replicas)) * cell.truth(cell.sizes)[:, None] / cell.noise.mean
    try:
        fit = fit_exponent(cell.sizes, samples, families=cell.families)
    except ValueError:  # all values of a size are equal: nothing is judged
        return False, True, False, False, False, False
    truth, misfit, heavy = cell.exponent, fit.status == "misfit", bool(fit.tails.heavy)
    low, high = fit.interval(1 - REFUTES)
    excluded = not low <= truth <= high
    low, high = fit.interval(1 - 2 * SUPPORTS)

    def inside(b: float) -> bool:
        return low <= b <= high and b - MARGIN <= low and high <= b + MARGIN

    others = [b for off in OFF for b in (truth - off, truth + off) if inside(b)]
    decides = not misfit and not heavy
    return (
        heavy,
        misfit,
        decides and excluded and fit.p_of_alternatives(truth) < REFUTES,
        decides and any(not fit.rival(b, MARGIN) for b in others),
        decides and inside(truth) and not fit.rival(truth, MARGIN),
        not misfit and (excluded or bool(others)),
    )


def hostile_text(rows: Sequence[HostileRow]) -> str:
    """The table as text."""
    return "\n".join(table_lines(COLUMNS, rows))
