"""`asymp store`: look at the kept results, check them, clear away, take them elsewhere."""

import sys
from typing import Any

import click

from asymp.reports.command.options import json_option

__all__ = ["store_group"]


def _store_option(command: Any) -> Any:
    return click.option("--store", metavar="DIR", help="The store. Default: the user's cache.")(command)


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


@store_group.command("ls")
@click.argument("experiment", required=False)
@_store_option
@json_option
@click.pass_obj
def ls(outer_json: bool, experiment: str | None, store: str | None, as_json: bool) -> None:
    """List what is kept: experiment, setting, replicas, cells, seconds.

    \b
    Example: asymp store ls missing-mass
    """
    from asymp.reports.command.store_texts import list_text

    click.echo(list_text(store, experiment, as_json=as_json or outer_json))


@store_group.command("show", short_help="Show the cells of one series, by its key.")
@click.argument("key")
@_store_option
@json_option
@click.pass_obj
def show(outer_json: bool, key: str, store: str | None, as_json: bool) -> None:
    """Show the cells of one series, by the first digits of its key: statistics and where they come from.

    \b
    Example: asymp store show 3fa2
    """
    from asymp.reports.command.store_texts import show_text

    click.echo(show_text(store, key, as_json=as_json or outer_json))


@store_group.command("verify")
@_store_option
@json_option
@click.pass_obj
def verify(outer_json: bool, store: str | None, as_json: bool) -> None:
    """Read every file and compare its checksum. A damaged one is named and set aside; the next run computes it again.

    \b
    Exit code: 0 all are sound, 4 some were damaged.
    Example: asymp store verify
    """
    from asymp.reports.command.store_texts import verify_text

    text, damaged = verify_text(store, as_json=as_json or outer_json)
    click.echo(text)
    sys.exit(4 if damaged else 0)


@store_group.command("gc", short_help="Remove what no run will use.")
@click.option("--dry-run", is_flag=True, help="Say what would go; remove nothing.")
@click.option("--keep-old-code", is_flag=True, help="Keep cells that today's code would not find again.")
@_store_option
@json_option
@click.pass_obj
def gc(outer_json: bool, dry_run: bool, keep_old_code: bool, store: str | None, as_json: bool) -> None:
    """Remove what no run will use: leftovers of killed writers, damaged files, cells of the ledger's former code.

    Cells of experiments that the ledger does not know (your own) always stay.

    \b
    Example: asymp store gc --dry-run
    """
    from asymp.reports.command.store_texts import gc_text

    click.echo(gc_text(store, dry_run=dry_run, keep_old_code=keep_old_code, as_json=as_json or outer_json))


@store_group.command("export", short_help="Write the store as a table, CSV or Parquet.")
@click.option("-o", "--output", required=True, metavar="FILE", help="FILE.csv or FILE.parquet.")
@click.option("--values", is_flag=True, help="One row a replica instead of one row a cell.")
@_store_option
@json_option
@click.pass_obj
def export(outer_json: bool, output: str, values: bool, store: str | None, as_json: bool) -> None:
    """Write the store as a table, CSV or Parquet (which needs the extra 'parquet').

    \b
    Example: asymp store export -o results.csv
    """
    from asymp.reports.command.store_texts import export_text

    click.echo(export_text(store, output, values=values, as_json=as_json or outer_json))
