"""The command line. What a verb needs is loaded when it is called, by `Lazy`, so that help and lists answer at once."""

import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from asymp._version import __version__
from asymp.books import BrokenPackage, books
from asymp.lazy import NEEDS_TORCH, Lazy
from asymp.reports.claims import index, registered
from asymp.reports.cli.calibration import calibrate
from asymp.reports.cli.fit import fit
from asymp.reports.cli.new import new
from asymp.reports.cli.options import (
    Options,
    asked,
    claims_option,
    completing,
    json_option,
    limit_memory,
    paths_told,
    run_options,
    settings_option,
)
from asymp.reports.cli.store import store_group

if TYPE_CHECKING:
    import asymp.theory.laws as lawbook
    from asymp.reports import figures as figure_index
    from asymp.reports import reference as references
    from asymp.reports.cli import run, texts
else:
    run, texts, lawbook, figure_index, references = (
        Lazy(f"asymp.{name}")
        for name in (
            "reports.cli.run",
            "reports.cli.texts",
            "theory.laws",
            "reports.figures",
            "reports.reference",
        )
    )

CLAIMS = completing(lambda: [*index(), *registered, *(book.id for book in books())])
LAWS = completing(lambda: lawbook.laws)
EXPERIMENTS = completing(lambda: [name.replace("_", "-") for name in texts.MEASUREMENTS])
FIGURES = completing(lambda: ["all", *figure_index.INDEX])

NEXT = """asymp: unit tests for scaling-law theory. What to do next:

  asymp report                  check all claims, write the report to asymp-report/index.html (3 minutes on 2 cores)
  asymp check missing-mass      check one claim and print the verdict
  asymp show missing-mass       what it says: formula, source, parts
  asymp new my-paper            a small package with a claim of your own, which works as it stands
  asymp fit runs.csv            fit your own table of (size, loss): exponents and predictions with intervals
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
@click.option("--errata", "what", flag_value="errata", help="List where the sources fail, by grade, instead.")
@click.option("--sources", "what", flag_value="sources", help="List what the sources say, in their own words, instead.")
@click.option(
    "--figures", "what", flag_value="figures", help="List the sources' figures, for `asymp report --figures`."
)
@claims_option
@json_option
def list_(what: str | None, declared: tuple[str, ...], as_json: bool) -> None:
    """List the claims: id, kind, title, source; with --claims those of the files.

    \b
    Example: asymp list --json
             asymp list --errata
    """
    lists: dict[str | None, Callable[..., str]] = {
        None: partial(texts.claim_list, only=declared),
        "laws": texts.law_list,
        "errata": texts.errata_list,
        "sources": texts.source_list,
        "figures": texts.figure_list,
    }
    click.echo(lists[what](as_json=as_json))


@cli.command()
@click.argument("claim", shell_complete=CLAIMS)
@claims_option
@click.option("--regimes", is_flag=True, help="Show how its laws grow with their sizes, regime by regime.")
@json_option
def show(claim: str, declared: tuple[str, ...], regimes: bool, as_json: bool) -> None:
    """Show a claim: its statement, source, parts, margins and notes.

    \b
    Example: asymp show missing-mass
             asymp show joint-law --regimes
    """
    click.echo((texts.claim_regimes if regimes else texts.claim_page)(claim, as_json=as_json))


@cli.command("eval")
@click.argument("law", shell_complete=LAWS)
@settings_option
@click.option("--digits", type=int, default=None, help="Evaluate to this many digits, every one of them right.")
@claims_option
@json_option
def eval_(law: str, settings: tuple[str, ...], digits: int | None, declared: tuple[str, ...], as_json: bool) -> None:
    """Evaluate a law.

    \b
    Example: asymp eval missing-mass -s alpha=2 -s T=10,100,1000
             asymp eval missing-mass:asymptotic -s alpha=3/2 -s T=1000 --digits 40
    """
    limit_memory()
    click.echo(texts.law_value(law, settings, digits=digits, as_json=as_json))


@cli.command(short_help="Run one experiment at one setting.")
@click.argument("experiment", shell_complete=EXPERIMENTS)
@settings_option
@click.option("--replicas", type=int, default=1000, show_default=True, help="Number of independent replicas (at most).")
@click.option("--rel-error", type=float, default=None, help="Stop when the interval is this narrow, relatively.")
@click.option("--seed", type=int, default=0, show_default=True, help="Another seed, other random numbers.")
@click.option("--device", default="auto", show_default=True, help="auto takes a GPU if there is one; or cpu, cuda.")
@claims_option
@json_option
def measure(
    experiment: str,
    settings: tuple[str, ...],
    replicas: int,
    rel_error: float | None,
    seed: int,
    device: str,
    declared: tuple[str, ...],
    as_json: bool,
) -> None:
    """Run one experiment at one setting and print the estimate with its interval.

    \b
    missing-mass   what T samples of a Zipf law did not show: alpha, T, N
    recall-error   the error of a memory with given weights: alpha, N, M, d, rho, P, T, ...
    score-moments  mean and variance of a score: alpha, N, M, d, rho, z, y, ...
    train-memory   a memory trained by gradient steps: alpha, N, M, d, T, lr, batch, ...

    Others by the id of the experiment, or of the claim whose leading statement it measures.

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
    70 an error in asymp itself, 130 interrupted (Ctrl-C), 143 terminated (SIGTERM).

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


