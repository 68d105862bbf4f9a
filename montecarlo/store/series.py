"""A series: the blocks of one experiment at one setting, and the hash of everything that determines their bits."""

import hashlib
import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from asymp.montecarlo.blocks import canonical, pick_device
from asymp.montecarlo.experiment import Experiment
from asymp.montecarlo.store.source import source_hash

__all__ = ["Series"]

KEY_LENGTH = 32  # hex digits, 128 bits: no two series in the world share one


@dataclass(frozen=True, eq=False)
class Series:
    """An experiment at one setting, seed and kind of device; its blocks are numbered from 0.

    CPU type and torch build are recorded with a cell, not part of the key: they change bits, never the law that the
    bits follow, and a store that was filled on a cluster must be readable on a laptop.
    """

    experiment: Experiment
    params: dict[str, Any]
    seed: int = 0
    device: str = "auto"
    source: str | None = field(default=None)

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

    def blocks_for(self, replicas: int) -> int:
        """The number of blocks that hold `replicas` values."""
        return -(-replicas // self.experiment.block)

    def __str__(self) -> str:
        at = ", ".join(f"{name}={_brief(value)}" for name, value in self.params.items())
        return f"{self.experiment.id} at {at}" if at else self.experiment.id


def _brief(value: Any) -> str:
    text = " ".join(f"{value:g}".split() if isinstance(value, float) else str(value).split())
    return text if len(text) <= 40 else f"{text[:36]} ..."
