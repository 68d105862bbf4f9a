"""The command line. Every verb loads what it needs when it runs, so that help and lists answer at once."""

import sys
from typing import Any

import click

from asymp.reports.cli_run import (
    Options,
    drawing_workers,
    exit_code,
    json_option,
    keep_folder,
    load,
    run,
    run_options,
    settings_option,
)
from asymp.reports.cli_store import store_group
from asymp.theory._version import __version__

__all__ = ["main"]

NEXT = """asymp: unit tests for scaling-law theory. What to do next:

  asymp report                  check all claims, write the report to asymp-report/index.html (about 3 minutes on 2 cores)
  asymp check missing-mass      check one claim and print the verdict
  asymp show missing-mass       what it says: formula, source, parts
  asymp list                    all claims; --laws all laws, --errata where the sources are wrong
  asymp --help                  everything else
"""


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110}, invoke_without_command=True
)
@click.version_option(__version__, prog_name="asymp")
@click.pass_context
def cli(context: click.Context) -> None:
    """Unit tests for scaling-law theory: a formula, a simulation beside it, a verdict.

    \b
    Start with:
      asymp list                      what can be checked
      asymp check missing-mass        check one claim
      asymp report                    check all claims and write the report
    """
    if context.invoked_subcommand is None:
        click.echo(NEXT)


@cli.command("list")
@click.option("--laws", "what", flag_value="laws", help="List the laws instead, for `asymp eval`.")
@click.option("--errata", "what", flag_value="errata", help="List where the sources are wrong instead.")
@json_option
def list_(what: str | None, as_json: bool) -> None:
    """List the claims: id, kind, title, source.

    \b
    Example: asymp list --json
             asymp list --errata
    """
    from asymp.reports import texts

    lists = {None: texts.claim_list, "laws": texts.law_list, "errata": texts.errata_list}
    click.echo(lists[what](as_json=as_json))


@cli.command()
@click.argument("claim")
@click.option("--claims", "claims_file", metavar="FILE", help="A Python file with claims of your own.")
@json_option
def show(claim: str, claims_file: str | None, as_json: bool) -> None:
    """Show a claim: its statement, source, parts, margins and notes.

    \b
    Example: asymp show missing-mass
    """
    if claims_file:
        load(claims_file)
    from asymp.reports.texts import claim_page

    click.echo(claim_page(claim, as_json=as_json))


@cli.command("eval")
@click.argument("law")
@settings_option
@click.option("--digits", type=int, default=None, help="Evaluate to this many digits, every one of them right.")
@json_option
def eval_(law: str, settings: tuple[str, ...], digits: int | None, as_json: bool) -> None:
    """Evaluate a law.

    \b
    Example: asymp eval missing-mass -s alpha=2 -s T=10,100,1000
             asymp eval missing-mass:asymptotic -s alpha=3/2 -s T=1000 --digits 40
    """
    from asymp.reports.texts import law_value

    click.echo(law_value(law, settings, digits=digits, as_json=as_json))


@cli.command()
@click.argument("experiment")
@settings_option
@click.option("--replicas", type=int, default=1000, show_default=True, help="Number of independent replicas (at most).")
@click.option("--rel-error", type=float, default=None, help="Stop when the interval is this narrow, relatively.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--device", default="auto", show_default=True)
@json_option
def measure(
    experiment: str,
    settings: tuple[str, ...],
    replicas: int,
    rel_error: float | None,
    seed: int,
    device: str,
    as_json: bool,
) -> None:
    """Run one experiment at one setting and print the estimate with its interval.

    \b
    Example: asymp measure missing-mass -s alpha=2 -s T=1000
    """
    from asymp.reports.texts import measurement

    click.echo(
        measurement(
            experiment,
            settings,
            replicas=replicas,
            rel_error=rel_error,
            seed=seed,
            device=device,
            as_json=as_json,
        )
    )


