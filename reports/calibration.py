"""The tables of `asymp calibrate`: do the intervals cover as often as they say?"""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from asymp.reports.serialise import dumps
from asymp.theory.names import UnknownName, unknown_name

__all__ = ["TABLES", "calibration_text"]


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


def _claims(studies: int, seed: int, workers: int) -> tuple[Any, str]:
    from pathlib import Path

    from asymp.reports.claim_calibration import FILE, calibrate_claims, claims_text

    # The claims take 400 seeds at most; what is finished stays in a file of this folder, and is not done again.
    rows = calibrate_claims(seeds=min(studies, 400), seed=seed, workers=workers, file=Path(FILE))
    return rows, claims_text(rows)


TABLES: dict[str, Callable[[int, int, int], tuple[Any, str]]] = {
    "means": _means,
    "exponents": _exponents,
    "capacities": _capacities,
    "claims": _claims,
}


def calibration_text(names: Sequence[str], *, studies: int, seed: int, workers: int, as_json: bool) -> str:
    """Run the named tables (all, if none is named)."""
    for name in names:
        if name not in TABLES:
            raise UnknownName(unknown_name("calibration", name, list(TABLES)))
    for name, value in (("studies", studies), ("workers", workers)):
        if value < 1:
            raise ValueError(f"{name} must be an integer >= 1; got {value}")
    found = {name: TABLES[name](studies, seed, workers) for name in (names or TABLES)}
    if as_json:
        return dumps({name: data for name, (data, _) in found.items()})
    return "\n\n".join(text for _, text in found.values())
