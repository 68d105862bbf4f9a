"""What `check` and `report` have in common on the command line: options, store, workers, exit codes."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click

__all__ = [
    "Options",
    "drawing_workers",
    "exit_code",
    "json_option",
    "keep_folder",
    "load",
    "open_store",
    "parse_shard",
    "run",
    "run_options",
    "settings_option",
]

PRESETS = click.Choice(["quick", "standard", "paper"])
MANY = 5  # claims: most of them take seconds
SETTING_HELP = "Set a parameter: a number, a fraction, inf, a list or a word. May be given several times."


@dataclass(frozen=True)
class Options:
    """What was asked for."""

    settings: tuple[str, ...]
    preset: str
    seed: int
    device: str
    workers: int | None
    cluster: str | None
    store: str | None
    no_store: bool
    shard: str | None
    plan: bool
    claims_file: str | None
    strict: bool
    quiet: bool
    as_json: bool


def json_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """--json, for every verb."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")(command)


def settings_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """-s name=value, any number of times."""
    return click.option("-s", "--set", "settings", multiple=True, metavar="NAME=VALUE", help=SETTING_HELP)(command)


def run_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of `check` and `report`."""
    for option in reversed(
        (
            settings_option,
            click.option("--preset", type=PRESETS, default="quick", show_default=True, help="How much to measure."),
            click.option("--seed", type=int, default=0, show_default=True, help="Another seed, other random numbers."),
            click.option(
                "--device", default="auto", show_default=True, help="auto takes a GPU if there is one; or cpu, cuda."
            ),
            click.option("--workers", type=int, help="Processes. Default: all cores, once the work is worth it."),
            click.option("--cluster", metavar="ADDRESS", help="A Dask scheduler, tcp://HOST:PORT, or slurm:PARTITION."),
            click.option("--store", metavar="DIR", help="Where finished cells are kept. Default: the user's cache."),
            click.option("--no-store", is_flag=True, help="Keep nothing and believe nothing that was kept."),
            click.option("--shard", metavar="I/N", help="Compute only the I-th of N shares, for job arrays."),
            click.option("--plan", is_flag=True, help="Print the cells, time and memory that a run takes; do not run."),
            click.option("--claims", "claims_file", metavar="FILE", help="A Python file with claims of your own."),
            click.option("--strict", is_flag=True, help="Exit with 3 if anything is inconclusive."),
            click.option("--quiet", is_flag=True, help="No progress."),
            json_option,
        )
    ):
        command = option(command)
    return command


def run(ids: tuple[str, ...], options: Options) -> tuple[list[Any], Any]:
    """Run what was asked for: the verdicts and the log. A plan or a shard is printed, and the program ends."""
    from asymp.reports.command.values import parse_settings, plain

    # A typo in a setting or a name is told before torch is loaded.
    values = {name: plain(value) for name, value in parse_settings(options.settings).items()}
    if not options.claims_file:
        from asymp.reports.index import INDEX
        from asymp.theory.names import UnknownName, unknown_name

        for id in ids:
            if id not in INDEX:
                raise UnknownName(unknown_name("claim", id, list(INDEX)))
    for name, value in values.items():
        if isinstance(value, list):
            raise ValueError(f"{name} must be one value in a check; got a list")
    shard = _shard(options)
    since = _start_early(ids, options)
    declared = load(options.claims_file) if options.claims_file else []
    from asymp.reports.claimbook import claims
    from asymp.reports.command.progress import costs_text, showing_progress
    from asymp.reports.running.run import check_many
    from asymp.reports.running.sweeping import RunLog

    chosen = list(dict.fromkeys(ids)) or declared or list(claims)
    log = RunLog()
    what: dict[str, Any] = {
        "preset": options.preset,
        "seed": options.seed,
        "device": options.device,
        "settings": values,
    }
    store = open_store(options, log.notices.append)
    if options.plan:
        from asymp.reports.command.forecast import forecast_text

        click.echo(forecast_text(chosen, what, store=store, workers=options.workers, as_json=options.as_json))
        sys.exit(0)
    pool = _pool(options, store, since)
    with showing_progress(quiet=options.quiet) as progress:
        if shard is not None:
            from asymp.reports.running.shards import run_shard

            text, complete = run_shard(
                chosen, what, shard=shard, store=store, pool=pool, progress=progress, log=log, as_json=options.as_json
            )
            _tell(log)
            click.echo(text)
            sys.exit(0 if complete else 4)
        verdicts = check_many(chosen, **what, progress=progress, store=store, executor=pool, log=log)
    _tell(log)
    if not options.quiet:
        click.echo(costs_text(log), err=True)
    return verdicts, log


def keep_folder(options: Options) -> str | None:
    """Where figures and formulas are kept for the next report: beside the cells; nowhere without a store."""
    if options.no_store:
        return None
    from asymp.montecarlo.store.place import default_folder

    return options.store or str(default_folder())


def drawing_workers(options: Options) -> int:
    """How many processes draw figures: those that may simulate, and no more than four."""
    from asymp.montecarlo.executors.pools import cores

    return min(4, options.workers or cores())


def load(file: str) -> list[str]:
    """Load a claims file; the ids that it declares."""
    from asymp.reports.running.loading import load_claims

    return load_claims(file)


def _shard(options: Options) -> tuple[int, int] | None:
    if options.store and options.no_store:
        raise ValueError("give --store or --no-store, not both")
    if options.shard is None:
        return None
    if options.no_store:
        raise ValueError("a shard needs a store: its results are nowhere else; leave --no-store out")
    return parse_shard(options.shard)


def parse_shard(text: str) -> tuple[int, int]:
    """'2/8', the second of eight, as (2, 8)."""
    left, slash, right = text.partition("/")
    if slash and left.isdecimal() and right.isdecimal() and 1 <= int(left) <= int(right):
        return int(left), int(right)
    raise ValueError(f"shard must be i/n with 1 <= i <= n, such as 1/4; got {text!r}")


def open_store(options: Options, notice: Callable[[str], Any]) -> Any:
    """The store that was asked for; the default one is done without, with a notice, if it cannot be had."""
    if options.no_store:
        return None
    import os

    from asymp.montecarlo.store.cellfile import NewerFormat
    from asymp.montecarlo.store.folder import Store
    from asymp.montecarlo.store.place import VARIABLE, default_folder

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


def _start_early(ids: tuple[str, ...], options: Options) -> float | None:
    """Worker processes begin to load before we do, where it is plain that they will be wanted; since when they do."""
    many = len(ids) >= MANY or not (ids or options.claims_file)
    if not many or options.plan or options.cluster or options.workers == 1 or options.device.startswith("cuda"):
        return None
    from asymp.reports.running.early import start_early

    return start_early()


def _pool(options: Options, store: Any, since: float | None) -> Any:
    from asymp.montecarlo.blocks import pick_device
    from asymp.montecarlo.executors.choose import choose_pool

    return choose_pool(
        workers=options.workers,
        cluster=options.cluster,
        device=str(pick_device(options.device)),
        folder=store.folder / "jobs" if store is not None else None,
        since=since,
    )


def _tell(log: Any) -> None:
    """Notes, and what could not be measured or kept, on standard error."""
    for note in log.notices:
        click.echo(f"asymp: note: {note}", err=True)
    for words in dict.fromkeys(log.failures):
        click.echo(f"asymp: missing: {words}", err=True)
    if log.unkept:
        click.echo(f"asymp: {log.unkept} finished cells could not be kept ({log.why_unkept})", err=True)


def exit_code(verdicts: list[Any], log: Any, *, strict: bool, as_expected: bool = True) -> int:
    """4 if something is missing, 1 if a part came out as it should not, 3 (strict) if something is open, else 0."""
    if log.unkept or any(v.missing for v in verdicts):
        return 4
    if as_expected and not all(v.as_expected for v in verdicts):
        return 1
    return 3 if strict and any(v.inconclusive for v in verdicts) else 0
