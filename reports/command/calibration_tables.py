"""The tables of `asymp calibrate`: do intervals cover as often as they say, and are verdicts as rarely wrong?"""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from asymp.reports.command.progress import showing_progress
from asymp.reports.serialise import dumps
from asymp.theory.names import UnknownName, unknown_name

__all__ = ["NAMES", "TABLES", "calibration_text"]


def _means(studies: int, seed: int, workers: int) -> tuple[Any, str]:
    from asymp.montecarlo.calibrate.means import means_table, means_text

    rows = means_table(studies, seed)
    return [asdict(row) for row in rows], means_text(rows)


def _exponents(studies: int, seed: int, workers: int) -> tuple[Any, str]:
    from asymp.montecarlo.calibrate.exponent import exponent_table

    table = exponent_table(studies=studies, seed=seed, workers=workers)
    return asdict(table), str(table)


def _capacities(studies: int, seed: int, workers: int) -> tuple[Any, str]:
    from asymp.montecarlo.calibrate.capacity import capacity_table, capacity_text

    rows = capacity_table(studies, seed, workers=workers)
    return [asdict(row) for row in rows], capacity_text(rows)


TABLES: dict[str, Callable[[int, int, int], tuple[Any, str]]] = {
    "means": _means,
    "exponents": _exponents,
    "capacities": _capacities,
}
# `claims` takes more options than the others.
NAMES = (*TABLES, "claims")


def _claims(
    claims: Sequence[str], *, studies: int, seed: int, run_seed: int | None, workers: int, store: str | None
) -> tuple[Any, str]:
    from asymp.montecarlo.store.place import default_folder
    from asymp.reports.calibrate.claims import FILE, SEEDS, calibrate_claims, claims_text

    # The claims take 400 seeds at most; what is finished stays in a file of this folder, and is not done again.
    seeds = min(studies, SEEDS)
    with showing_progress(unit="studies") as progress:
        rows = calibrate_claims(
            claims,
            seeds=seeds,
            seed=seed,
            run_seed=run_seed,
            workers=workers,
            store=store or default_folder(),
            file=Path(FILE),
            progress=progress,
        )
    command = ["asymp", "calibrate", "claims", "--studies", str(seeds), "--seed", str(seed)]
    command += [] if run_seed is None else ["--run-seed", str(run_seed)]
    command += [word for id in claims for word in ("--claim", id)]
    return rows, claims_text(rows, command=command)


def calibration_text(
    names: Sequence[str],
    *,
    studies: int,
    seed: int,
    workers: int,
    as_json: bool,
    claims: Sequence[str] = (),
    run_seed: int | None = None,
    store: str | None = None,
) -> str:
    """Run the named tables (all, if none is named); `claims`, `run_seed` and `store` are for the table of claims."""
    for name in names:
        if name not in NAMES:
            raise UnknownName(unknown_name("calibration", name, NAMES))
    for what, value in (("studies", studies), ("workers", workers)):
        if value < 1:
            raise ValueError(f"{what} must be an integer >= 1; got {value}")
    chosen = names or NAMES
    if claims and "claims" not in chosen:
        raise ValueError("--claim is for the table of claims: asymp calibrate claims --claim ID")
    found = {}
    for name in chosen:
        if name == "claims":
            found[name] = _claims(claims, studies=studies, seed=seed, run_seed=run_seed, workers=workers, store=store)
        else:
            found[name] = TABLES[name](studies, seed, workers)
    if as_json:
        return dumps({name: data for name, (data, _) in found.items()})
    return "\n\n".join(text for _, text in found.values())
