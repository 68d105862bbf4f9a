"""What `asymp store` prints."""

from typing import Any

from asymp.montecarlo.store.cellfile import Cell
from asymp.montecarlo.store.folder import MARKER, Store
from asymp.montecarlo.store.place import default_folder
from asymp.montecarlo.store.source import source_hash
from asymp.montecarlo.store.table import export
from asymp.montecarlo.store.upkeep import clear_away, holdings, verify
from asymp.reports.judge.cells import spell
from asymp.reports.serialise import dumps

__all__ = ["export_text", "gc_text", "list_text", "show_text", "verify_text"]


def _existing(folder: str | None) -> Store:
    """The store that was named, or the default one; looking at a store never makes one."""
    path = default_folder() if folder is None else folder
    if folder is not None:
        from pathlib import Path

        given = Path(folder)
        if not given.exists() or (given.is_dir() and not (given / MARKER).is_file()):
            raise ValueError("there is no store at the folder of --store")
    return Store(path)


def list_text(folder: str | None, experiment: str | None, *, as_json: bool) -> str:
    """One line a series."""
    held = [h for h in holdings(_existing(folder)) if experiment in (None, h.names["experiment"])]
    if as_json:
        return dumps([vars(h) for h in held])
    if not held:
        return "nothing is kept"
    width = max(len(h.names["experiment"]) for h in held)
    lines = [
        f"{h.key[:12]}  {h.names['experiment']:<{width}} v{h.names['version']}  seed {h.names['seed']}  "
        f"{h.replicas:>8} replicas  {h.cells:>3} cells  {h.seconds:8.2f} s  {spell(h.names['params'])}"
        for h in held
    ]
    cells, seconds = sum(h.cells for h in held), sum(h.seconds for h in held)
    return "\n".join([*lines, f"{len(held)} series, {cells} cells, {seconds:.1f} s of work"])


def show_text(folder: str | None, key: str, *, as_json: bool) -> str:
    """All that is known of the cells of one series."""
    store = _existing(folder)
    keys = sorted({k for k, _ in store.all() if k.startswith(key)})
    if len(keys) != 1:
        found = "no series has" if not keys else f"{len(keys)} series have"
        raise ValueError(f"{found} a key that begins with {key!r}; `asymp store ls` lists them")
    cells = [cell for blocks in sorted(store.ranges(keys[0])) if (cell := store.read(keys[0], *blocks))]
    if as_json:
        return dumps([cell.header for cell in cells])
    lines = [f"{name}: {spell(v) if isinstance(v, dict) else v}" for name, v in cells[0].names.items()] if cells else []
    for cell in cells:
        facts = cell.statistics
        lines += [
            "",
            f"blocks {cell.first} to {cell.last - 1}: {facts['count']} replicas in {cell.seconds:.3f} s",
            f"  mean {cell.values.mean():.6g}, smallest {facts['min']:.6g}, largest {facts['max']:.6g}",
            *(f"  {name}: {value}" for name, value in cell.provenance.items()),
        ]
    return "\n".join([f"key: {keys[0]}", *lines])


def verify_text(folder: str | None, *, as_json: bool) -> tuple[str, bool]:
    """What a check of every file found, and whether something was damaged."""
    sound, damaged = verify(_existing(folder))
    if as_json:
        data = {"sound": sound, "damaged": [{"file": name, "reason": reason} for name, reason in damaged]}
        return dumps(data), bool(damaged)
    lines = [f"damaged, set aside: {name}: {reason}" for name, reason in damaged]
    return "\n".join([*lines, f"{sound} cells are sound, {len(damaged)} were damaged"]), bool(damaged)


def gc_text(folder: str | None, *, dry_run: bool, keep_old_code: bool, as_json: bool) -> str:
    """What was cleared away."""
    current = {} if keep_old_code else _current()

    def outdated(cell: Cell) -> bool:
        known = current.get(cell.names["experiment"])
        return known is not None and known != (cell.names["version"], cell.names["source"])

    removed = clear_away(_existing(folder), outdated=outdated, dry_run=dry_run)
    if as_json:
        return dumps({**vars(removed), "dry_run": dry_run})
    verb = "would be removed" if dry_run else "removed"
    return (
        f"{verb}: {removed.outdated} cells of former code, {removed.damaged} damaged files, "
        f"{removed.leftovers} leftovers of killed runs; {removed.size / 1e6:.1f} MB"
    )


def _current() -> dict[str, tuple[int, str | None]]:
    """Version and source of every experiment of the ledger."""
    from asymp.reports.claimbook import claims
    from asymp.reports.index import INDEX

    experiments = {p.experiment.id: p.experiment for id in INDEX for p in claims[id].parts}
    return {id: (e.version, source_hash(e.sample)) for id, e in experiments.items()}


def export_text(folder: str | None, file: str, *, values: bool, as_json: bool) -> str:
    """How many rows were written."""
    count: Any = export(_existing(folder), file, values=values)
    return dumps({"rows": count}) if as_json else f"{count} rows written"
