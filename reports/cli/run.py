"""What `check` and `report` do: they run claims, print verdicts, write reports. Loaded when one of them is called."""

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from asymp.books import LEDGER
from asymp.montecarlo.draws import pick_device
from asymp.montecarlo.running.cell_file import NewerFormat
from asymp.montecarlo.running.cluster import connect
from asymp.montecarlo.running.pools import Pool, cores, local_pool
from asymp.montecarlo.running.store import VARIABLE, Store, default_folder
from asymp.reports import compare as comparing
from asymp.reports.check import RunLog, check_many, limit_of, run_shard
from asymp.reports.claims import claims, index
from asymp.reports.cli.options import Asked, Options
from asymp.reports.cli.progress import costs_text, forecast_text, showing_progress, showing_rounds
from asymp.reports.figures.declare import INDEX, How, chosen
from asymp.reports.figures.gallery import collect, more_text
from asymp.reports.page.render import render
from asymp.reports.reference import beside
from asymp.reports.report import check_writable, more_words, reference_file, write_report
from asymp.reports.serialise import dumps, verdict_view
from asymp.reports.verdict import Verdict, headline


def run(asked: Asked, options: Options) -> tuple[list[Verdict], RunLog]:
    """Run what was asked for: the verdicts and the log. A plan or a shard is printed, and the program ends."""
    ids = list(asked.ids or options.declared or claims)
    log = RunLog()
    what: dict[str, Any] = {
        "preset": options.preset,
        "seed": options.seed,
        "device": options.device,
        "settings": asked.values,
    }
    store = open_store(options, log.notices.append)
    if options.plan:
        given = limit_of(time=asked.time, rounds=options.rounds, preset=options.preset)
        with redirect_stdout(sys.stderr):
            words = forecast_text(ids, what, given, store=store, workers=options.workers, as_json=options.as_json)
        click.echo(words)
        sys.exit(0)
    pool = _pool(options, store)
    if asked.shard is not None and store is not None:
        with showing_progress(quiet=options.quiet) as cells:
            text, complete = run_shard(
                ids,
                what,
                rounds=options.rounds or 1,
                shard=asked.shard,
                store=store,
                pool=pool,
                progress=cells,
                log=log,
                as_json=options.as_json,
            )
        _tell(log)
        click.echo(text)
        sys.exit(0 if complete else 4)
    with showing_rounds(quiet=options.quiet) as progress, redirect_stdout(sys.stderr):  # what samplers print
        verdicts = check_many(
            ids,
            **what,
            time=asked.time,
            rounds=options.rounds,
            progress=progress,
            store=store,
            executor=pool,
            log=log,
        )
    _tell(log)
    if not options.quiet:
        click.echo(costs_text(log), err=True)
    return verdicts, log


def check(asked: Asked, options: Options) -> int:
    """Check claims and print the verdicts; the exit code."""
    verdicts, log = run(asked, options)
    if options.as_json:
        click.echo(dumps([verdict_view(v) for v in verdicts]))
    else:
        click.echo(render("check.txt", verdicts=verdicts, headline=headline(verdicts), beside=beside))
    return exit_code(verdicts, log, strict=options.strict)


def compare(asked: Asked, options: Options, rivals: Sequence[str]) -> int:
    """Judge rival laws on the data of a claim and print which are left; the exit code."""
    store, judged = open_store(options, lambda _: None), comparing.together(asked.ids[0], rivals)
    with showing_rounds(quiet=options.quiet) as progress, redirect_stdout(sys.stderr):
        verdict = comparing.compare(
            asked.ids[0],
            rivals=rivals,
            settings=asked.values,
            preset=options.preset,
            seed=options.seed,
            device=options.device,
            time=asked.time,
            rounds=options.rounds,
            progress=progress,
            store=store,
            executor=_pool(options, store),
        )
    click.echo(dumps(verdict_view(verdict)) if options.as_json else comparing.summary(verdict, judged))
    return 4 if verdict.missing else 3 if options.strict and verdict.inconclusive else 0


def reference(asked: Asked, options: Options, output: str) -> int:
    """Check everything and write the reference file; the exit code."""
    if not Path(output).absolute().parent.is_dir():
        raise ValueError(
            f"the reference could not be written to {output}: there is no folder {Path(output).parent.as_posix()}"
        )
    verdicts, log = run(asked, options)
    limit = limit_of(time=asked.time, rounds=options.rounds, preset=options.preset)
    Path(output).write_text(reference_file(verdicts, log, seconds=limit), encoding="utf-8")
    click.echo(f"{headline(verdicts)}\nreference: {output}")
    return exit_code(verdicts, log, strict=options.strict)


