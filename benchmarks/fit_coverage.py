"""Do the intervals of `asymp fit` hold? On learning curves of a folder, and on made-up studies of two sizes.

    python benchmarks/fit_coverage.py curves FOLDER       (make bench-fit DATA=FOLDER)
    python benchmarks/fit_coverage.py made-up [STUDIES]   (make bench-fit)

A folder holds CSV files with columns for the size, the loss and `training`: 1 for rows that are fitted, 0 for those that are
predicted. All other columns name the curve, the first of them its domain.
"""

import csv
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np

from asymp.montecarlo.fit.backtest import student
from asymp.montecarlo.fit.forms import SINGLE, Array
from asymp.montecarlo.fit.solve import solve
from asymp.montecarlo.fit.table import Table, read_table
from asymp.reports.fit.study import Fit, fit

NOMINAL = ("power", "floor", "shifted", "bounded", "broken")
ALPHA, BETA = 0.34, 0.37


def curves(folder: Path) -> Iterator[tuple[str, Table, Table]]:
    """Domain, the rows to fit and the rows to predict of every curve."""
    for path in sorted(folder.glob("*.csv")):
        # A row that is there several times is one measurement.
        rows = [
            dict(row) for row in dict.fromkeys(tuple(r.items()) for r in csv.DictReader(path.open(encoding="utf-8")))
        ]
        if not rows or "training" not in rows[0]:
            continue
        whole = read_table({name: [row[name] for row in rows] for name in rows[0]})
        numeric = {"training", whole.quantity, *rows[0].keys() & {*whole.variables, *" ".join(whole.notes).split()}}
        names = [name for name in rows[0] if name not in numeric]
        groups: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for i, row in enumerate(rows):
            groups[tuple(row[name] for name in names)].append(i)
        for key, places in groups.items():
            parts = [
                Table(whole.variables, whole.quantity, whole.x[at], whole.y[at])
                for at in ([i for i in places if float(rows[i]["training"]) == flag] for flag in (1, 0))
            ]
            if all(len(part) for part in parts):
                yield key[0] if key else path.stem, *parts


def on_curves(folder: Path) -> None:
    """Coverage by domain, beside the nominal intervals of single forms."""
    found: dict[tuple[str, str], list[tuple[float, float, float, float]]] = defaultdict(list)
    begin = time.process_time()
    for domain, known, ahead in curves(folder):
        y = np.log(ahead.y)
        forms = fit({n: known.x[:, i] for i, n in enumerate(known.variables)} | {known.quantity: known.y},
                    x=list(known.variables), y=known.quantity)  # fmt: skip
        point, low, high = forms.fitted.predict(ahead.x, 0.95, simultaneous=False)
        _, least, most = forms.fitted.predict(ahead.x, 0.95, simultaneous=True)
        found["asymp fit", domain].append(_row(y, point, low, high, least, most))
        for name in NOMINAL if len(known.variables) == 1 else ():
            one = solve(SINGLE[name], known.x, known.y)
            freedom = len(known) - len(one.values)
            if freedom < 1:
                continue
            half = student(0.95, freedom) * np.sqrt(one.cost / freedom * (1 + one.error(ahead.x) ** 2))
            says = np.log(one.at(ahead.x))
            found[f"{name}, nominal", domain].append(_row(y, says, says - half, says + half, says - half, says + half))
    domains = list(dict.fromkeys(domain for _, domain in found))
    print(f"{'':<20} {'domain':<8} curves  points inside  whole curve  half width (median)  RMSLE (mean)")
    for name in dict.fromkeys(name for name, _ in found):
        for domain in [*domains, "all"]:
            rows = [row for (n, d), part in found.items() if n == name and domain in (d, "all") for row in part]
            inside, whole, half, error = np.array(rows).T
            print(
                f"{name:<20} {domain:<8} {len(rows):>6}  {inside.mean():>13.3f}  {whole.mean():>11.2f}"
                f"  {np.median(half):>19.4f}  {np.sqrt(error).mean():>12.4f}"
            )
    print(f"{time.process_time() - begin:.0f} s of one processor")


def _row(
    y: Array, point: Array, low: Array, high: Array, least: Array, most: Array
) -> tuple[float, float, float, float]:
    inside, whole = (y >= low) & (y <= high), (y >= least) & (y <= most)
    return float(inside.mean()), float(whole.all()), float(np.median(high - low) / 2), float(np.mean((y - point) ** 2))


def made_up(studies: int) -> None:
    """Studies of 1.8 + 480 N^-.34 + 2000 D^-.37 with 1 % of noise: coverage of both exponents and of a prediction."""
    print(f"95 % intervals, {studies} studies a row")
    print(f"{'design':<8} {'runs':>4} {'checkpoints':<12} {'alpha':>6} {'beta':>6} {'at 4 N, 4 D':>12}")
    for side, runs, checkpoints in product((3, 4), (1, 2), (False, True)):
        hits = np.zeros(3)
        for study in range(studies):
            rng = np.random.default_rng([side, runs, checkpoints, study])
            found = _study(rng, side, runs, checkpoints)
            ends = found.interval(0.95)
            assert isinstance(ends, dict)
            one = found.predict(4 * found.table.x.max(0))
            truth = _truth(4 * found.table.x.max(0)[None, :])[0] * np.exp(0.01 * rng.standard_normal())
            hits += [
                ends["N"][0] <= ALPHA <= ends["N"][1],
                ends["D"][0] <= BETA <= ends["D"][1],
                one.low <= truth <= one.high,
            ]
        alpha, beta, ahead = hits / studies
        print(
            f"{side}x{side:<6} {runs:>4} {'correlated' if checkpoints else 'none':<12} {alpha:>6.3f} {beta:>6.3f} {ahead:>12.3f}",
            flush=True,
        )


def _truth(x: Array) -> Array:
    return 1.8 + 480 * x[:, 0] ** -ALPHA + 2000 * x[:, 1] ** -BETA


def _study(rng: np.random.Generator, side: int, runs: int, checkpoints: bool) -> Fit:
    """Every model size with every number of tokens, or the tokens as checkpoints of one run, correlated by 0.7."""
    n, d = np.geomspace(1e8, 1e10, side), np.geomspace(2e9, 2e11, side)
    columns: dict[str, list[float]] = {"N": [], "D": [], "loss": [], "run": []}
    for i, (size, _) in enumerate(product(n, range(runs))):
        noise = rng.standard_normal(side)
        for j in range(1, side if checkpoints else 0):
            noise[j] = 0.7 * noise[j - 1] + np.sqrt(1 - 0.49) * noise[j]
        x = np.stack([np.full(side, size), d], axis=1)
        columns["N"] += x[:, 0].tolist()
        columns["D"] += d.tolist()
        columns["loss"] += (_truth(x) * np.exp(0.01 * noise)).tolist()
        columns["run"] += [float(i)] * side
    return fit(columns, x="N,D", y="loss", run="run" if checkpoints else None)


if __name__ == "__main__":
    if sys.argv[1:2] == ["curves"] and len(sys.argv) == 3:
        on_curves(Path(sys.argv[2]))
    elif sys.argv[1:2] == ["made-up"] and len(sys.argv) <= 3:
        made_up(int(sys.argv[2]) if len(sys.argv) == 3 else 600)
    else:
        sys.exit(__doc__)
