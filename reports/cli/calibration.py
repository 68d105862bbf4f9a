"""The command that measures asymp itself: how often intervals cover, and how often verdicts are right."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from asymp.lazy import Lazy
from asymp.reports.cli.options import json_option
from asymp.theory.names import UnknownName, unknown_name

if TYPE_CHECKING:
    from asymp.montecarlo.calibrate import capacity, exponent, hostile, means
    from asymp.montecarlo.running import store as stores
    from asymp.reports import serialise
    from asymp.reports.calibrate import claims as of_claims
    from asymp.reports.cli import progress
else:
    capacity, exponent, hostile, means, stores, of_claims, serialise, progress = (
        Lazy(f"asymp.{name}")
        for name in (
            "montecarlo.calibrate.capacity",
            "montecarlo.calibrate.exponent",
            "montecarlo.calibrate.hostile",
            "montecarlo.calibrate.means",
            "montecarlo.running.store",
            "reports.calibrate.claims",
            "reports.serialise",
            "reports.cli.progress",
        )
    )

Found = tuple[object, str]
"""A table as plain data and as text."""


@click.command(short_help="Measure how often intervals cover and verdicts are right.")
@click.argument("table", nargs=-1)
@click.option(
    "--studies", type=int, default=600, show_default=True, help="Studies in each cell; of claims 400 at most."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Another seed, fresh studies.")
@click.option("--workers", type=int, default=2, show_default=True, help="Processes to use where a table allows it.")
@click.option("--claim", multiple=True, help="Calibrate this claim; may be repeated. Default: sections 1 and 3.")
@click.option("--run-seed", type=int, help="The seed of the `standard` run that is resampled. Default: --seed.")
@click.option("--store", metavar="DIR", help="Where that run is kept. Default: the user's cache.")
@json_option
def calibrate(
    table: tuple[str, ...],
    studies: int,
    seed: int,
    workers: int,
    claim: tuple[str, ...],
    run_seed: int | None,
    store: str | None,
    as_json: bool,
) -> None:
    """Measure how often intervals cover and verdicts are right, against known truths (all tables, if none is named).

    \b
    means       do the intervals of a mean cover it as often as they say, over hard laws of the values?
    exponents   do the intervals of an exponent cover it, over the declared class of laws and beyond?
    capacities  do the intervals of a capacity cover it, over shapes of the recall curve?
    claims      is each claim's right law refuted at the level of 5 % in at most 5 % of 400 seeds, and is each
                wrong one refuted in at least 95 % of 200 resamplings of one run at `standard`? Finished parts
                are kept in asymp-calibration-claims.jsonl, here; the same command goes on where it was.

    \b
    Example: asymp calibrate means --studies 200
             asymp calibrate claims --claim score-variance
    """
    tables: dict[str, Callable[[], Found]] = {
        "means": lambda: _means(studies, seed, workers),
        "exponents": lambda: _exponents(studies, seed, workers),
        "capacities": lambda: _capacities(studies, seed, workers),
        "claims": lambda: _claims(claim, studies, seed, run_seed, workers, store),
    }
    for name in table:
        if name not in tables:
            raise UnknownName(unknown_name("calibration", name, list(tables)))
    for what, value in (("studies", studies), ("workers", workers)):
        if value < 1:
            raise ValueError(f"{what} must be an integer >= 1; got {value}")
    chosen = table or tuple(tables)
    if claim and "claims" not in chosen:
        raise ValueError("--claim is for the table of claims: asymp calibrate claims --claim ID")
    found = {name: tables[name]() for name in chosen}
    if as_json:
        click.echo(serialise.dumps({name: data for name, (data, _) in found.items()}))
    else:
        click.echo("\n\n".join(text for _, text in found.values()))


def _means(studies: int, seed: int, workers: int) -> Found:
    rows = means.means_table(studies, seed, workers=workers)
    return [asdict(row) for row in rows], means.means_text(rows)


def _exponents(studies: int, seed: int, workers: int) -> Found:
    table = exponent.exponent_table(studies=studies, seed=seed, workers=workers)
    rows = hostile.hostile_table(studies, seed, workers=workers)
    found = {**asdict(table), "hostile": [asdict(row) for row in rows]}
    return found, f"{table}\n\n{hostile.hostile_text(rows)}"


def _capacities(studies: int, seed: int, workers: int) -> Found:
    rows = capacity.capacity_table(studies, seed, workers=workers)
    return [asdict(row) for row in rows], capacity.capacity_text(rows)


def _claims(
    ids: Sequence[str], studies: int, seed: int, run_seed: int | None, workers: int, store: str | None
) -> Found:
    # The claims take 400 seeds at most; what is finished stays in a file of this folder, and is not done again.
    seeds = min(studies, of_claims.SEEDS)
    with progress.showing_progress(unit="studies") as show:
        rows = of_claims.calibrate_claims(
            ids,
            seeds=seeds,
            seed=seed,
            run_seed=run_seed,
            workers=workers,
            store=store or stores.default_folder(),
            file=Path(of_claims.FILE),
            progress=show,
        )
    command = ["asymp", "calibrate", "claims", "--studies", str(seeds), "--seed", str(seed)]
    command += [] if run_seed is None else ["--run-seed", str(run_seed)]
    command += [word for id in ids for word in ("--claim", id)]
    return rows, of_claims.claims_text(rows, command=command)