@cli.command()
@click.argument("claim", nargs=-1)
@run_options
def check(claim: tuple[str, ...], **given: Any) -> None:
    """Check claims (all, if none is named): supported, refuted or inconclusive.

    Finished cells are kept: the same command, or one that needs the same cells, goes on from there.

    \b
    Exit code: 0 every part as expected or inconclusive, 1 a law refuted that should hold (or an
    erratum that turned out supported), 2 wrong usage, 3 something inconclusive (with --strict),
    4 cells missing (an experiment failed, a worker was lost, a cell could not be kept),
    130 interrupted.

    \b
    Example: asymp check missing-mass -s alpha=1.5 --seed 1
             asymp check --preset standard --plan
             asymp check --preset paper --shard 3/16 --store results
    """
    options = Options(**given)
    verdicts, log = run(claim, options)
    from asymp.reports.texts import verdict_text

    click.echo(verdict_text(verdicts, as_json=options.as_json))
    sys.exit(exit_code(verdicts, log, strict=options.strict))


@cli.command()
@click.argument("claim", nargs=-1)
@click.option("-o", "--output", default="asymp-report", show_default=True, metavar="DIR", help="Where to write.")
@run_options
def report(claim: tuple[str, ...], output: str, **given: Any) -> None:
    """Check claims and write the report: a folder of pages, of which index.html is the first.

    A page for each claim, the errata, what is not measured; the same as report.json and report.md; tables in LaTeX; every
    figure as SVG, PNG and PDF. Cells and figures that are kept are not computed again; what is missing is marked as
    missing (exit code 4).

    \b
    Example: asymp report -o my-report missing-mass
    """
    from asymp.reports.folder import check_writable

    options = Options(**given)
    check_writable(output)
    verdicts, log = run(claim, options)
    from asymp.reports.more import more_words
    from asymp.reports.report import write_report
    from asymp.reports.texts import report_text

    more = more_words(verdicts)
    written = write_report(verdicts, output, keep=keep_folder(options), workers=drawing_workers(options), more=more)
    click.echo(report_text(verdicts, written, as_json=options.as_json, more=more))
    sys.exit(exit_code(verdicts, log, strict=options.strict, as_expected=False))


@cli.command()
@click.argument("claim", nargs=-1)
@json_option
def cite(claim: tuple[str, ...], as_json: bool) -> None:
    """Print BibTeX for asymp and the sources of the claims (all, if none is named).

    \b
    Example: asymp cite missing-mass
    """
    from asymp.reports.texts import citations

    click.echo(citations(claim, as_json=as_json))


@cli.command()
@click.argument("figure", nargs=-1)
@click.option("--threads", default="1,2", show_default=True, help="Numbers of torch threads to measure with.")
@json_option
def bench(figure: tuple[str, ...], threads: str, as_json: bool) -> None:
    """Measure speed as ratios against baselines, in the same run (all figures, if none is named).

    \b
    Example: asymp bench online-training --threads 1
    """
    from asymp.reports.benchmark import bench_text

    click.echo(bench_text(figure, threads, as_json=as_json))


@cli.command()
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
    from asymp.reports.calibration import calibration_text

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


@cli.command()
@json_option
def slopes(as_json: bool) -> None:
    """Compare every exponent with the local slope of the exact law at very large sizes.

    \b
    Example: asymp slopes --json
    """
    from asymp.reports.texts import slopes_text

    click.echo(slopes_text(as_json=as_json))


cli.add_command(store_group)


def main() -> None:
    """Run the command line: bad input is one sentence on standard error and exit code 2, never a traceback."""
    try:
        cli.main(standalone_mode=False)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.ClickException as error:
        _fail(error.format_message(), 2)
    except (KeyboardInterrupt, click.Abort) as stop:
        # click wraps the interruption, which says what was kept.
        _fail(
            str(stop.__cause__ or stop) or "interrupted; nothing was written; run the same command again to start over",
            130,
        )
    except ValueError as error:
        _fail(str(error), 2)
    except RuntimeError as error:
        if type(error).__name__ != "ExperimentError":
            raise
        _fail(str(error), 4)
    except BrokenPipeError:
        # The reader of our output has gone (a pager was closed): nothing is wrong.
        sys.stderr.close()
        sys.exit(0)


def _fail(message: str, code: int) -> None:
    first, *rest = message.strip().splitlines() or ["something went wrong"]
    click.echo(f"asymp: {' '.join([first, *(line.strip() for line in rest)])}", err=True)
    sys.exit(code)


if __name__ == "__main__":
    main()
