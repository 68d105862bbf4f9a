"""`asymp store`: look at the kept results, check them, clear away, take them elsewhere."""

import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from asymp.lazy import Lazy
from asymp.reports.claims import claims, index
from asymp.reports.cli.options import json_option

if TYPE_CHECKING:
    from asymp.montecarlo.running import source, upkeep
    from asymp.montecarlo.running import store as stores
    from asymp.montecarlo.running.series import Cell
    from asymp.reports import numbers, serialise
else:
    source, upkeep, stores = (Lazy(f"asymp.montecarlo.running.{name}") for name in ("source", "upkeep", "store"))
    numbers, serialise = Lazy("asymp.reports.numbers"), Lazy("asymp.reports.serialise")


@click.group("store")
@json_option
@click.pass_context
def store_group(context: click.Context, as_json: bool) -> None:
    """Look after the results that are kept, one file a cell.

    \b
    Example: asymp store ls
             asymp store verify
             asymp store export -o results.parquet
    """
    context.obj = as_json


def _command(name: str, short_help: str | None = None) -> Callable[[Callable[..., None]], click.Command]:
    """A command of the group that takes --store and --json; it is called with the store, and with JSON asked for or not."""

    def made(function: Callable[..., None]) -> click.Command:
        @wraps(function)
        def called(outer_json: bool, store: str | None, as_json: bool, **given: Any) -> None:
            function(_existing(store), as_json=as_json or outer_json, **given)

        option = click.option("--store", metavar="DIR", help="The store. Default: the user's cache.")
        command = store_group.command(name, short_help=short_help)(option(json_option(click.pass_obj(called))))
        command.params.sort(
            key=lambda given: given.name in ("store", "as_json")
        )  # in the help, what it has of its own first
        return command

    return made


def _existing(folder: str | None) -> "stores.Store":
    """The store that was named, or the default one; looking at a store never makes one."""
    if folder is not None:
        given = Path(folder)
        if not given.exists() or (given.is_dir() and not (given / stores.MARKER).is_file()):
            raise ValueError("there is no store at the folder of --store")
    return stores.Store(stores.default_folder() if folder is None else folder)


def _print(data: object, lines: list[str], *, as_json: bool) -> None:
    click.echo(serialise.dumps(data) if as_json else "\n".join(lines))


@_command("ls")
@click.argument("experiment", required=False)
def ls(store: "stores.Store", experiment: str | None, *, as_json: bool) -> None:
    """List what is kept: experiment, setting, replicas, cells, seconds.

    \b
    Example: asymp store ls missing-mass
    """
    held = [h for h in upkeep.holdings(store) if experiment in (None, h.names["experiment"])]
    width = max((len(h.names["experiment"]) for h in held), default=0)
    lines = [
        f"{h.key[:12]}  {h.names['experiment']:<{width}} v{h.names['version']}  seed {h.names['seed']}  "
        f"{h.replicas:>8} replicas  {h.cells:>3} cells  {h.seconds:8.2f} s  {numbers.spell(h.names['params'])}"
        for h in held
    ]
    cells, seconds = sum(h.cells for h in held), sum(h.seconds for h in held)
    total = f"{len(held)} series, {cells} cells, {seconds:.1f} s of work" if held else "nothing is kept"
    _print([vars(h) for h in held], [*lines, total], as_json=as_json)


@_command("show", "Show the cells of one series, by its key.")
@click.argument("key")
def show(store: "stores.Store", key: str, *, as_json: bool) -> None:
    """Show the cells of one series, by the first digits of its key: statistics and where they come from.

    \b
    Example: asymp store show 3fa2
    """
    keys = sorted({k for k, _ in store.all() if k.startswith(key)})
    if len(keys) != 1:
        found = "no series has" if not keys else f"{len(keys)} series have"
        raise ValueError(f"{found} a key that begins with {key!r}; `asymp store ls` lists them")
    cells = [cell for blocks in sorted(store.ranges(keys[0])) if (cell := store.read(keys[0], *blocks))]
    names = cells[0].names if cells else {}
    lines = [f"key: {keys[0]}"]
    lines += [f"{name}: {numbers.spell(v) if isinstance(v, dict) else v}" for name, v in names.items()]
    for cell in cells:
        facts = cell.statistics
        lines += [
            "",
            f"blocks {cell.first} to {cell.last - 1}: {facts['count']} replicas in {cell.seconds:.3f} s",
            f"  mean {cell.values.mean():.6g}, smallest {facts['min']:.6g}, largest {facts['max']:.6g}",
            *(f"  {name}: {value}" for name, value in cell.provenance.items()),
        ]
    _print([cell.header for cell in cells], lines, as_json=as_json)


@_command("verify")
def verify(store: "stores.Store", *, as_json: bool) -> None:
    """Read every file and compare its checksum. A damaged one is named and set aside; the next run computes it again.

    \b
    Exit code: 0 all are sound, 4 some were damaged.
    Example: asymp store verify
    """
    sound, damaged = upkeep.verify(store)
    data = {"sound": sound, "damaged": [{"file": name, "reason": reason} for name, reason in damaged]}
    lines = [f"damaged, set aside: {name}: {reason}" for name, reason in damaged]
    _print(data, [*lines, f"{sound} cells are sound, {len(damaged)} were damaged"], as_json=as_json)
    sys.exit(4 if damaged else 0)


@_command("gc", "Remove what no run will use.")
@click.option("--dry-run", is_flag=True, help="Say what would go; remove nothing.")
@click.option("--keep-old-code", is_flag=True, help="Keep cells that today's code would not find again.")
def gc(store: "stores.Store", dry_run: bool, keep_old_code: bool, *, as_json: bool) -> None:
    """Remove what no run will use: leftovers of killed writers, damaged files, cells of the ledger's former code.

    Cells of experiments that the ledger does not know (your own) always stay.

    \b
    Example: asymp store gc --dry-run
    """
    experiments = {} if keep_old_code else {p.experiment.id: p.experiment for id in index() for p in claims[id].parts}
    current = {id: (e.version, source.source_hash(e.sample)) for id, e in experiments.items()}

    def outdated(cell: "Cell") -> bool:
        known = current.get(cell.names["experiment"])
        return known is not None and known != (cell.names["version"], cell.names["source"])

    removed = upkeep.clear_away(store, outdated=outdated, dry_run=dry_run)
    words = (
        f"{'would be removed' if dry_run else 'removed'}: {removed.outdated} cells of former code, {removed.damaged} damaged "
        f"files, {removed.leftovers} leftovers of killed runs; {removed.size / 1e6:.1f} MB"
    )
    _print({**vars(removed), "dry_run": dry_run}, [words], as_json=as_json)


@_command("export", "Write the store as a table, CSV or Parquet.")
@click.option("-o", "--output", required=True, metavar="FILE", help="FILE.csv or FILE.parquet.")
@click.option("--values", is_flag=True, help="One row a replica instead of one row a cell.")
def export(store: "stores.Store", output: str, values: bool, *, as_json: bool) -> None:
    """Write the store as a table, CSV or Parquet (which needs the extra 'parquet').

    \b
    Example: asymp store export -o results.csv
    """
    count = upkeep.export(store, output, values=values)
    _print({"rows": count}, [f"{count} rows written"], as_json=as_json)
