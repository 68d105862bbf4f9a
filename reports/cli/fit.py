"""`asymp fit`: a table of measurements of one's own."""

from typing import TYPE_CHECKING

import click

from asymp.lazy import Lazy
from asymp.reports.cli.options import json_option

if TYPE_CHECKING:
    from asymp.reports import serialise
    from asymp.reports.fit import display, study
else:
    display, study, serialise = (Lazy(f"asymp.reports.{name}") for name in ("fit.display", "fit.study", "serialise"))


@click.command("fit", short_help="Fit a table of measurements of your own.")
@click.argument("file")
@click.option("--x", metavar="COLUMN[,COLUMN]", help="The sizes: one column or two, such as params,tokens.")
@click.option("--y", metavar="COLUMN", help="The losses.")
@click.option("--by", metavar="COLUMN", help="What tells replicates of a size apart, such as a seed.")
@click.option("--run", metavar="COLUMN", help="Of which run a row is a checkpoint: such rows are correlated.")
@click.option("--error", metavar="COLUMN", help="Standard errors of the losses.")
@click.option("--trials", metavar="COLUMN|NUMBER", help="How many trials are behind a share of errors.")
@click.option("--where", metavar="CONDITION", help="Take only rows with this, such as 'loss<3.2'.")
@click.option(
    "--form", "forms", multiple=True, metavar="NAME|FORMULA", help="Fit this form; may be given several times."
)
@click.option("--huber", type=float, help="Count residuals in log loss beyond this by absolute value, such as 1e-3.")
@click.option(
    "--law", metavar="FORMULA", help="A published law to judge, such as '1.69 + 406.4/N**.34 + 410.7/D**.28'."
)
@click.option("--predict", "wanted", multiple=True, metavar="SIZE[,SIZE]", help="Predict the loss at this size.")
@click.option("--compute", type=float, help="Say the sizes that are best at so many FLOP.")
@click.option("--level", type=float, default=0.95, show_default=True, help="The level of intervals of predictions.")
@click.option("-o", "--output", metavar="DIR", help="Write a page, the figure and fit.json there.")
@json_option
def fit(
    file: str,
    x: str | None,
    y: str | None,
    by: str | None,
    run: str | None,
    error: str | None,
    trials: str | None,
    where: str | None,
    forms: tuple[str, ...],
    huber: float | None,
    law: str | None,
    wanted: tuple[str, ...],
    compute: float | None,
    level: float,
    output: str | None,
    as_json: bool,
) -> None:
    """Fit a table (CSV, JSONL or Parquet) of your own measurements: (size, loss) or (params, tokens, loss).

    Says which forms the data allow, the exponents with an interval that holds over all of them, and predictions whose
    intervals are widened as far as a backtest inside the data demands. Columns are guessed where their names make it plain.

    \b
    Example: asymp fit runs.csv --x params --y loss --predict 1e10
             asymp fit runs.csv --x params,tokens --law "1.69 + 406.4/N**.34 + 410.7/D**.28" -o my-fit
             asymp fit runs.csv --form "E + A*N**-alpha + B*D**-beta" --huber 1e-3 --compute 1e23
    """
    study.check_level(level)
    found = study.fit(
        file, x, y, by=by, run=run, error=error, trials=trials, where=where, forms=list(forms) or None, huber=huber
    )
    sizes = [_sizes(one) for one in wanted]
    asked = [found.predict([one], level=level)[0] for one in sizes]
    best = found.optimum(compute, level) if compute is not None else None
    page = found.write(output, law) if output else None
    if as_json:
        click.echo(serialise.dumps({**display.record(found, law), "asked": asked, "optimum": best, "page": page}))
        return
    click.echo(display.text(found, law))
    for one in asked:
        click.echo(f"Predicted at {', '.join(f'{v:g}' for v in one.x)}: {one}.")
    if best is not None:
        names = found.table.variables
        for name, size, (low, high) in zip(names, best.sizes, best.intervals, strict=True):
            click.echo(
                f"Best {name} at {compute:g} FLOP: {size:.3g}, {100 * level:g} % interval {low:.3g} to {high:.3g}."
            )
    if page:
        click.echo(f"page: {page}")


def _sizes(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(f"--predict takes a size, or two with a comma, such as 1e9,2e10; got {text!r}") from None