@cli.command(short_help="Compare rival laws on the data of a claim.")
@click.argument("claim", shell_complete=CLAIMS)
@click.option(
    "--with",
    "rivals",
    multiple=True,
    required=True,
    metavar="LAW",
    help="A law's id, or a formula. May be given several times.",
)
@run_options
def compare(claim: str, rivals: tuple[str, ...], **given: Any) -> None:
    """Compare rival laws with that of a claim, on the same data: which are refuted, which are allowed.

    All laws share one budget. Where several are left, it says which differences these data could have seen, and what more
    would take. The exit code is 0, whatever is refuted; 3 with --strict, if a law is left open.

    \b
    Example: asymp compare missing-mass --with "T**(-1/2)"
             asymp compare my-rate --claims my.py --with "c*d**-1" --with "c*d**(-b)*log(d)"
    """
    options = Options(**given)
    wanted = asked((claim,), options)
    if len(wanted.ids) != 1 or options.plan or options.shard:
        raise ValueError("compare takes one claim, and neither --plan nor --shard")
    sys.exit(run.compare(wanted, options, rivals))


@cli.command(short_help="Make the reference run again, which comes with the package.")
@click.argument("claim", nargs=-1, shell_complete=CLAIMS)
@click.option("-o", "--output", default="reference.json", show_default=True, metavar="FILE", help="Where to write.")
@click.option(
    "--stale", is_flag=True, help="Only say which statements changed since the reference of this package was made."
)
@run_options
def reference(claim: tuple[str, ...], output: str, stale: bool, **given: Any) -> None:
    """Check all claims and write what came out as the reference: reports/reference.json in a checkout.

    Run it on an idle machine, since it notes what statements cost. What is finished is kept in the store: where it was
    stopped, the same command goes on, and the file says how many cells it found there.

    \b
    Example: asymp reference --time 60m --seed 1811 -o reports/reference.json
             asymp reference --stale
    """
    if stale:
        click.echo(references.stale_text())
        return
    options = Options(**given)
    wanted = asked(claim, options)
    sys.exit(run.reference(wanted, options, output))


@cli.command(short_help="Print BibTeX for asymp and for the sources.")
@click.argument("claim", nargs=-1, shell_complete=CLAIMS)
@claims_option
@json_option
def cite(claim: tuple[str, ...], declared: tuple[str, ...], as_json: bool) -> None:
    """Print BibTeX for asymp and the sources of the claims (all, if none is named).

    \b
    Example: asymp cite missing-mass
    """
    click.echo(texts.citations(claim, as_json=as_json))


for command in (calibrate, fit, new, store_group):
    cli.add_command(command)


class Terminated(KeyboardInterrupt):
    """SIGTERM: what a batch system sends before it kills; as clean an end as Ctrl-C."""


def _terminate(number: int, frame: object) -> None:
    raise Terminated


def main() -> None:
    """Run the command line: bad input is one sentence on standard error and exit code 2, never a traceback.

    Whatever else goes wrong inside asymp exits with 70, so that it is never taken for a refuted law.
    """
    warnings.showwarning = partial(_show, warnings.showwarning)
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _terminate)
    try:
        _main()
    except (KeyboardInterrupt, click.Abort) as stop:
        # click wraps the interruption, which says what was kept.
        words = (
            str(stop.__cause__ or stop) or "interrupted; nothing was written; run the same command again to start over"
        )
        _fail(words, 143 if _has_terminated(stop) else 130)
    except Exception as error:
        if os.environ.get("ASYMP_DEBUG"):
            raise
        _fail(
            f"this is an error in asymp itself ({type(error).__name__}: {' '.join(str(error).split())[:200]}), not in your "
            "input; please report it with the command and what ASYMP_DEBUG=1 prints before it",
            70,
        )


def _show(usual: Callable[..., None], message: Warning | str, *rest: Any, **more: Any) -> None:
    """A warning about an installed package is a note, one of NumPy's about numbers is nothing; others are as usual."""
    if isinstance(message, RuntimeWarning) and " encountered in " in str(message):
        return  # what overflows is not finite, and that is said of the law or of the experiment
    if isinstance(message, BrokenPackage):
        click.echo(f"asymp: note: {message}", err=True)
    else:
        usual(message, *rest, **more)


def _has_terminated(error: BaseException | None) -> bool:
    """Whether SIGTERM was the cause."""
    return error is not None and (
        isinstance(error, Terminated) or any(map(_has_terminated, (error.__cause__, error.__context__)))
    )


def _main() -> None:
    try:
        with paths_told():
            cli.main(standalone_mode=False)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.ClickException as error:
        _fail(error.format_message(), 2)
    except ValueError as error:
        _fail(str(error), 2)
    except OverflowError:
        _fail("a number is too large to compute with; numbers up to about 1e300 can be", 2)
    except MemoryError as error:
        _fail(
            f"this needs more memory than there is ({' '.join(str(error).split()) or 'no size is known'}); give smaller numbers",
            2,
        )
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
    """End with a sentence in one line; hundreds of known names are not listed in it."""
    told, _, known = " ".join(message.split()).partition("; known: ")
    names = "`asymp list` has all claims, `asymp list --laws` all laws" if known.count(",") > 30 else f"known: {known}"
    click.echo(f"asymp: {told or 'something went wrong'}{f'; {names}' if known else ''}", err=True)
    sys.exit(code)


if __name__ == "__main__":
    main()
