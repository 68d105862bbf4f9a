"""The command line. What a verb needs is loaded when it is called, by `Lazy`, so that help and lists answer at once."""

import sys
from typing import TYPE_CHECKING, Any

import click

from asymp._version import __version__
from asymp.lazy import NEEDS_TORCH, Lazy
from asymp.reports.claims import index
from asymp.reports.cli.calibration import calibrate, slopes
from asymp.reports.cli.options import Options, asked, completing, json_option, run_options, settings_option
from asymp.reports.cli.store import store_group

if TYPE_CHECKING:
    import asymp.theory.laws as lawbook
    from asymp.reports import claims_file as loading
    from asymp.reports import figures as figure_index
    from asymp.reports.cli import run, texts
else:
    run, texts, loading, lawbook, figure_index = (
        Lazy(f"asymp.{name}")
        for name in (
            "reports.cli.run",
            "reports.cli.texts",
            "reports.claims_file",
            "theory.laws",
            "reports.figures",
        )
    )

CLAIMS = completing(index)
LAWS = completing(lambda: lawbook.laws)
EXPERIMENTS = completing(lambda: [name.replace("_", "-") for name in texts.MEASUREMENTS])
FIGURES = completing(lambda: ["all", *figure_index.INDEX])

NEXT = """asymp: unit tests for scaling-law theory. What to do next:

  asymp report                  check all claims, write the report to asymp-report/index.html (3 minutes on 2 cores)
  asymp check missing-mass      check one claim and print the verdict
  asymp show missing-mass       what it says: formula, source, parts
  asymp list                    all claims; --laws all laws, --errata where the sources are wrong, --figures their figures
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
@click.option(
    "--figures", "what", flag_value="figures", help="List the sources' figures, for `asymp report --figures`."
)
@json_option
def list_(what: str | None, as_json: bool) -> None:
    """List the claims: id, kind, title, source.

    \b
    Example: asymp list --json
             asymp list --errata
    """
    lists = {
        None: texts.claim_list,
        "laws": texts.law_list,
        "errata": texts.errata_list,
        "figures": texts.figure_list,
    }
    click.echo(lists[what](as_json=as_json))


@cli.command()
@click.argument("claim", shell_complete=CLAIMS)
@click.option("--claims", "claims_file", metavar="FILE", help="A Python file with claims of your own.")
@json_option
def show(claim: str, claims_file: str | None, as_json: bool) -> None:
    """Show a claim: its statement, source, parts, margins and notes.

    \b
    Example: asymp show missing-mass
    """
    if claims_file:
        loading.load_claims(claims_file)
    click.echo(texts.claim_page(claim, as_json=as_json))


@cli.command("eval")
@click.argument("law", shell_complete=LAWS)
@settings_option
@click.option("--digits", type=int, default=None, help="Evaluate to this many digits, every one of them right.")
@json_option
def eval_(law: str, settings: tuple[str, ...], digits: int | None, as_json: bool) -> None:
    """Evaluate a law.

    \b
    Example: asymp eval missing-mass -s alpha=2 -s T=10,100,1000
             asymp eval missing-mass:asymptotic -s alpha=3/2 -s T=1000 --digits 40
    """
    click.echo(texts.law_value(law, settings, digits=digits, as_json=as_json))


@cli.command(short_help="Run one experiment at one setting.")
@click.argument("experiment", shell_complete=EXPERIMENTS)
@settings_option
@click.option("--replicas", type=int, default=1000, show_default=True, help="Number of independent replicas (at most).")
@click.option("--rel-error", type=float, default=None, help="Stop when the interval is this narrow, relatively.")
@click.option("--seed", type=int, default=0, show_default=True, help="Another seed, other random numbers.")
@click.option("--device", default="auto", show_default=True, help="auto takes a GPU if there is one; or cpu, cuda.")
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
    missing-mass     what T samples of a Zipf law did not show: alpha, T, N
    recall-error     the error of a memory with given weights: alpha, N, M, d, rho, P, T, ...
    score-moments    mean and variance of a score: alpha, N, M, d, rho, z, y, ...
    train-memory     a memory trained by gradient steps: alpha, N, M, d, T, lr, batch, ...
    train-induction  a transformer on the bigram task: text (uniform, shakespeare, a file), T, K, layers, d, steps, ...
    train-facts      attention and an MLP on facts: S, R, D, T, d, H, d_h, m, batch, lr, steps, ...

    \b
    Example: asymp measure missing-mass -s alpha=2 -s T=1000
             asymp measure recall-error -s alpha=2 -s N=1000 -s M=5 -s d=100 --replicas 100000 --rel-error 0.02
    """
    click.echo(
        texts.measurement(
            experiment,
            settings,
            replicas=replicas,
            rel_error=rel_error,
            seed=seed,
            device=device,
            as_json=as_json,
        )
    )


