"""A figure of the sources as a declaration: how it is measured, how it is drawn, and what its caption says."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

    from asymp.montecarlo.estimate import Estimate
    from asymp.montecarlo.experiment import Experiment
    from asymp.montecarlo.store.folder import Store

__all__ = ["FAILS", "HOLDS", "OPEN", "Data", "Figure", "Finding", "How", "Statement"]

Data = dict[str, Any]
"""Plain JSON: settings, series with intervals, theory lines with their constants."""

HOLDS, FAILS, OPEN = "holds", "fails", "cannot be decided"


@dataclass(frozen=True)
class Finding:
    """What a statement comes to on the data: one of the three outcomes, why in words, and the numbers behind it."""

    outcome: str
    words: str
    numbers: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.outcome not in (HOLDS, FAILS, OPEN):
            raise ValueError(f"outcome must be {HOLDS!r}, {FAILS!r} or {OPEN!r}; got {self.outcome!r}")


@dataclass(frozen=True)
class Statement:
    """A sentence of the caption, with the function that checks it on the figure's data.

    by_us    the sentence is not the caption's, but what should stand in its place
    why      what is behind it where the sentence fails: the words of the note beside the figure
    erratum  the law whose erratum in the ledger covers that
    """

    name: str
    text: str
    check: Callable[[Data], Finding]
    by_us: bool = False
    why: str = ""
    erratum: str = ""


@dataclass(frozen=True)
class How:
    """With which random numbers, on which device and with which store a figure is measured."""

    seed: int = 0
    device: str = "auto"
    store: "Store | None" = None

    def estimate(self, experiment: "Experiment", *, replicas: int, **params: Any) -> "Estimate":
        """The estimate of an experiment at one setting; its blocks are kept in the store, and found again."""
        return experiment.run(replicas=replicas, seed=self.seed, device=self.device, store=self.store, **params)


@dataclass(frozen=True)
class Figure:
    """A figure of a source.

    settings  sizes for `quick` and for `paper` (the published ones where they are known)
    measure   settings and How to plain data; draw: plain data to a matplotlib figure
    alt       what a reader sees who cannot see it; `notes`: what the source does not say and we had to choose
    version   changes when the data's meaning does
    """

    name: str
    caption: str
    alt: str
    settings: Mapping[str, Mapping[str, Any]]
    measure: Callable[[Mapping[str, Any], How], Data]
    draw: Callable[[Data], "Drawing"]
    statements: tuple[Statement, ...]
    notes: tuple[str, ...] = ()
    version: int = 1

    def __post_init__(self) -> None:
        if set(self.settings) != {"quick", "paper"}:
            raise ValueError(
                f"figure {self.name!r} must have settings for quick and paper; got {sorted(self.settings)}"
            )