def report(asked: Asked, options: Options, output: str, figures: Sequence[str]) -> int:
    """Check claims, write the report and print where it is; where only figures are named, their claims. The exit code."""
    names, ids = wanted_figures(figures, asked.ids, options)
    check_writable(output)
    verdicts, log = run(replace(asked, ids=ids), options)
    keep = open_store(options, lambda _: None)
    how = How(seed=options.seed, device=options.device, store=keep)
    told = None if options.quiet else _say
    # Those that nobody named are measured at their small sizes, within a third of the report's time.
    limit = None if figures else limit_of(time=asked.time, rounds=options.rounds, preset=options.preset)
    within = None if limit is None else limit / 3
    gallery = collect(names, preset=options.preset if figures else "quick", how=how, tell=told, within=within)
    of_ledger = any(verdict.claim in index() and index()[verdict.claim].book == LEDGER.id for verdict in verdicts)
    more = [*more_words(verdicts), *(more_text(gallery) if of_ledger else [])]
    workers = min(4, options.workers or cores())
    written = write_report(verdicts, output, keep=keep, workers=workers, more=more, gallery=gallery)
    if options.as_json:
        files = [path.as_posix() for path in written]
        made = [one.view(verdicts) for one in gallery]
        click.echo(dumps({"files": files, "verdicts": [verdict_view(v) for v in verdicts], "figures": made}))
    else:
        lines = [*(f"{v.claim}: {v.outcome}" for v in verdicts), headline(verdicts), *more]
        click.echo("\n".join([*lines, f"report: {written[0].as_posix()}"]))
    return exit_code(verdicts, log, strict=options.strict, as_expected=False)


def wanted_figures(
    names: Sequence[str], claims: tuple[str, ...], options: Options
) -> tuple[list[str], tuple[str, ...]]:
    """The figures to make and the claims to check: those of the figures' sentences, where figures are named and no claim is."""
    found = chosen(names)
    if not found:
        # A report of everything has all of them; one of some claims has what is kept.
        return ([] if claims or options.declared else list(INDEX)), claims
    if options.shard:
        raise ValueError("a shard is one of claims' cells; leave --shard or --figures out")
    if options.plan:
        raise ValueError("a plan is one of claims' cells; leave --plan or --figures out")
    if options.cluster:
        raise ValueError("figures are measured on this machine; leave --cluster or --figures out")
    if claims or options.declared:
        return found, claims
    if options.settings:
        raise ValueError("figures have settings of their own; leave -s out, or name the claims that it is for")
    return found, tuple(dict.fromkeys(claim for name in found for claim in INDEX[name].claims))


def _say(words: str) -> None:
    click.echo(f"asymp: {words}", err=True)


def open_store(options: Options, notice: Callable[[str], object]) -> Store | None:
    """The store that was asked for; the default one is done without, with a notice, if it cannot be had."""
    if options.no_store:
        return None
    if options.store:
        return Store(options.store)
    try:
        return Store(default_folder())
    except NewerFormat:
        raise
    except ValueError as error:
        if os.environ.get(VARIABLE) or options.shard:
            raise
        notice(f"nothing is kept: {error}")
        return None


def _pool(options: Options, store: Store | None) -> Pool:
    if options.cluster is None:
        return local_pool(options.workers, str(pick_device(options.device)))
    if options.workers is not None:
        raise ValueError("give --workers or --cluster, not both: a cluster has its own workers")
    return connect(options.cluster, folder=store.folder / "jobs" if store is not None else None)


def _tell(log: RunLog) -> None:
    """Notes, and what could not be measured or kept, on standard error."""
    for note in log.notices:
        click.echo(f"asymp: note: {note}", err=True)
    for words in dict.fromkeys(log.failures):
        click.echo(f"asymp: missing: {words}", err=True)
    if log.unkept:
        click.echo(f"asymp: {log.unkept} finished cells could not be kept ({log.why_unkept})", err=True)


def exit_code(verdicts: Sequence[Verdict], log: RunLog, *, strict: bool, as_expected: bool = True) -> int:
    """4 if something is missing, 1 if a part came out as it should not, 3 (strict) if something is open, else 0."""
    if log.unkept or any(v.missing for v in verdicts):
        return 4
    if as_expected and not all(v.as_expected for v in verdicts):
        return 1
    return 3 if strict and any(v.inconclusive for v in verdicts) else 0
