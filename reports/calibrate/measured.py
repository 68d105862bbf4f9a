"""Cells that are measured once and judged many times: by their law, by wrong laws in its place, by resampling.

`Measurements` keeps the estimates of a seed in memory and, where a folder is given, on disk, so that several processes
(the workers of a test run, a calibration that is resumed) share them. It is a scratch cache of one version of the code.
"""

import hashlib
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from asymp.montecarlo import Estimate
from asymp.reports.declare import Claim, Part
from asymp.reports.running.run import Planned, judge_parts, share_of
from asymp.reports.verdict import Verdict

__all__ = ["Measured", "Measurements"]

Measured = list[tuple[dict[str, Any], Estimate]]

# Another process that measures a cell is waited for this long; it may have been killed, then the cell is measured here.
PATIENCE = 300.0


class Measurements:
    """The estimates of one seed, cell by cell, each measured when it is first asked for."""

    def __init__(self, *, seed: int = 0, folder: Path | None = None) -> None:
        self.seed = seed
        self.folder = folder
        self._known: dict[str, Estimate] = {}
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)

    def part(self, part: Part, *, preset: str = "quick", most: int | None = None) -> Measured:
        """The cells of a part at a preset with their estimates: all of them, or the first `most`."""
        planned = [Planned(part.experiment, c, part.replicas_at(preset, c)) for c in part.cells(preset, {})[:most]]
        # What another process is measuring is waited for last: two processes with one part share its cells.
        for cell in planned:
            if cell.key not in self._known and (found := self._now(cell)) is not None:
                self._known[cell.key] = found
        return [(cell.params, self.cell(cell)) for cell in planned]

    def verdict(self, claim: Claim, *, preset: str = "quick") -> Verdict:
        """The verdict on a claim from the kept estimates: the same as `check` gives."""
        start = time.perf_counter()
        measured = [self.part(part, preset=preset) for part in claim.parts]
        budget = share_of(claim)
        parts = judge_parts(claim.parts, measured, budget=budget)
        return Verdict(
            claim=claim.id,
            outcome=parts[claim.leading.name].outcome,
            parts=parts,
            preset=preset,
            seed=self.seed,
            budget=budget,
            settings={},
            seconds=time.perf_counter() - start,
        )

    def cell(self, cell: Planned) -> Estimate:
        """One cell's estimate."""
        if cell.key not in self._known:
            found = self._now(cell)
            self._known[cell.key] = self._waited(cell) if found is None else found
        return self._known[cell.key]

    def _run(self, cell: Planned) -> Estimate:
        return cell.experiment.run(**cell.params, replicas=cell.replicas, seed=self.seed)

    def _file(self, cell: Planned) -> Path:
        assert self.folder is not None
        return self.folder / f"{hashlib.sha256(f'{cell.key} {self.seed}'.encode()).hexdigest()[:32]}.npz"

    def _now(self, cell: Planned) -> Estimate | None:
        """Found in the folder, or measured here; None if another process, which made the claim file first, is at it."""
        if self.folder is None:
            return self._run(cell)
        file = self._file(cell)
        if file.exists():
            return _load(file)
        try:
            os.close(os.open(file.with_suffix(".taken"), os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return None
        return self._kept(cell)

    def _kept(self, cell: Planned) -> Estimate:
        file, estimate = self._file(cell), self._run(cell)
        unfinished = file.with_suffix(f".{os.getpid()}.npz")
        np.savez(unfinished, values=estimate.values, bounds=np.array(estimate.bounds or ()))
        unfinished.replace(file)
        return estimate

    def _waited(self, cell: Planned) -> Estimate:
        """What another process measures; if it does not come, it is measured here."""
        file, deadline = self._file(cell), time.monotonic() + PATIENCE
        while not file.exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        return _load(file) if file.exists() else self._kept(cell)


def _load(file: Path) -> Estimate:
    with np.load(file) as kept:
        bounds: Sequence[float] = kept["bounds"].tolist()
        return Estimate(values=kept["values"], bounds=(bounds[0], bounds[1]) if bounds else None)
