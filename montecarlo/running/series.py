"""A series: the blocks of one experiment at one setting, what determines their bits, and which of them are there.

Also how another process finds the experiment, and the arithmetic of ranges [first, last) of blocks.
"""

import hashlib
import json
import math
import pickle
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from asymp.montecarlo.draws import canonical, derive_seed, pick_device
from asymp.montecarlo.experiment import Experiment
from asymp.montecarlo.running.source import source_hash

Range = tuple[int, int]
KEY_LENGTH = 32  # hex digits, 128 bits: no two series in the world share one
MOST_STRIPES = 8  # pieces of one setting that shards share: more would make thousands of tiny files


@dataclass(frozen=True, eq=False)
class Series:
    """An experiment at one setting, seed and kind of device; its blocks are numbered from 0.

    CPU type and torch build are recorded with a cell, not part of the key: they change bits, never the law that the
    bits follow, and a store that was filled on a cluster must be readable on a laptop.

    Args:
        experiment: What is drawn.
        params: The setting: the sampler's own parameters.
        seed: Another seed, other random numbers.
        device: `auto`, `cpu` or `cuda`.
        source: The hash of the sampler's code, if it is known already.
        found_by: Says how another process finds the experiment, where a pickle of it does not do.
    """

    experiment: Experiment
    params: dict[str, Any]
    seed: int = 0
    device: str = "auto"
    source: str | None = None
    found_by: Callable[[], "Finder | None"] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "device", str(pick_device(self.device)))
        if self.source is None:
            object.__setattr__(self, "source", source_hash(self.experiment.sample))

    @property
    def storable(self) -> bool:
        """Whether the code behind the experiment is known, so that a stored result can be believed."""
        return self.source is not None

    @cached_property
    def names(self) -> dict[str, Any]:
        """What determines the bits of a block, apart from its index, as plain data."""
        return {
            "experiment": self.experiment.id,
            "version": self.experiment.version,
            "source": self.source,
            "params": canonical(self.params),
            "seed": self.seed,
            "block": self.experiment.block,
            "device": self.device.partition(":")[0],
        }

    @cached_property
    def key(self) -> str:
        """The hash of `names`. Without a known source it is good for this process only."""
        text = json.dumps(self.names, sort_keys=True, separators=(",", ":"))
        if not self.storable:
            text += f" {id(self.experiment.sample)}"
        return hashlib.sha256(text.encode()).hexdigest()[:KEY_LENGTH]

    def stream(self, block: int) -> int:
        """The stream of random numbers of a block: what torch's generator on a CPU keeps of its seed."""
        names = self.names
        return derive_seed(*(names[k] for k in ("experiment", "version", "params", "seed")), block) % 2**32

    @cached_property
    def finder(self) -> "Finder | None":
        """How another process finds the experiment; None if it cannot."""
        return finder_for(self.experiment) if self.found_by is None else self.found_by()

    def __getstate__(self) -> dict[str, Any]:
        """What travels to another process: everything but the experiment, which is found there by the finder."""
        known = {"names": self.names, "key": self.key, "finder": self.finder}
        return {**vars(self), **known, "experiment": None, "found_by": None}

    def blocks_for(self, replicas: int) -> int:
        """The number of blocks that hold `replicas` values."""
        return -(-replicas // self.experiment.block)

    def __str__(self) -> str:
        at = ", ".join(f"{name}={_brief(value)}" for name, value in self.params.items())
        return f"{self.experiment.id} at {at}" if at else self.experiment.id


def _brief(value: Any) -> str:
    text = " ".join(f"{value:g}".split() if isinstance(value, float) else str(value).split())
    return text if len(text) <= 40 else f"{text[:36]} ..."


class CannotLoad(ValueError):
    """A worker cannot find the experiment that it should run, or finds another one."""


class Finder(Hashable, Protocol):
    """How a worker finds an experiment; picklable."""

    def find(self) -> Experiment:
        """The experiment, in whichever process this is."""
        ...


@dataclass(frozen=True)
class Pickled:
    """A pickle that names an experiment's functions by their modules, or (cloudpickle) carries their code along.

    `source`: the hash of the code that is carried along, whose caches may have filled since the experiment was planned.
    """

    id: str
    data: bytes
    source: str | None = None

    def find(self) -> Experiment:
        """The experiment, its modules imported."""
        try:
            found = pickle.loads(self.data)
        except Exception as error:
            raise CannotLoad(
                f"experiment {self.id!r} cannot be imported on the worker ({type(error).__name__}: {error})"
            ) from error
        assert isinstance(found, Experiment)
        return found


def finder_for(experiment: Experiment) -> Finder | None:
    """How another process finds an experiment; None if it cannot without cloudpickle, which comes with the extras."""
    functions = [f for f in (experiment.sample, experiment.bounds) if callable(f)]
    if all(getattr(f, "__module__", "__main__") not in ("__main__", "asymp_user_claims") for f in functions):
        try:
            return Pickled(experiment.id, pickle.dumps(experiment))
        except Exception:
            pass  # a closure or a lambda: its code has to travel
    try:
        import cloudpickle

        return Pickled(experiment.id, cloudpickle.dumps(experiment), source_hash(experiment.sample))
    except Exception:
        return None


@dataclass(frozen=True, eq=False)
class Cell:
    """A finished cell: the values of the blocks first, ..., last - 1 of a series, and where they come from.

    `reads`: a file that its sampler read while it ran, or another look at the world outside; such a cell is not kept.
    """

    key: str
    names: dict[str, Any]
    first: int
    last: int
    values: np.ndarray
    seconds: float
    provenance: dict[str, Any]
    reads: str = ""

    @property
    def statistics(self) -> dict[str, Any]:
        """Sufficient statistics of the values; None for a sum that overflows."""
        values = self.values
        with np.errstate(over="ignore"):
            total, squares = float(values.sum()), float((values**2).sum())
        return {
            "count": len(values),
            "sum": total if math.isfinite(total) else None,
            "sum_squares": squares if math.isfinite(squares) else None,
            "min": float(values.min()),
            "max": float(values.max()),
        }

    @property
    def header(self) -> dict[str, Any]:
        """Everything but the values."""
        return {
            "key": self.key,
            **self.names,
            "first": self.first,
            "last": self.last,
            "seconds": round(self.seconds, 6),
            "statistics": self.statistics,
            "provenance": self.provenance,
        }


class Missing(RuntimeError):
    """Values that a sweep could not get, and why."""


@dataclass(eq=False)
class Work:
    """One series up to a number of blocks."""

    series: Series
    blocks: int = 0
    pieces: dict[Range, np.ndarray] = field(default_factory=dict)
    lined_up: list[Range] = field(default_factory=list)
    waiting: int = 0
    failures: list[str] = field(default_factory=list)
    seconds: float = 0.0
    timed: int = 0
    spent: float = 0.0
    computed: int = 0
    found: int = 0
    origins: list[dict[str, Any]] = field(default_factory=list)

    def take(self, cell: Cell) -> None:
        """Have the values of a cell, what they cost and what computed them: each machine and version once."""
        self.pieces[cell.first, cell.last] = cell.values
        self.timed += cell.last - cell.first
        self.seconds += cell.seconds
        origin = {name: value for name, value in cell.provenance.items() if name not in ("started", "command")}
        if origin not in self.origins:
            self.origins.append(origin)

    @property
    def rate(self) -> float | None:
        """Seconds a block, if any has been timed."""
        return self.seconds / self.timed if self.timed else None

    def settled(self, blocks: int) -> bool:
        """Whether the first blocks are there, or given up."""
        return not gaps(self.pieces, blocks) or (not self.waiting and bool(self.failures))

    def values(self, replicas: int) -> np.ndarray:
        """The first `replicas` values; `Missing` if some of their blocks are not there."""
        block = self.series.experiment.block
        wanted = self.series.blocks_for(replicas)
        missing = gaps(self.pieces, wanted)
        if missing:
            count = sum(last - first for first, last in missing)
            reason = self.failures[0] if self.failures else "it was not computed"
            raise Missing(f"{self.series}: {count} of {wanted} blocks are missing ({reason})")
        parts, reached = [], 0
        for first, last in cover(self.pieces, wanted):
            parts.append(self.pieces[first, last][(reached - first) * block :])
            reached = last
        return np.concatenate(parts)[:replicas]


def cover(ranges: Iterable[Range], blocks: int) -> list[Range]:
    """The fewest of the ranges that cover as much of [0, blocks) as all of them do; they may overlap."""
    chosen: list[Range] = []
    waiting = sorted(ranges)
    reached, i = 0, 0
    while i < len(waiting) and reached < blocks:
        best: Range | None = None
        while i < len(waiting) and waiting[i][0] <= reached:
            if waiting[i][1] > reached and (best is None or waiting[i][1] > best[1]):
                best = waiting[i]
            i += 1
        if best is not None:
            chosen.append(best)
            reached = best[1]
        elif i < len(waiting):
            reached = waiting[i][0]
    return chosen


def gaps(ranges: Iterable[Range], blocks: int) -> list[Range]:
    """What of [0, blocks) the ranges leave out."""
    missing, reached = [], 0
    for first, last in sorted(ranges):
        if first > reached:
            missing.append((reached, min(first, blocks)))
        reached = max(reached, last)
        if reached >= blocks:
            break
    if reached < blocks:
        missing.append((reached, blocks))
    return [r for r in missing if r[0] < r[1]]


def meet(ranges: Iterable[Range], others: Iterable[Range]) -> list[Range]:
    """What two sets of ranges have in common."""
    common = [(max(a, c), min(b, d)) for a, b in ranges for c, d in others]
    return sorted(r for r in common if r[0] < r[1])


def stripes(blocks: int, number: int) -> list[Range]:
    """[0, blocks) in at most `number` nearly equal pieces, at most eight: shards own these, whatever they cost."""
    pieces = min(blocks, number, MOST_STRIPES)
    edges = [blocks * i // pieces for i in range(pieces + 1)]
    return list(pairwise(edges))
