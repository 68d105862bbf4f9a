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
from asymp.reports.run import Planned, judge_parts, share_of
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
        cells = part.cells(preset, {})[:most]
        return [(c, self.cell(Planned(part.experiment, c, part.replicas_at(preset, c)))) for c in cells]

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
            self._known[cell.key] = self._shared(cell) if self.folder is not None else self._run(cell)
        return self._known[cell.key]

    def _run(self, cell: Planned) -> Estimate:
        return cell.experiment.run(**cell.params, replicas=cell.replicas, seed=self.seed)

    def _shared(self, cell: Planned) -> Estimate:
        """From the folder; whoever makes the claim file first measures, the others wait for the result."""
        assert self.folder is not None
        name = hashlib.sha256(f"{cell.key} {self.seed}".encode()).hexdigest()[:32]
        file, taken = self.folder / f"{name}.npz", self.folder / f"{name}.taken"
        try:
            os.close(os.open(taken, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            deadline = time.monotonic() + PATIENCE
            while not file.exists() and time.monotonic() < deadline:
                time.sleep(0.02)
        if file.exists():
            return _load(file)
        estimate = self._run(cell)
        unfinished = self.folder / f"{name}.{os.getpid()}.npz"
        np.savez(unfinished, values=estimate.values, bounds=np.array(estimate.bounds or ()))
        unfinished.replace(file)
        return estimate


def _load(file: Path) -> Estimate:
    with np.load(file) as kept:
        bounds: Sequence[float] = kept["bounds"].tolist()
        return Estimate(values=kept["values"], bounds=(bounds[0], bounds[1]) if bounds else None)