@cli.command(short_help="Check claims: supported, refuted or inconclusive.")
@click.argument("claim", nargs=-1, shell_complete=CLAIMS)
@run_options
def check(claim: tuple[str, ...], **given: Any) -> None:
    """Check claims (all, if none is named): supported, refuted or inconclusive.

    Runs go in rounds, each of which doubles the values of a statement, until everything is decided or the time is up
    (--time, 3 minutes if it is not given). Finished cells are kept: the same command goes on from there.

    \b
    Exit code: 0 every part as expected or inconclusive, 1 a law refuted that should hold (or an
    erratum that turned out supported), 2 wrong usage, 3 something inconclusive (with --strict),
    4 cells missing (an experiment failed, a worker was lost, a cell could not be kept),
    130 interrupted.

    \b
    Example: asymp check missing-mass -s alpha=1.5 --seed 1
             asymp check --time 20m --plan
             asymp check --preset paper --rounds 7 --shard 3/16 --store results
    """
    options = Options(**given)
    wanted = asked(claim, options)
    sys.exit(run.check(wanted, options))


@cli.command(short_help="Check claims and write the report, a folder of pages.")
@click.argument("claim", nargs=-1, shell_complete=CLAIMS)
@click.option("-o", "--output", default="asymp-report", show_default=True, metavar="DIR", help="Where to write.")
@click.option(
    "--figures",
    multiple=True,
    shell_complete=FIGURES,
    metavar="NAME",
    help="Make this figure of the sources again, or all; may be given several times. `asymp list --figures` has the names.",
)
@run_options
def report(claim: tuple[str, ...], output: str, figures: tuple[str, ...], **given: Any) -> None:
    """Check claims and write the report: a folder of pages, of which index.html is the first.

    A page for each claim, the errata, what is not measured, the sources' figures; the same as report.json and report.md;
    tables in LaTeX; every figure as SVG, PNG and PDF. Cells and figures that are kept are not computed again; what is
    missing is marked as missing (exit code 4). With --figures and no claim, the claims are those whose statements the
    figures' captions are.

    \b
    Example: asymp report -o my-report missing-mass
             asymp report --figures figure-1 --figures figure-3 --preset paper
    """
    options = Options(**given)
    wanted = asked(claim, options)
    sys.exit(run.report(wanted, options, output, figures))


@cli.command(short_help="Make the reference run again, which comes with the package.")
@click.argument("claim", nargs=-1, shell_complete=CLAIMS)
@click.option("-o", "--output", default="reference.json", show_default=True, metavar="FILE", help="Where to write.")
@run_options
def reference(claim: tuple[str, ...], output: str, **given: Any) -> None:
    """Check all claims and write what came out as the reference: reports/reference.json in a checkout.

    \b
    Example: asymp reference --time 60m --seed 1811 -o reports/reference.json
    """
    options = Options(**given)
    wanted = asked(claim, options)
    sys.exit(run.reference(wanted, options, output))


@cli.command(short_help="Print BibTeX for asymp and for the sources.")
@click.argument("claim", nargs=-1, shell_complete=CLAIMS)
@json_option
def cite(claim: tuple[str, ...], as_json: bool) -> None:
    """Print BibTeX for asymp and the sources of the claims (all, if none is named).

    \b
    Example: asymp cite missing-mass
    """
    click.echo(texts.citations(claim, as_json=as_json))


for command in (calibrate, slopes, store_group):
    cli.add_command(command)


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
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        _fail(NEEDS_TORCH, 2)
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
