"""Commands that measure asymp itself: speed, calibration, exponents against slopes."""

import click

from asymp.reports.command.options import json_option

__all__ = ["bench", "calibrate", "slopes"]


@click.command(short_help="Measure speed as ratios against baselines.")
@click.argument("figure", nargs=-1)
@click.option("--threads", default="1,2", show_default=True, help="Numbers of torch threads to measure with.")
@json_option
def bench(figure: tuple[str, ...], threads: str, as_json: bool) -> None:
    """Measure speed as ratios against baselines, in the same run (all figures, if none is named).

    \b
    Example: asymp bench online-training --threads 1
    """
    from asymp.reports.command.bench_table import bench_text

    click.echo(bench_text(figure, threads, as_json=as_json))


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
    from asymp.reports.command.calibration_tables import calibration_text

    click.echo(
        calibration_text(
            table,
            studies=studies,
            seed=seed,
            workers=workers,
            as_json=as_json,
            claims=claim,
            run_seed=run_seed,
            store=store,
        )
    )


@click.command(short_help="Compare exponents with slopes of the exact laws.")
@json_option
def slopes(as_json: bool) -> None:
    """Compare every exponent with the local slope of the exact law at very large sizes.

    \b
    Example: asymp slopes --json
    """
    from asymp.reports.command.texts import slopes_text

    click.echo(slopes_text(as_json=as_json))
